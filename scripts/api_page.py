"""The page of Python names, from the source: signatures as written, docstrings as they stand."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType

GROUPS = {
    "Asking": ("ask", "LoopAgent", "Session", "Run", "Settings"),
    "Documents": ("Library", "Root", "Scope", "SearchResult", "Hit", "Chunk"),
    "Answers": ("Answer", "Citation", "check_answer", "Cited"),
    "Models and tools": ("Model", "Tool", "Places", "ToolCall", "Observation"),
    "Errors": ("FanshuError",),
}
INTRODUCTIONS = {
    "Asking": "The rest is awaited, `ask` is not: it runs an event loop of its own.",
    "Errors": "All errors and what to do about them: [errors.md](errors.md).",
}
WORDS = {
    "chunk_id": "`path#n`, as searches show it; `n` counts the chunks of the file, from 1",
    "file_path": "path of a document from its folder on; begins with `NAME/` when that is named",
    "path": "a file, a folder, or the beginning of a name; None: everything",
    "section_path": "the whole trail of headings, outermost first; empty before the first heading",
    "level": "depth of the heading: 1 is the outermost, 0 the text before the first",
    "lines": "first and last line in the source; None where lines mean nothing, as in PDF",
    "page": "the page, for formats that have pages",
    "part": "`(i, n)`: part i of the n that a long section comes in",
    "title": "of the document",
    "hash": "of the text; while it is the same, so is the text",
    "date": "the document's own date (ISO), if it tells one",
    "newer_version": "the path of a later member of the same family of documents",
    "words": "what to search for: white space separates words, `|` separates wordings",
    "question": "as somebody asked it",
    "language": "of rules and results; `auto`: that of the question",
    "seconds": "wall time",
    "warnings": "what to know about the result, in words",
    "scope": "what may be seen, see `Scope`; by default everything",
    "on_event": "is called with each `Event` of a run as it happens, in the thread of the run",
    "on_progress": "is called with a `Progress` now and then",
}
BESIDE = {  # what guide and recipes import besides, by module
    "Document": "fanshu.types",
    "Section": "fanshu.types",
    "remote": "fanshu.models.remote",
    "ExtractiveReader": "fanshu.models.extractive",
    "ScriptedModel": "fanshu.models.scripted",
}
MORE = "What these take and give"
ALIASES = "Names of types"
INSIDE = {"Store", "Location"}  # what libraries are made of; nobody outside calls it
OPAQUE = {  # their fields stand elsewhere, or are nothing to touch
    "Settings": (
        "Its fields, their defaults and limits are those of [settings.md](settings.md). `ask` takes"
        ' them by name, `ask("Timeout?", "manuals", hits=5, max_rounds=4)`, and `LoopAgent` those\n'
        "that are its arguments. `Settings(hits=5)` holds the defaults of all others.\n\n"
    ),
    "RemoteModel": "",
    "ExtractiveReader": "",
    "Scans": "",
    "View": "",
}
HEAD = """\
# Python names

`import fanshu` gives the names of the first five parts. The last two have the types that their
fields and arguments are made of, and the models that the guide names, with the module each comes
from. What is neither on this page nor an error of [errors.md](errors.md) (all from `fanshu.errors`)
may change without notice. Lines and pages count from 1, both ends included; paths have `/` on every
system; offsets and sizes of text are in characters. Data is frozen.

