"""What somebody can set, call, meet or read is documented: nothing is added without its page.

The pages are generated (`scripts/docs.py --check` holds them in step). What is compared here is
found another way than there: in the running program, or in the source.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from fanshu import errors
from fanshu.agent import events
from fanshu.cli.messages import Texts
from fanshu.cli.program import program
from fanshu.settings import table

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SOURCE = ROOT / "src" / "fanshu"
VARIABLE = re.compile(r"(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+|LANG|TERM")


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def test_every_setting() -> None:
    text = page("settings.md")
    assert not [row.name for row in table() if f"| `{row.name}`" not in text]
    assert not [row.variable for row in table() if f"`{row.variable}`" not in text]


def test_every_setting_of_the_service() -> None:
    settings = pytest.importorskip("fanshu.serve.settings", reason="needs the extra `serve`")
    text = page("settings.md").partition("## The service")[2]
    assert not [name for name in settings.ServiceSettings.model_fields if f"`{name}`" not in text]


def kinds(kind: type[errors.FanshuError]) -> Iterator[type[errors.FanshuError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from kinds(child)


def test_every_error() -> None:
    text = page("errors.md")
    assert not [kind for kind in kinds(errors.FanshuError) if f"| `{kind.code}` |" not in text]
    defined = ast.parse((SOURCE / "errors.py").read_text("utf-8")).body
    classes = {node.name for node in defined if isinstance(node, ast.ClassDef)}
    assert len(classes) > 25
    assert not [name for name in classes if f"| {name} |" not in text]


def commands(command: object, words: str) -> Iterator[tuple[str, object]]:
    yield words, command
    if isinstance(command, TyperGroup):
        for name, child in command.commands.items():
            if not child.hidden:
                yield from commands(child, f"{words} {name}")


COMMANDS = dict(commands(get_command(program(Texts("en"))), "fanshu"))


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_and_option(words: str) -> None:
    sections = dict(
        re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page("cli.md"), re.MULTILINE | re.DOTALL)
    )
    assert words in sections
    options = [
        option
        for parameter in COMMANDS[words].params  # type: ignore[attr-defined]
        if parameter.param_type_name == "option" and not parameter.hidden
        for option in parameter.opts
    ]
    missing = [one for one in options if not re.search(rf"(?<!\S){one}(?![\w-])", sections[words])]
    assert not missing


def test_every_verb_is_in_both_readmes() -> None:
    for name in ("README.md", "README.zh-CN.md"):
        text = (ROOT / name).read_text("utf-8")
        verbs = [words.split()[1] for words in COMMANDS if len(words.split()) == 2]
        assert not [verb for verb in verbs if not re.search(rf"`(fanshu )?{verb}\b", text)], name


def test_every_route() -> None:
    pytest.importorskip("fastapi", reason="needs the extra `serve`")
    from scripts.http_page import description

    text = page("http.md")
    routes = {
        f"## {method.upper()} {path}\n"
        for path, methods in description()["paths"].items()
        for method in methods
    }
    assert len(routes) > 20
    assert not [route for route in routes if route not in text]


def test_every_figure_of_the_service() -> None:
    text = page("http.md")
    names = re.findall(r"\"(fanshu_\w+)\"", (SOURCE / "serve/measures.py").read_text("utf-8"))
    assert len(names) > 8
    assert not [name for name in names if f"| `{name}` |" not in text]


def test_every_event() -> None:
    in_python, over_http = page("api.md"), page("http.md")
    for kind in events.Event.__args__:  # type: ignore[attr-defined]
        assert f"### {kind.__name__}\n" in in_python
    asking = (SOURCE / "serve/routes/asking.py").read_text("utf-8")
    sent = set(re.findall(r"_event\(\"(\w+)\"", asking))
    names = re.search(r"^NAMES[^{]*\{(.*?)\}", asking, re.MULTILINE | re.DOTALL)
    assert names
    sent |= set(re.findall(r": \"(\w+)\"", names.group(1)))
    assert {"queued", "started", "step", "answer", "error"} <= sent
    assert not [name for name in sent if f"| `{name}` |" not in over_http]


def variables(module: Path) -> Iterator[str]:
    """What looks like the name of a variable, in a module that has to do with the environment."""
    text = module.read_text("utf-8")
    strings = [
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    near = "environ" in text or "Provider(" in text
    yield from (
        one for one in strings if VARIABLE.fullmatch(one) and (near or one.startswith("FANSHU_"))
    )


def test_every_variable_of_the_environment() -> None:
    found = {name for module in SOURCE.rglob("*.py") for name in variables(module)}
    assert {"FANSHU_CONFIG", "OPENAI_API_KEY", "SSL_CERT_FILE", "LC_ALL", "TERM"} <= found
    text = page("settings.md")
    assert not [name for name in found if f"`{name}`" not in text]


def test_every_tool_over_mcp_with_all_that_it_takes() -> None:
    server = pytest.importorskip("fanshu.protocol.server", reason="needs the extra `mcp`")
    rows = [
        [set(re.findall(r"`(\w+)`", cell)) for cell in row.split("|")[1:3]]
        for row in re.findall(r"^\| `.*$", page("mcp.md"), re.MULTILINE)
    ]
    for tool in server.TOOLS:
        taken = set(tool.takes.model_fields)
        assert [names for names, takes in rows if tool.name in names and takes == taken], tool.name
