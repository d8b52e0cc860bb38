"""The pages about chat clients: what they say to fill in is what the service takes."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from fanshu.cli.messages import Texts
from fanshu.cli.program import program
from fanshu.serve.refusals import COMPLETIONS, MODELS, speaks_openai
from fanshu.serve.settings import ServiceSettings

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted((DOCS / "clients").glob("*.md"))
ALL = [DOCS / "clients.md", *PAGES]
ADDRESS = re.compile(r"http://(?:[\w.]+|主机):(\d+)(/[\w/]*)?")


def named(pages: list[Path]) -> list[str]:
    return [page.stem for page in pages]


def test_there_is_a_page_for_each_client() -> None:
    assert named(PAGES) == ["cherry-studio", "dify", "fastgpt", "lobechat", "open-webui"]
    overview = (DOCS / "clients.md").read_text("utf-8")
    assert all(f"(clients/{page.name})" in overview for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=named(PAGES))
def test_each_says_that_it_was_not_tried_in_both_languages(page: Path) -> None:
    text = page.read_text("utf-8")
    english, _, chinese = text.partition("\n## 中文\n")
    assert "*Not tried live;" in english
    assert "*未实测；" in chinese
    for language in (english, chinese):
        assert "fanshu token create" in language
        assert "`fanshu/manuals`" in language


@pytest.mark.parametrize("page", ALL, ids=named(ALL))
def test_addresses_are_those_of_the_service(page: Path) -> None:
    found = ADDRESS.findall(page.read_text("utf-8"))
    assert found
    for port, path in found:
        assert int(port) == ServiceSettings().port
        if page.stem == "cherry-studio":  # it adds the path itself
            assert path == ""
        else:
            whole = path if path.endswith("/completions") else f"{path}/chat/completions"
            assert whole == COMPLETIONS
    assert speaks_openai("/v1/models")
    assert MODELS == "/v1/models"


@pytest.mark.parametrize("page", ALL, ids=named(ALL))
def test_commands_are_those_of_the_program(page: Path) -> None:
    whole = get_command(program(Texts("en")))
    for line in re.findall(r"fanshu (?:token|serve)[^`\n]*--[^`\n]*", page.read_text("utf-8")):
        words = shlex.split(line)[1:]
        command = whole
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]  # type: ignore[attr-defined]
        known = {name for one in command.params for name in one.opts}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_codes_are_those_that_are_sent() -> None:
    from fanshu.serve.refusals import CODES

    text = (DOCS / "clients.md").read_text("utf-8")
    assert all(f"`{code}`" in text for code in CODES.values())
