"""READMEs and guide tell the truth: blocks marked `<!-- run -->` give the output shown, and the
English and the Chinese README have the same structure."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
README = {"README.md": "C.UTF-8", "README.zh-CN.md": "zh_CN.UTF-8"}
RUN = "<!-- run -->"
PAGES = {
    **README,
    **{
        path.relative_to(ROOT).as_posix(): "C.UTF-8"
        for path in sorted((ROOT / "docs").rglob("*.md"))
        if RUN in path.read_text("utf-8")
    },
}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARKED = re.compile(
    r"^<!-- run -->\n```(\w+)\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL
)
STEP = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def shown(name: str) -> list[tuple[list[str], str]]:
    """Every command of the marked blocks with the output below it."""
    pairs = []
    for language, body, output in MARKED.findall(text_of(name)):
        if language == "python":
            pairs.append(([sys.executable, "-c", body], output))
        else:
            pairs += [(["sh", "-c", command], said) for command, said in STEP.findall(body)]
    return pairs


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One index for all pages, since making it takes longer than asking."""
    return str(tmp_path_factory.mktemp("index"))


def output_of(command: list[str], locale: str, index: str) -> str:
    environ = {
        **os.environ,
        "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]]),
        "LC_ALL": locale,
        "PYTHONUTF8": "1",
        "FANSHU_INDEX": index,
    }
    # An index that an example makes in the working folder goes where the others are.
    command = [part.replace('"index.db"', repr(f"{index}/own.db")) for part in command]
    run = subprocess.run(
        command, cwd=ROOT, env=environ, capture_output=True, text=True, encoding="utf-8"
    )
    assert run.stderr == ""
    return run.stdout


@pytest.mark.parametrize(("name", "locale"), PAGES.items())
def test_blocks_give_the_output_shown(name: str, locale: str, index: str) -> None:
    commands = shown(name)
    assert len(commands) >= text_of(name).count(RUN) >= 1
    for command, said in commands:
        assert output_of(command, locale, index).rstrip() == said.rstrip(), command


@pytest.mark.parametrize("name", README)
def test_it_says_when_not_to_use_it_with_numbers(name: str) -> None:
    section = re.split(r"^## ", text_of(name), flags=re.MULTILINE)[3]
    limits = re.findall(r"^- \*\*.+$", section, re.MULTILINE)
    assert len(limits) >= 5
    assert "docs/performance.md" in section
    measured = text_of("docs/performance.md")
    for figure in re.findall(r"\d+,\d+", section):
        assert figure in measured


def test_both_have_the_same_structure() -> None:
    english, chinese = (structure(text_of(name)) for name in README)
    assert english == chinese


def test_both_lead_to_the_same_places() -> None:
    english, chinese = (links(text_of(name)) for name in README)
    assert english == [re.sub(r"-zh\.png$", "-en.png", target) for target in chinese]


def links(text: str) -> list[str]:
    """The targets of links and pictures in their order, but for those to the other README."""
    targets = re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", text))
    return [target for target in targets if target not in README]


def structure(text: str) -> list[str]:
    """Headings by level, blocks by language and commands, tables by columns, list items."""
    prose = BLOCK.sub(block_shape, text)
    shapes = (line_shape(line) for line in prose.splitlines())
    return [shape for shape in shapes if shape]


def block_shape(block: re.Match[str]) -> str:
    language, body = block.groups()
    commands = re.findall(r"^(?:\$ )?((?:fanshu|pip) .+)$", body, re.MULTILINE)
    words = [command_shape(command) for command in commands]
    return "block " + " ".join([language, *words])


def command_shape(command: str) -> str:
    first, second, *rest = shlex.split(command, comments=True)
    return " ".join([first, second, *(word for word in rest if word.startswith("-"))])


def line_shape(line: str) -> str:
    if line.startswith("|"):
        code = re.findall(r"`[^`]+`", line.split("|")[1])
        return f"row {line.count('|')} {code}"
    mark = re.match(r"#+ |- |\d\. |block .*|<!-- run -->", line)
    return mark.group() if mark else ""


@pytest.mark.parametrize("name", PAGES)
def test_commands_and_settings_named_exist(name: str) -> None:
    options = set(re.findall(r"--[a-z-]+", (ROOT / "docs/cli.md").read_text("utf-8")))
    variables = set(re.findall(r"FANSHU_[A-Z_]+", (ROOT / "docs/settings.md").read_text("utf-8")))
    text = text_of(name)
    assert set(re.findall(r"(?<!\w)--[a-z][a-z-]*", text)) <= options
    assert set(re.findall(r"FANSHU_[A-Z_]+", text)) <= variables
