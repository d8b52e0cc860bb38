"""How the command line ends: codes, one line an error, languages, encodings, pipes."""

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from fanshu.cli import program
from fanshu.cli.examples import EXAMPLES
from fanshu.cli.messages import Texts
from fanshu.cli.wrapping import columns
from fanshu.types import Language
from tests.cli.conftest import Fanshu
from tests.waiting import PATIENCE


def verbs_of(room: str) -> tuple[str, ...]:
    app = typer.Typer()
    importlib.import_module(f"fanshu.cli.{room}").add(app, Texts("en"))
    named = [one.name or one.callback.__name__ for one in app.registered_commands if one.callback]
    return (*named, *(group.name or "" for group in app.registered_groups))


@pytest.mark.parametrize("room", program.ROOMS)
def test_every_verb_is_known_before_its_module_is_loaded(room: str) -> None:
    assert sorted(program.ROOMS[room]) == sorted(verbs_of(room))


def fanshu_process(*arguments: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """A real process: encodings, pipes and signals are no business of this one."""
    command = [sys.executable, "-m", "fanshu", *arguments]
    return subprocess.run(command, capture_output=True, env={**os.environ, **env}, timeout=PATIENCE)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["outlin"], "Did you mean 'outline'?"),
        (["search"], "Missing argument"),
        (["search", "x", "--nope"], "No such option: --nope"),
        (["search", "x", "-k", "many"], "-k"),
        (["search", "x", "-k", "0"], "-k"),
        (["ask", "x", "--max-rounds", "11"], "max_rounds"),
        (["ask", "  "], "QUESTION"),
        (["ask", "x", "--base-url", "http://127.0.0.1:9/v1"], "--model"),
        (["ask", "x", "--model", "nobody:nothing"], "nobody"),
        (["trace", "show", "../../etc/passwd"], "no trace"),
        (["search", "x", "--config", "none.toml"], "none.toml"),
        (["search", "x", "--language", "fr"], "language"),
        (["--nope"], "--nope"),
    ],
)
def test_a_wrong_call_is_one_line_and_2(fanshu: Fanshu, arguments: list[str], said: str) -> None:
    result = fanshu(*arguments)
    assert result.code == 2
    assert result.out == ""
    assert said in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["outlin"], "没有命令 'outlin'，是不是 'outline'？参见 `fanshu --help`。"),
        (["search"], "缺少参数 'WORDS'。参见 `fanshu search --help`。"),
        (["search", "x", "--docz", "3"], "没有选项 --docz（可能是 --docs）。参见"),
        (["search", "x", "-k", "0"], "'-k' 的值有误：不能小于 1。参见"),
        (["read", "a", "b"], "多余的参数：b。参见"),
        (["ask", "x", "--max-rounds", "99"], "有误：不能大于 10（来自 --max-rounds）。参见"),
        (["read", "手册.md#2", "--next", "--prev"], "值有误：--next 和 --prev 不能同时使用。参见"),
        (["read", "手册.md#99"], "没有段落 '手册.md#99'。手册.md 有段落 #1 到 #3。"),
        (["search", "x", "--path", "qqqq"], "没有与 'qqqq' 相符的文档或文件夹。\n"),
        (["ask", "x", "--model", "openai:x"], "没有设置模型 'openai:x' 的密钥。请设置"),
        (["ask", "x", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"], "无法连接模型 'm'"),
    ],
)
def test_chinese_messages_are_chinese_throughout(
    fanshu: Fanshu, arguments: list[str], said: str
) -> None:
    result = fanshu(*arguments, "--language", "zh")
    assert result.code == 2
    assert said in result.err
    assert "。 " not in result.err


def test_help_is_in_one_language(fanshu: Fanshu) -> None:
    for verb in (["search"], ["purge"], ["eval", "run"], ["trace", "list"]):
        shown = fanshu(*verb, "--help", "--language", "zh").out
        assert "用法：fanshu" in shown
        assert "显示本说明。" in shown
        assert not re.search(r"Options:|Arguments:|default|required|Show this", shown)


