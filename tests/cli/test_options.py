"""What `with_settings` makes of a verb."""

import inspect
import json

import pytest
import typer
from typer.main import get_command

from fanshu.cli.options import Call, with_settings
from fanshu.settings import Settings


def outcome(*arguments: str, verb: object) -> int:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(verb)  # type: ignore[type-var]
    return int(get_command(app).main(list(arguments), standalone_mode=False))


def test_options_are_made_from_the_table() -> None:
    seen: list[Settings] = []

    @with_settings("docs", "max_rounds", "trace", "deadline")
    def verb(call: Call, word: str = "x") -> None:
        seen.append(call.settings)

    assert list(inspect.signature(verb).parameters)[:5] == [
        "word", "docs", "max_rounds", "trace", "deadline",
    ]  # fmt: skip
    arguments = ["--docs", "a", "-d", "B=b", "--max-rounds", "3", "--no-trace", "--deadline", "2.5"]
    assert outcome(*arguments, verb=verb) == 0
    (settings,) = seen
    assert settings.docs == ("a", "B=b")
    assert (settings.max_rounds, settings.trace, settings.deadline) == (3, False, 2.5)


def test_a_key_has_no_flag() -> None:
    assert "api_key" not in inspect.signature(with_settings("api_key")(lambda call: 0)).parameters


def test_the_code_of_a_verb_is_the_exit_code() -> None:
    assert outcome(verb=with_settings()(lambda call: 3)) == 3


def test_ctrl_c_in_a_verb_is_said_and_130(capsys: object) -> None:
    @with_settings()
    def verb(call: Call) -> int:
        raise KeyboardInterrupt

    assert outcome("--language", "zh", verb=verb) == 130
    assert capsys.readouterr().err == "已中断。\n"  # type: ignore[attr-defined]


def test_ctrl_c_with_json_is_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    @with_settings()
    def verb(call: Call) -> int:
        raise KeyboardInterrupt

    assert outcome("--json", verb=verb) == 130
    assert json.loads(capsys.readouterr().out)["error"] == "interrupted"
