"""Every code can be said, in both languages, and its cure names settings that exist."""

import re
import string
from pathlib import Path

import pytest

from fanshu.doctor import checks, examination, stores
from fanshu.doctor.symptom_words import SYMPTOM_WORDS
from fanshu.doctor.symptoms import SYMPTOMS
from fanshu.doctor.words import WORDS
from fanshu.settings import Settings

DOCS = Path(__file__).resolve().parents[2] / "docs"
NAMED = re.compile(r"`([a-z_]+)`")


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("code", WORDS)
def test_both_languages_say_the_same(code: str) -> None:
    for english, chinese in WORDS[code]:
        assert bool(english) == bool(chinese)
        assert fields(english) == fields(chinese)
        assert set(NAMED.findall(english)) == set(NAMED.findall(chinese))


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=lambda symptom: symptom.code)
def test_a_cure_names_real_settings(symptom: object) -> None:
    words = SYMPTOM_WORDS[symptom.code]  # type: ignore[attr-defined]
    settings = symptom.settings  # type: ignore[attr-defined]
    assert set(settings) == set(NAMED.findall(words.cure[0]))
    assert set(settings) <= set(Settings.model_fields)
    assert words.cause[0]


@pytest.mark.parametrize("code", WORDS)
def test_whatever_is_named_like_a_setting_is_one(code: str) -> None:
    assert set(NAMED.findall(WORDS[code].cure[0])) <= set(Settings.model_fields)


def test_the_page_has_a_row_for_every_symptom_in_both_languages() -> None:
    page = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    assert set(SYMPTOM_WORDS) == {symptom.code for symptom in SYMPTOMS}
    for code, words in SYMPTOM_WORDS.items():
        rows = [line for line in page.splitlines() if line.endswith(f"| `{code}` |")]
        assert len(rows) == 2
        assert words.cure[0] in rows[0]
        assert words.cure[1] in rows[1]


def test_no_code_is_left_over() -> None:
    sources = "".join(
        Path(str(room.__file__)).read_text(encoding="utf-8")
        for room in (checks, examination, stores)
    )
    assert not [code for code in WORDS if code not in SYMPTOM_WORDS and f'"{code}"' not in sources]