```python
from fanshu import FanshuError, Library, ask

try:
    answer = ask("How long may an upload take?", "manuals", model="openai:gpt-5-mini")
except FanshuError as error:
    print(error.code, error)
else:
    print(answer.status, answer.answer, [cited.chunk_id for cited in answer.citations])

library = Library(["manuals"], "index.db")
for hit in library.search("timeout", k=10).hits:
    print(library.read(hit.chunk_id).text)
```
"""
IN_ANNOTATIONS = re.compile(r"[A-Za-z_]\w+")
RAISED = re.compile(r"Raises:.*", re.DOTALL)
Function = ast.FunctionDef | ast.AsyncFunctionDef
WIDTH = 70  # characters of a signature on one line
ERROR_NAME = re.compile(r"\b([A-Z][a-z]+(?:[A-Z][a-z]+)+)\b")


@dataclass(frozen=True)
class Source:
    """A name as its module defines it. `node`: a class, function, or the alias of a type."""

    name: str
    module: ModuleType
    node: ast.stmt


def api_page() -> str:
    """Every public name, then every type of ours that is reachable from their signatures."""
    public = {name: found(name, importlib.import_module("fanshu")) for name in public_names()}
    if lost := set(public) - {name for names in GROUPS.values() for name in names}:
        raise SystemExit(f"scripts/api_page.py: give {', '.join(sorted(lost))} a place in GROUPS")
    words = "".join(f"| `{name}` | {meaning} |\n" for name, meaning in WORDS.items())
    parts = [HEAD, f"\nMeant everywhere:\n\n| name | meaning |\n| --- | --- |\n{words}"]
    for group, names in GROUPS.items():
        parts.append(f"\n## {group}\n\n" if group == "Asking" else f"## {group}\n\n")
        parts += [f"{INTRODUCTIONS[group]}\n\n"] if group in INTRODUCTIONS else []
        parts += [_entry(public[name]) for name in names]
    parts.append(f"## {MORE}\n\n")
    parts += [_entry(source, home=True) for source in reachable() if not _is_alias(source)]
    parts.append(_aliases(source for source in reachable() if _is_alias(source)))
    return "".join(parts).rstrip("\n") + "\n"


def _aliases(sources: Iterable[Source]) -> str:
    lines = [f"{one.name} = {_annotation(one.node.value)}" for one in sources]  # type: ignore[attr-defined]
    return f"## {ALIASES}\n\n{_code(chr(10).join(lines))}"


def _is_alias(source: Source) -> bool:
    return isinstance(source.node, ast.Assign)


def public_names() -> list[str]:
    """The names that the package exports."""
    return list(importlib.import_module("fanshu").__all__)


@cache
def reachable() -> tuple[Source, ...]:
    """Types of ours in the signatures of what is public, and in theirs, in order of their names."""
    package = importlib.import_module("fanshu")
    waiting = [found(name, package) for name in public_names()]
    waiting += [found(name, importlib.import_module(home)) for name, home in BESIDE.items()]
    seen = {source.name: source for source in waiting if source}
    while waiting:
        source = waiting.pop()
        for name in _types_of(source):
            other = found(name, source.module)
            if other and other.name not in seen and not _is_an_error(other):
                seen[other.name] = other
                waiting.append(other)
    more = [source for name, source in seen.items() if name not in public_names()]
    return tuple(sorted(more, key=lambda source: source.name.lower()))


def found(name: str, module: ModuleType) -> Source | None:
    """Where a name that a module uses is defined; None when that is not in this package."""
    for node in _tree(module).body:
        if name in _defined(node):
            return Source(name, module, node)
    home = _imported(module).get(name)
    return found(name, importlib.import_module(home)) if home else None


@cache
def _imported(module: ModuleType) -> Mapping[str, str]:
    """The names that a module has from others of this package, with those."""
    return {
        alias.name: node.module
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fanshu")
        for alias in reversed(node.names)
        if node.module
    }


@cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef | Function):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


def _is_an_error(source: Source) -> bool:
    return source.module.__name__ == "fanshu.errors"


def _types_of(source: Source) -> list[str]:
    """The names in the annotations of what is public in a definition."""
    if isinstance(source.node, ast.Assign):
        return IN_ANNOTATIONS.findall(_annotation(source.node.value))
    if source.name in OPAQUE:
        return []
    texts = [_annotation(annotation) for annotation in _annotations(source.node)]
    names = (name for text in texts for name in IN_ANNOTATIONS.findall(text))
    return [name for name in names if name not in INSIDE]


def _annotations(node: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(node, Function):
        yield from (argument.annotation for argument in arguments(node) if argument.annotation)
        yield from [node.returns] if node.returns else []
    if isinstance(node, ast.ClassDef):
        yield from (field.annotation for field in fields(node))
        for method in methods(node, with_init=True):
            yield from _annotations(method)


def arguments(node: Function) -> list[ast.arg]:
    """The named arguments of a function, without `self`."""
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return [argument for argument in every if argument.arg not in ("self", "cls")]


def fields(node: ast.ClassDef) -> list[ast.AnnAssign]:
    """The public fields of a class."""
    return [
        part
        for part in node.body
        if isinstance(part, ast.AnnAssign)
        and isinstance(part.target, ast.Name)
        and not part.target.id.startswith("_")
    ]


def methods(node: ast.ClassDef, *, with_init: bool = False) -> list[Function]:
    """The public methods and properties of a class."""
    return [
        part
        for part in node.body
        if isinstance(part, Function)
        and (not part.name.startswith("_") or (with_init and part.name == "__init__"))
    ]


def _entry(source: Source | None, *, home: bool = False) -> str:
    if source is None:
        raise SystemExit("scripts/api_page.py: GROUPS names what fanshu does not export")
    node = source.node
    title = f"### {source.name}\n\n"
    from_where = f"From `{source.module.__name__}`.\n\n" if home else ""
    if isinstance(node, ast.ClassDef):
        return title + from_where + _class(node)
    if isinstance(node, Function):
        return title + from_where + _function(node, node.name)
    raise SystemExit(f"scripts/api_page.py: what is {source.name}?")


def _class(node: ast.ClassDef) -> str:
    parts = [_prose(ast.get_docstring(node))]
    if node.name in OPAQUE:
        return parts[0] + OPAQUE[node.name]
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            parts.insert(0, _code(f"{node.name}({_signature(method)})"))
    if rows := [_field(field) for field in fields(node)]:
        parts.append(_code("\n".join(rows)))
    for method in methods(node):
        parts.append(f"#### {node.name}.{method.name}\n\n")
        parts.append(_function(method, method.name))
    return "".join(parts)


def _field(field: ast.AnnAssign) -> str:
    return _typed(ast.unparse(field.target), field.annotation, field.value)


def _typed(name: str, annotation: ast.expr | None, default: ast.expr | None) -> str:
    """`name: type = default`, as it stands in source that is formatted."""
    kind = f": {_annotation(annotation)}" if annotation else ""
    value = ast.unparse(default) if default else ""
    value = "…" if value.startswith("field(") else value
    value = f"{int(value):_}" if value.isdecimal() else value
    return f"{name}{kind}{f' = {value}' if value else ''}"


def _function(node: Function, name: str) -> str:
    kind = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    gives = _annotation(node.returns) if node.returns else "None"
    if any(ast.unparse(mark) == "property" for mark in node.decorator_list):
        shown = f"{name}: {gives}"
    else:
        shown = f"{kind}{name}({_signature(node)}) -> {gives}"
    return _code(shown) + _prose(ast.get_docstring(node))


def _signature(node: Function) -> str:
    pieces = list(_arguments(node.args))
    line = ", ".join(pieces)
    if len(line) <= WIDTH:
        return line
    return "\n" + "".join(f"    {piece},\n" for piece in pieces)


def _arguments(given: ast.arguments) -> Iterator[str]:
    by_place = [*given.posonlyargs, *given.args]
    lacking = len(by_place) - len(given.defaults)
    for argument, default in zip(by_place, [*[None] * lacking, *given.defaults], strict=True):
        if argument.arg not in ("self", "cls"):
            yield _typed(argument.arg, argument.annotation, default)
    if given.kwonlyargs:
        yield "*"
    for argument, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield _typed(argument.arg, argument.annotation, value)
    if given.kwarg:
        yield f"**{_typed(given.kwarg.arg, given.kwarg.annotation, None)}"


def _annotation(node: ast.expr) -> str:
    """A type as written, and what is named by a string as what it names."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node)


def _code(text: str) -> str:
    return f"```python\n{text}\n```\n\n"


def _prose(doc: str | None) -> str:
    """A docstring as Markdown; the errors it names lead to the page of errors."""
    text = inspect.cleandoc(doc or "")
    return RAISED.sub(lambda part: ERROR_NAME.sub(r"[\1](errors.md)", part.group()), text) + "\n\n"
