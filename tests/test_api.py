"""The page of Python names: what is public is on it, and explained down to its arguments."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts import api_page
from scripts.api_page import Source

from fanshu import errors

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
PUBLIC = [
    source
    for name in api_page.public_names()
    if (source := api_page.found(name, importlib.import_module("fanshu")))
]
DEFINED = [
    source for source in (*PUBLIC, *api_page.reachable()) if not isinstance(source.node, ast.Assign)
]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(source: Source) -> str:
    return source.name


def functions(source: Source) -> Iterator[tuple[Function, str]]:
    """The public functions of a definition, each with all that is said where it stands."""
    doc = ast.get_docstring(source.node) or ""  # type: ignore[arg-type]
    if isinstance(source.node, Function):
        yield source.node, doc
    elif isinstance(source.node, ast.ClassDef) and source.name not in api_page.OPAQUE:
        for method in api_page.methods(source.node, with_init=True):
            yield method, f"{doc}\n{ast.get_docstring(method) or ''}"


def test_every_exported_name_has_its_place_on_the_page() -> None:
    grouped = [name for names in api_page.GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(api_page.public_names())
    headings = re.findall(r"^### (\w+)$", PAGE, re.MULTILINE)
    assert not {source.name for source in DEFINED} - set(headings)


def test_types_in_signatures_are_on_the_page_too() -> None:
    more = {source.name for source in api_page.reachable()}
    assert {"Step", "Turn", "Reply", "ToolSpec", "SyncReport", "Event", "StopReason"} <= more
    assert not [name for name in more if not re.search(rf"^(### )?{name}\b", PAGE, re.MULTILINE)]


IMPORT = re.compile(r"^\s*(?:from (fanshu[\w.]*) import (.+)|import (fanshu[\w.]+))$", re.MULTILINE)
PAGES = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "README.zh-CN.md"]
ERRORS = (ROOT / "docs" / "errors.md").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_imports_or_names_is_on_this_one(page: Path) -> None:
    text = page.read_text("utf-8")
    said = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    assert not [whole for _, _, whole in IMPORT.findall(said) if whole]
    names = {name.strip() for _, names, _ in IMPORT.findall(said) for name in names.split(",")}
    names |= set(re.findall(r"`fanshu(?:\.[a-z]\w*)*\.([A-Z]\w*[a-z]\w*)`", text))
    names |= set(re.findall(r"`fanshu\.models\.\w+\.([a-z]\w+)\(", text))
    headings = set(re.findall(r"^### (\w+)$", PAGE, re.MULTILINE))
    assert not [name for name in names - headings if f"| {name} |" not in ERRORS]


@pytest.mark.parametrize("source", DEFINED, ids=name_of)
def test_every_definition_and_method_is_explained(source: Source) -> None:
    assert ast.get_docstring(source.node)  # type: ignore[arg-type]
    silent = [
        function.name
        for function, _ in functions(source)
        if function.name != "__init__" and not ast.get_docstring(function)
    ]
    assert not silent


@pytest.mark.parametrize("source", DEFINED, ids=name_of)
def test_every_argument_and_field_is_explained(source: Source) -> None:
    unknown = [
        f"{function.name}: {argument.arg}"
        for function, said in functions(source)
        for argument in api_page.arguments(function)
        if not explained(argument.arg, said)
    ]
    if isinstance(source.node, ast.ClassDef) and source.name not in api_page.OPAQUE:
        doc = ast.get_docstring(source.node) or ""
        names = [ast.unparse(field.target) for field in api_page.fields(source.node)]
        unknown += [name for name in names if not explained(name, doc)]
    assert not unknown


def explained(name: str, said: str) -> bool:
    return f"`{name}`" in said or name in api_page.WORDS


@pytest.mark.parametrize("source", DEFINED, ids=name_of)
def test_errors_raised_are_named(source: Source) -> None:
    unnamed = [
        f"{function.name}: {raised}"
        for function, said in functions(source)
        for raised in ours_raised(function)
        if raised not in said
    ]
    assert not unnamed


def ours_raised(function: Function) -> Iterator[str]:
    """The names of our errors that a function raises itself."""
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and node.exc:
            name = ast.unparse(node.exc).partition("(")[0]
            if isinstance(getattr(errors, name, None), type):
                yield name


def test_errors_named_on_the_page_exist() -> None:
    named = set(re.findall(r"\[(\w+)\]\(errors\.md\)", PAGE))
    assert len(named) > 8
    assert not [name for name in named if not hasattr(errors, name)]
