"""docs/mcp.md tells the truth: each form can be read, each command line is one that fanshu takes."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from fanshu.cli.messages import Texts
from fanshu.cli.program import program
from fanshu.protocol.arguments import CheckAnswer
from fanshu.protocol.server import TOOLS
from fanshu.serve.mounting import PATH
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "mcp.md").read_text("utf-8")
BLOCK = re.compile(
    r"^<!-- (stdio|http|command) -->\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
BLOCKS = BLOCK.findall(PAGE)
SERVERS = ("mcpServers", "servers", "context_servers", "mcp_servers")
PROGRAMS = (
    "Claude Desktop",
    "Claude Code",
    "Cursor",
    "VS Code",
    "Windsurf",
    "Zed",
    "Cline",
    "Codex",
    "Gemini CLI",
    "Cherry Studio",
)


def servers(kind: str) -> Iterator[dict[str, Any]]:
    """What each block of a kind says of the server `fanshu`."""
    for named, language, text in BLOCKS:
        if named == kind:
            told = tomllib.loads(text) if language == "toml" else json.loads(text)
            (key,) = (name for name in SERVERS if name in told)
            yield told[key]["fanshu"]


def accepted(arguments: list[str]) -> bool:
    """Whether fanshu's own parser takes a command line; nothing is run."""
    group = get_command(program(Texts("en"), arguments[0]))
    name, command, rest = group.resolve_command(  # type: ignore[attr-defined]
        group.make_context("fanshu", list(arguments), resilient_parsing=True), list(arguments)
    )
    command.make_context(name, rest)
    return True


def test_the_common_programs_are_there_with_both_ways() -> None:
    headings = re.findall(r"^### (.+)$", PAGE, re.MULTILINE)
    assert [one for one in PROGRAMS if one not in headings] == []
    assert len(list(servers("stdio"))) >= len(PROGRAMS)
    assert len(list(servers("http"))) >= len(PROGRAMS) - 1  # Claude Desktop's is a click


def test_what_agents_start_is_a_command_that_fanshu_takes() -> None:
    for server in servers("stdio"):
        assert server["command"] == "fanshu"
        assert server["args"][0] == "mcp"
        assert accepted(server["args"])


def test_addresses_are_those_of_the_service() -> None:
    for server in servers("http"):
        (address,) = (
            v for k, v in server.items() if k in ("url", "serverUrl", "httpUrl", "baseUrl")
        )
        assert address == f"http://127.0.0.1:8765{PATH}"
        told = server.get("headers", {}).get("Authorization") or server["bearer_token_env_var"]
        assert told.startswith(("Bearer ", "FANSHU_"))


def test_commands_of_other_programs_end_in_one_of_ours() -> None:
    lines = [line for kind, _, text in BLOCKS if kind == "command" for line in text.splitlines()]
    assert len(lines) >= 3
    for line in lines:
        words = shlex.split(line)
        if "--" in words:
            ours = words[words.index("--") + 1 :]
            assert ours[0] == "fanshu"
            assert accepted(ours[1:])
        else:
            assert f"http://127.0.0.1:8765{PATH}" in words


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_form_in_the_readme_is_accepted(name: str) -> None:
    text = Path(ROOT / name).read_text("utf-8")
    (form,) = re.findall(r'^\{"mcpServers".*\}$', text, re.MULTILINE)
    assert accepted(json.loads(form)["mcpServers"]["fanshu"]["args"])


def test_every_tool_and_argument_is_documented() -> None:
    for tool in TOOLS:
        (row,) = (
            line
            for line in PAGE.splitlines()
            if line.startswith("|") and f"`{tool.name}`" in line.split("|")[1]
        )
        for argument in tool.takes.model_fields:
            assert f"`{argument}`" in row, (tool.name, argument)


def test_the_example_of_a_check_is_understood() -> None:
    (text,) = re.findall(r'^```json\n(\{\n  "answer".*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
    given = CheckAnswer.model_validate(json.loads(text))
    assert given.citations[0].cited.place == "manual.md#2"
