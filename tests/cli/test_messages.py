"""One table, two languages: the same keys, the same fields, every error."""

import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from fanshu import errors
from fanshu.cli import messages
from fanshu.cli.meanings import SETTINGS_ZH
from fanshu.cli.messages import ERRORS_ZH, MESSAGES, Texts, language_of
from fanshu.settings import table


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def all_errors(kind: type[errors.FanshuError]) -> Iterator[type[errors.FanshuError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from all_errors(child)


@pytest.mark.parametrize("key", MESSAGES)
def test_both_languages_say_the_same(key: str) -> None:
    english, chinese = MESSAGES[key]
    assert english and chinese
    assert fields(english) == fields(chinese)


def test_no_message_is_left_over() -> None:
    folder = Path(messages.__file__).parent
    rooms = (path for path in folder.glob("*.py") if path.name != "messages.py")
    source = "".join(path.read_text(encoding="utf-8") for path in rooms)
    composed = set(re.findall(r"""f["'](\w+)\.\{""", source))
    unused = {
        k
        for k in MESSAGES
        if not re.search(f"[\"']{k}[\"']", source) and k.partition(".")[0] not in composed
    }
    assert not unused


@pytest.mark.parametrize("kind", list(all_errors(errors.FanshuError)), ids=lambda kind: kind.code)
def test_every_error_can_be_said_in_chinese(kind: type[errors.FanshuError]) -> None:
    message, hint = ERRORS_ZH[kind.code]
    assert fields(message) == fields(kind.message)
    assert fields(hint) <= fields(kind.hint) | fields(kind.message)
    assert bool(hint) == bool(kind.hint)


def test_every_setting_is_explained_in_chinese() -> None:
    assert list(SETTINGS_ZH) == [row.name for row in table()]


def test_an_error_is_one_line_in_each_language() -> None:
    error = errors.ModelTimeout(model="ollama:qwen3", seconds=120.0)
    assert "within 120 seconds" in Texts("en").error(error)
    assert "120 秒" in Texts("zh").error(error)
    broken = errors.ConfigError(name="docs", detail="two\nlines")
    assert "\n" not in Texts("en").error(broken)


@pytest.mark.parametrize(
    ("setting", "environment", "language"),
    [
        ("zh", {"LANG": "en_US.UTF-8"}, "zh"),
        ("en", {"LANG": "zh_CN.UTF-8"}, "en"),
        ("auto", {"LANG": "zh_CN.UTF-8"}, "zh"),
        ("auto", {"LANG": "zh_TW.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ("auto", {"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN"}, "zh"),
        ("auto", {"LANG": "de_DE.UTF-8"}, "en"),
        ("auto", {"LANG": "en_US.UTF-8", "FANSHU_LANGUAGE": "zh"}, "zh"),
    ],
)
def test_language_of_messages(
    monkeypatch: pytest.MonkeyPatch, setting: str, environment: dict[str, str], language: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "FANSHU_LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert language_of(setting) == language


def test_names_are_no_words() -> None:
    error = errors.FolderMissing(path="empty")
    assert "'empty'" in Texts("zh").error(error)
    assert "'empty'" in Texts("zh").sentence(str(error))


@pytest.mark.parametrize("kind", list(all_errors(errors.FanshuError)), ids=lambda kind: kind.code)
def test_an_error_that_comes_as_its_sentence_is_known(kind: type[errors.FanshuError]) -> None:
    if kind.message == errors.FanshuError.message:
        return
    names = {"detail"} | fields(kind.message) | fields(kind.hint)
    given = {name: 3.0 if name == "seconds" else "x y" for name in names}
    error = errors.FanshuError(**given)
    english = error.say(kind.message, kind.hint)
    chinese = "".join(part.format(**given) for part in ERRORS_ZH[kind.code])
    assert Texts("zh").sentence(english) == chinese
    assert Texts("en").sentence(english) == english


@pytest.mark.parametrize(
    ("reason", "english", "chinese"),
    [
        ("needs_ocr: page 1 empty", "no text layer: page 1 empty", "没有文字层：第 1 页无文字"),
        ("page 2 by OCR; pages 3-5 empty", None, "第 2 页由 OCR 识别；第 3-5 页无文字"),
        ("corrupt: bad header", "damaged: bad header", "文件损坏：bad header"),
        ("2 skipped, 1 no text", None, "2 个跳过，1 个无文字"),
        ("whatever it is", None, "whatever it is"),
        ("A_KEY or B_KEY or FANSHU_API_KEY", None, "A_KEY、B_KEY 或 FANSHU_API_KEY"),
        ("There is a user 'lin' already.", None, "已有用户 'lin'。"),
    ],
)
def test_reasons_in_both_languages(reason: str, english: str | None, chinese: str) -> None:
    assert Texts("en").detail(reason) == (english or reason)
    assert Texts("zh").detail(reason) == chinese
