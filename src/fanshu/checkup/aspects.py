"""What is said of a subject: its default, its upper bound, its recommended value.

Two values contradict each other only in the same aspect: "at most 10" and "default 5" do not.
"""

import re
from typing import Final

DEFAULT: Final = "default"
MAXIMUM: Final = "maximum"
MINIMUM: Final = "minimum"
RECOMMENDED: Final = "recommended"
VALUE: Final = "value"
SET: Final = "set"  # what somebody is told to set, or did set: an example more often than a rule

_WORDS = {
    DEFAULT: r"默认|缺省|预设|\bdefaults?\b",
    MAXIMUM: (
        r"最大|最高|最长|上限|最多|至多|不超过|不得超过|不能超过|不多于|不高于|不大于|以内|以下"
        r"|\bmax(?:imum)?\b|\bat most\b|\bup to\b|\b(?:no|not) more than\b|\bexceed|\blimit\b"
    ),
    MINIMUM: (
        r"最小|最低|最短|下限|至少|最少|不少于|不低于|不小于|不得少于|不得低于|以上"
        r"|\bmin(?:imum)?\b|\bat least\b|\b(?:no|not) less than\b|\bor (?:later|higher|more)\b"
    ),
    RECOMMENDED: r"推荐|建议|\brecommended\b|\bsuggested\b",
}
_NAMED = "|".join(f"(?P<{name}>{words})" for name, words in _WORDS.items())
ASPECT = re.compile(_NAMED, re.IGNORECASE)
_SETTING = re.compile(
    r"值|取值|参数值|设置|设置值|设定|配置|value|setting|set to|is|are|=|:|为|是", re.IGNORECASE
)


def aspect_in(text: str) -> str | None:
    """The aspect that a text names, as `default` in `默认值为`; None when it names none, or two."""
    found = {match.lastgroup for match in ASPECT.finditer(text)}
    return found.pop() if len(found) == 1 else None


def aspect_of_column(header: str) -> str:
    """The aspect that a column of a table gives: a named one, `value`, or the header itself."""
    named = aspect_in(header)
    if named:
        return named
    bare = header.strip().lower()
    return VALUE if _SETTING.fullmatch(bare) else bare