def test_a_range_ends_with_a_full_stop(fanshu: Fanshu) -> None:
    assert "equal to 1. See `fanshu search --help`." in fanshu("search", "x", "-k", "0").err


def test_without_a_verb_help_is_shown(fanshu: Fanshu) -> None:
    result = fanshu()
    assert "search" in result.out
    assert result.code == 2


def test_version(fanshu: Fanshu) -> None:
    import fanshu as package

    result = fanshu("--version")
    assert (result.code, result.out) == (0, f"fanshu {package.__version__}\n")


@pytest.mark.parametrize("verb", ["ask", "search", "read", "outline", "index", "status"])
def test_help_of_every_verb_has_an_example_and_fits(
    fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    for language in ("en_US.UTF-8", "zh_CN.UTF-8"):
        monkeypatch.setenv("LANG", language)
        result = fanshu(verb, "--help")
        assert result.code == 0
        assert f"fanshu {verb}" in result.out
        assert "--docs" in result.out
        assert "…" not in result.out


def commands(command: Any, path: str = "fanshu") -> Iterator[tuple[str, Any]]:
    inside = getattr(command, "commands", None)
    if path != "fanshu":
        yield path, command
    for name, one in (inside or {}).items():
        yield from commands(one, f"{path} {name}")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_command_has_an_example_of_itself(language: Language) -> None:
    for path, command in commands(get_command(program.program(Texts(language)))):
        example = EXAMPLES.get(path) or (command.help or "").rpartition("\n\n")[2]
        assert path in example, path
    assert not set(EXAMPLES) - {
        path for path, _ in commands(get_command(program.program(Texts(language))))
    }


def test_the_verbs_in_front_stand_in_their_order_with_examples(fanshu: Fanshu) -> None:
    front = fanshu("--help").out.partition("More:")[0].partition("Commands:")[2]
    rows = [row.split()[0] for row in front.splitlines() if row[2:3].strip()]
    assert rows == list(program.FRONT)
    assert all(f" fanshu {verb} " in front for verb in program.FRONT)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_example_stands_whole_on_the_page_of_its_group(
    fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = fanshu("--help", "--language", language).out.splitlines()
    assert 'eval "$(fanshu completion bash)"' in map(str.strip, shown)
    stores = fanshu("--language", language, "store", "--help").out
    assert EXAMPLES["fanshu store copy"] in " ".join(stores.split())
    assert "import" not in stores  # a command that a text mentions is no example


@pytest.mark.parametrize("width", ["20", "40", "200"])
def test_help_fits(fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    monkeypatch.setenv("FANSHU_LANGUAGE", "zh")
    shown = fanshu("--help").out
    assert "查找含有这些词的位置" in re.sub(r"\n +", "", shown)
    assert max(map(columns, shown.splitlines())) <= max(int(width), 20)


def test_the_second_row_of_verbs_is_under_more(fanshu: Fanshu) -> None:
    front, more = fanshu("--help").out.split("More:")
    assert "outline" in front
    assert "trace" in more
    assert "config" in more


def test_common_options_stand_on_every_verb(fanshu: Fanshu, docs: Path) -> None:
    common = ["--docs", str(docs), "--exclude", "*.bak", "--model", "x:y", "--json"]
    assert fanshu("search", "超时", *common).code == 0
    assert fanshu("status", *common).code == 0
    assert fanshu("config", *common).json["settings"]["model"]["value"] == "x:y"


def test_messages_follow_the_locale_and_the_setting(
    fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "There is no folder" in fanshu("search", "x", "--docs", "nope").err
    assert "没有文件夹" in fanshu("search", "x", "--docs", "nope", "--language", "zh").err
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "没有文件夹" in fanshu("search", "x", "--docs", "nope").err
    assert "节" in fanshu("search", "超时").out
    monkeypatch.setenv("FANSHU_LANGUAGE", "en")
    assert "There is no folder" in fanshu("search", "x", "--docs", "nope").err


def test_what_was_dropped_is_said_once_and_json_stays_clean(fanshu: Fanshu) -> None:
    Path("fanshu.toml").write_text('model = "openai:gpt-5"\nbase_url = "http://evil.test"')
    result = fanshu("search", "超时", "--json")
    assert result.json["hits"]
    assert result.err.count("\n") == 1
    assert "model, base_url ignored" in result.err


def test_config_shows_values_origins_and_no_secrets(
    fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FANSHU_API_KEY", "sk-very-secret")
    monkeypatch.setenv("FANSHU_BASE_URL", "http://user:secret@127.0.0.1:9/v1?key=secret")
    text, document = fanshu("config"), fanshu("config", "--max-rounds", "3", "--json")
    assert "secret" not in text.out + document.out
    settings = document.json["settings"]
    assert settings["max_rounds"] == {
        "value": 3,
        "origin": "flag",
        "variable": "FANSHU_MAX_ROUNDS",
    }
    assert settings["api_key"]["origin"] == "environment"
    assert settings["hits"]["origin"] == "default"


def test_a_misspelt_variable_is_pointed_out(
    fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fanshu("config").err == ""
    monkeypatch.setenv("FANSHU_MODLE", "x")
    assert "FANSHU_MODLE" in fanshu("config").err


def test_control_characters_of_documents_do_not_reach_a_terminal() -> None:
    from fanshu.cli.screen import without_controls

    assert without_controls("a\x1b[31mb\x07\tc\n") == "a[31mb\tc\n"
    assert without_controls("rtl\u202egnp.md\u2066") == "rtlgnp.md"


def test_search_imports_no_provider_code(docs: Path) -> None:
    code = (
        "import sys; from fanshu.cli.program import run;"
        f"code = run(['search', '超时', '--docs', {str(docs)!r}]);"
        "print(code, [n for n in ('pydantic_ai', 'openai', 'httpx2', 'rich') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.stdout.splitlines()[-1] == "0 []", done.stderr


@pytest.mark.parametrize(
    "arguments", [["frob"], ["search"], ["search", "x", "-k", "0"], ["search", "x", "--nope"]]
)
def test_wrong_arguments_with_json_are_a_document(fanshu: Fanshu, arguments: list[str]) -> None:
    result = fanshu(*arguments, "--json")
    assert result.code == 2
    assert result.json["error"] == "usage"
    assert result.json["message"] in result.err


def test_json_as_a_word_is_no_option(fanshu: Fanshu) -> None:
    assert fanshu("search", "--nope", "--", "--json").out == ""


def test_output_survives_gbk(docs: Path) -> None:
    (docs / "emoji.md").write_text("# 状态\n\n部署成功 ✅ 🚀 naïve\n", encoding="utf-8")
    done = fanshu_process("search", "部署", "--docs", str(docs), PYTHONIOENCODING="gbk")
    assert done.returncode == 0, done.stderr
    assert "部署成功" in done.stdout.decode("gbk")
    as_json = fanshu_process(
        "search", "部署", "--docs", str(docs), "--json", PYTHONIOENCODING="gbk"
    )
    (hit,) = json.loads(as_json.stdout.decode("gbk"))["hits"]
    assert "✅ 🚀" in hit["text"]


def test_output_survives_ascii(docs: Path) -> None:
    done = fanshu_process("outline", "--docs", str(docs), "--json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)[2]["file_path"] == "手册.md"
    assert fanshu_process("outline", "--docs", str(docs), PYTHONIOENCODING="ascii").returncode == 0


def test_a_closed_pipe_is_no_failure(docs: Path) -> None:
    rows = "\n\n".join(f"## 超时 {number}\n\n超时 {number} 说明" for number in range(3000))
    (docs / "long.md").write_text(f"# 长\n\n{rows}", encoding="utf-8")
    command = f"{sys.executable} -m fanshu outline --docs '{docs}' --json | head -c 10"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=PATIENCE)  # noqa: S602
    assert done.stderr == b""
    assert len(done.stdout) == 10
    left = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert left.returncode == 0


def test_closed_streams_are_no_failure(docs: Path) -> None:
    command = f"{sys.executable} -m fanshu outline --docs '{docs}' >&- 2>&-"
    assert subprocess.run(command, shell=True, timeout=PATIENCE).returncode == 0  # noqa: S602


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="optional: needs /dev/full")
@pytest.mark.parametrize("more", ["", "--json"])
def test_output_that_finds_no_room_is_said_in_one_line(docs: Path, more: str) -> None:
    command = f"{sys.executable} -m fanshu outline --docs '{docs}' {more} > /dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=PATIENCE, check=False)  # noqa: S602
    assert done.returncode == 2
    assert done.stderr.startswith(b"The output cannot be written: ")
    assert done.stderr.count(b"\n") == 1


def test_an_unexpected_failure_is_one_line(fanshu: Fanshu, home: Path) -> None:
    (home / "data" / "fanshu").mkdir(parents=True)
    (home / "data" / "fanshu" / "indexes").write_text("a file where a folder should be")
    result = fanshu("search", "超时")
    assert result.code == 2
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["search", "-verbose"], "fanshu search -- -verbose"),
        (["search", "the", "-verbose", "mode"], "fanshu search the -- -verbose mode"),
        (["search", "-e 5", "--json"], "fanshu search --json -- '-e 5'"),
        (["ask", "--depth=3", "x"], "fanshu ask -- --depth=3 x"),
        (["search", "--nope", "--", "x"], "fanshu search -- --nope x"),
    ],
)
def test_a_word_that_looks_like_an_option_goes_after_dashes(
    fanshu: Fanshu, arguments: list[str], command: str
) -> None:
    assert command in fanshu(*arguments).err
    chinese = fanshu(*arguments[:1], "--language", "zh", *arguments[1:])
    assert "请放在 -- 之后" in chinese.err
    assert chinese.code == 2


def test_the_command_that_is_named_works(fanshu: Fanshu, docs: Path) -> None:
    (docs / "options.md").write_text("Start it with -verbose to see more.\n", encoding="utf-8")
    assert "options.md" in fanshu("search", "--", "-verbose").out


def test_what_cannot_be_an_option_is_text(fanshu: Fanshu, docs: Path) -> None:
    (docs / "cold.md").write_text("低于 -25 度时不启动，见 -甲 型。\n", encoding="utf-8")
    for words in (["-25", "度"], ["-25 度"], ["-甲", "--json"], ["不启动", "-25", "-k", "1"]):
        result = fanshu("search", *words)
        assert (result.code, result.err) == (0, "")
        assert "cold.md" in result.out
    assert fanshu("search", "-25", "--nope").code == 2


def test_every_verb_of_the_first_page_has_an_example_without_the_other_language(
    fanshu: Fanshu,
) -> None:
    page = fanshu("--help", "--language", "en").out
    verbs = [verb for room in program.ROOMS.values() for verb in room]
    assert not [verb for verb in verbs if f"fanshu {verb}" not in page]
    assert not re.search("[\u4e00-\u9fff]", page)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--language", "zh", "--help"],
        ["--language=zh", "ask", "--help"],
        ["--language", "zh", "trace", "--help"],
        ["--language", "zh", "trace", "list", "--help"],
        ["--language", "zh", "completion", "--help"],
    ],
)
def test_the_language_may_stand_before_the_verb(fanshu: Fanshu, arguments: list[str]) -> None:
    assert fanshu(*arguments).out.startswith("用法：fanshu ")


@pytest.mark.parametrize(
    ("verb", "usage"),
    [
        ("ask", "QUESTION..."),
        ("read", "CHUNK_ID"),
        ("outline", "[PATH]"),
        ("serve", "[[NAME=]FOLDER]..."),
        ("check", "[DIR]..."),
        ("approve", "{RUN|QUESTION}..."),
    ],
)
def test_usage_has_no_brackets_that_say_nothing(fanshu: Fanshu, verb: str, usage: str) -> None:
    first = fanshu(verb, "--help", "--language", "en").out.splitlines()[0]
    assert first == f"Usage: fanshu {verb} [OPTIONS] {usage}"
