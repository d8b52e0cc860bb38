"""What a statement holds for: a version, an environment, an edition — and what makes it no claim.

Two statements about one thing contradict each other only where both hold. One that is an
example, or tells what used to be, claims nothing about today.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from fanshu.library.terms import fold

# Words that tell apart what the same words are said of; those of one row exclude each other.
_SCOPES: tuple[tuple[str, ...], ...] = (
    (
        r"生产|正式环境|线上|\bprod(?:uction)?\b",
        r"测试|\btest(?:ing)?\b|\bqa\b",
        r"预发|灰度|\bstaging\b|\bpre-?prod\b",
        r"集成环境|\bintegration\b",
        r"开发环境|研发环境|\bdev(?:elopment)?\b",
        r"试用|体验版|\btrial\b",
    ),
    (r"白班|日班|\bday shift\b", r"夜班|晚班|\bnight shift\b"),
    (r"(?<![\d个])工作日|\bweekdays?\b", r"节假日|周末|\bweekends?\b|\bholidays?\b"),
    (r"国内|境内|\bdomestic\b", r"国际|境外|海外|\binternational\b|\boverseas\b"),
    (
        r"社区版|免费版|基础版|\bcommunity\b|\bfree\b|\bbasic\b",
        r"标准版|\bstandard\b",
        r"专业版|高级版|\bpro(?:fessional)?\b|\bpremium\b",
        r"企业版|旗舰版|\benterprise\b",
    ),
    (
        r"主库|主节点|\bprimary\b|\bmaster\b|\bleader\b",
        r"从库|备库|从节点|\breplica\b|\bfollower\b",
    ),
)
_SCOPE = re.compile(
    "|".join(
        f"(?P<s{row}_{place}>{pattern})"
        for row, group in enumerate(_SCOPES)
        for place, pattern in enumerate(group)
    ),
    re.IGNORECASE,
)
_NUMBER = r"\d+(?:\.(?:\d+|x))"
_VERSION = re.compile(
    rf"(?<![\w.])v(\d+(?:\.(?:\d+|x))*)|(?<![\w.])({_NUMBER}+)(?=\s*(?:版|起|之前|以前))"
    rf"|(?:版本|version|release)\s*(?:为|:)?\s*v?({_NUMBER}+)|[（(]\s?({_NUMBER})\s?[)）]"
    r"|(?<![\w.])(\d+\.\d+\.\d+)(?![\w.])",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"例如|比如|譬如|示例|举例|样例|假设|假如|如下所示|\be\.g\.|\bfor (?:example|instance)\b"
    r"|\bexamples?\b|\bsample\b|\bsuppose\b|\bassum(?:e|ing)\b|\bsuch as\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"之前|以前|此前|老版本|旧版本|原先|原来|原为|旧版|曾|历史|改为|改成|调整为|调为|提高到|降低到|更改为|变更为|扩为|废止|不再"
    r"|\bpreviously\b|\bformerly\b|\bprior to\b|\bbefore\b|\bused to\b|\bearlier\b|\bno longer\b"
    r"|\bchanged? (?:from|to)\b|\b(?:increased|raised|lowered|reduced|decreased) (?:from|to)\b"
    r"|\bwas\b|\bwere\b|\bdeprecated\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=50_000)  # asked of the same trails and names again and again
def qualifiers_in(text: str) -> frozenset[str]:
    """The scopes that a text names, as `0:1` (row and place in it) and `v8.5.2`."""
    return frozenset((*_scopes(fold(text)), *(f"v{one}" for one in versions_in(text))))


def versions_in(text: str) -> Iterator[str]:
    """The versions that a text names."""
    for match in _VERSION.finditer(text):
        yield match[match.lastindex or 0].lower()


def _scopes(folded: str) -> Iterator[str]:
    for match in _SCOPE.finditer(folded):
        yield (match.lastgroup or "")[1:].replace("_", ":")


def compatible(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether what holds for the one may hold for the other: no row has different members.

    What names no member of a row may mean any: a general rule and one for production are not
    known to exclude each other, so this is False only when both name one.
    """
    for row in range(len(_SCOPES)):
        mine = {name for name in one if name.startswith(f"{row}:")}
        theirs = {name for name in other if name.startswith(f"{row}:")}
        if mine and theirs and not mine & theirs:
            return False
    mine, theirs = ({name for name in each if name[0] == "v"} for each in (one, other))
    return not (mine and theirs and not mine & theirs)


def apart(one: frozenset[str], other: frozenset[str]) -> int:
    """In how many qualifiers two statements differ, though neither excludes the other."""
    return len(one ^ other)


def is_example(text: str) -> bool:
    """Whether a text says that what it tells is an example."""
    return bool(_EXAMPLE.search(text))


def is_past(text: str) -> bool:
    """Whether a text tells of what was, or of a change."""
    return bool(_PAST.search(text))
