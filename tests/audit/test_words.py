"""One table, two languages."""

import string

import pytest

from fanshu.audit.words import WORDS


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("key", WORDS)
def test_both_languages_say_the_same(key: str) -> None:
    english, chinese = WORDS[key]
    assert english and chinese
    assert fields(english) == fields(chinese)
