"""Where a value stands in the passage that is shown."""

import pytest

from fanshu.checkup.showing import spot
from fanshu.checkup.tokens import tokens


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("封网时间为2024年9月29日18:00至10月8日9:00。", "2024年9月29日"),
        ("保留 30 天，共 130 天。", "30 天"),
        ("端口为 8480，不是 84801。", "8480"),
    ],
)
def test_the_whole_value_is_marked(text: str, marked: str) -> None:
    value = tokens(text).figures[0]
    found = spot(text, value)
    assert found is not None
    assert text[slice(*found)] == marked
