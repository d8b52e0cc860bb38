"""Parsers of your own: a function that reads the files of one ending, named as `module:function`.

    def parse(name: str, data: bytes) -> str | Document: ...

It is run in a child process, like everything that reads files which may come from anywhere, so it
has to be importable by name. A text is taken for Markdown, whose headings are the sections; a
`Document` holds the text and the sections as they are. Where it goes wrong, the file is one in the
state `failed`.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fanshu.errors import ConfigError
from fanshu.types import Document, FileState, Section

OwnParser = Callable[[str, bytes], "str | Document"]
SECONDS = 60.0  # per file, as a PDF has
_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # can be neither stored nor shown
_SUFFIX = re.compile(r"\.[^\s./\\]+")


@dataclass(frozen=True, slots=True)
class Own:
    """A parser by its name; `made_by` is another when the code of its module is."""

    name: str
    made_by: str

    def read(self, path: str, data: bytes, seconds: float = SECONDS) -> Document:
        """The document of a file. Whatever goes wrong is its state and reason."""
        from fanshu.library.parsers.child import read_apart

        if not data:
            return _without_text("skipped", "empty")
        here = [os.path.abspath(place) for place in sys.path]  # noqa: PTH100 - "" is this folder
        return read_apart("own", data, seconds, self.name, path, paths=here)


def own_parsers(given: Mapping[str, str]) -> dict[str, Own]:
    """Parsers by ending, as `.abc` → `module:function`.

    Raises: ConfigError — an ending or a name is none, or there is no such module.
    """
    return {suffix.lower(): _own(suffix, name) for suffix, name in given.items()}


def _own(suffix: str, name: str) -> Own:
    if not _SUFFIX.fullmatch(suffix):
        raise ConfigError(name="parsers", detail=f"{suffix!r} is no ending; write it like '.abc'")
    if not _NAME.fullmatch(name):
        raise ConfigError(name="parsers", detail=f"{name!r} is not of the form 'module:function'")
    module = name.partition(":")[0]
    try:
        found = None if module == "__main__" else find_spec(module)
    except (ImportError, ValueError):
        found = None
    if found is None:
        detail = f"there is no module {module!r}; install it, or put its folder into PYTHONPATH"
        raise ConfigError(name="parsers", detail=detail)
    code = Path(found.origin).read_bytes() if found.has_location and found.origin else b""
    return Own(name, f"{name} {blake2b(code, digest_size=8).hexdigest()}")


# ---------------------------------------------------------------- in the child process


def read_own(name: str, path: str, data: bytes) -> Document:
    """Call the parser `module:function` of somebody else, who may have made mistakes."""
    module, _, function = name.partition(":")
    try:
        parse: OwnParser = getattr(import_module(module), function)
        made = parse(path, data)
        document = _of_markdown(made) if isinstance(made, str) else made
        return _checked(document)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - one bad file must never end the run
        reason = f"{name}: {type(error).__name__}: {error}"[:200]
        return _without_text("failed", _NO_TEXT.sub("\ufffd", reason))


def _of_markdown(text: str) -> Document:
    """The sections of a text that was made, so that its lines are not those of the file."""
    from fanshu.library.parsers.encoding import Decoded
    from fanshu.library.parsers.markdown import parse_markdown

    document = parse_markdown(Decoded(text, "utf-8"))
    sections = tuple(replace(section, lines=None) for section in document.sections)
    return replace(document, sections=sections, first_line=None)


def _checked(document: Document) -> Document:
    """What was made, if it is what the library relies on. Raises: TypeError, ValueError."""
    if not isinstance(document, Document):
        raise TypeError(f"it gave {type(document).__name__}, neither text nor a Document")
    document = _typed(document)
    if document.state == "ok" and not document.text.strip():
        return _without_text("skipped", "empty")
    if not _covers(document.sections, len(document.text)):
        raise ValueError("the sections do not cover the text one after the other")
    if list(document.pages) != sorted(document.pages):
        raise ValueError("the pages do not begin one after the other")
    return document


def _typed(document: Document) -> Document:
    """The same, if each field holds what it is for. Raises: TypeError."""
    from pydantic import TypeAdapter, ValidationError

    told = json.dumps(_storable(asdict(document)))
    try:
        return TypeAdapter(Document).validate_json(told, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise TypeError(f"{where}: {first['msg']}") from None


def _storable(value: Any) -> Any:
    match value:
        case str():
            return _NO_TEXT.sub("\ufffd", value)
        case list() | tuple():
            return [_storable(one) for one in value]
        case dict():
            return {_storable(name): _storable(one) for name, one in value.items()}
    return value


def _covers(sections: tuple[Section, ...], length: int) -> bool:
    ends = [0, *(section.end for section in sections)]
    follow = all(one.start == end < one.end for one, end in zip(sections, ends, strict=False))
    return follow and ends[-1] == length


def _without_text(state: FileState, reason: str) -> Document:
    return Document("", (), state=state, reason=reason, first_line=None)
