"""What a question asks for: its parts, and the kind of thing that would answer each of them.

Plain signs of Chinese and English questions, and the shape of what answers them. Where the signs
say nothing, the words alone decide.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fanshu.library.terms import fold, is_cjk
from fanshu.models.extractive_kinds import GROUPS, KINDS, VALUES, Kind, unit_of

PARTS = 3  # of a question that are looked up each for itself
AROUND = 2  # characters that a cut of the index leaves on a question word: 设为 of 设为多少
BARE_WORDS = 4  # of an English query that is no question: more make a sentence
BARE_CHARS = 10  # … of a Chinese one

_PART = re.compile(
    r"[?？；;。]|，(?=又|再|另|同时|如果)|以及|, (?=and |what |which |how )"
    r"| and (?=what |which |how |when |who |where |why )"
)
_ASKS_IN_ENGLISH = re.compile(
    r"\b(?:what|which|how|when|who|whose|where|why|is|are|does|do|can|must|should|will|may)\b",
    re.IGNORECASE,
)
_ASKS = re.compile("多少|几|谁|哪|什么|怎|如何|为何|多[久长大高远]|吗|是否|能不能|能否")
_SEVERAL = re.compile(
    r"分别|各自|各[是为有占需]|不同|区别|对比|比较|相比|两[个种份者]|\b(?:compare|both|each"
    r"|respectively|versus|vs|differ\w*)\b"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A part of a question: its `text`, the `kinds` of thing that it asks for.

    `shape` finds, in folded text, what answers it; None where anything may. `unit`: the same with
    the unit that was named. `signs`: the words that say so. `old`: an earlier state is asked for.
    `several`: the same is asked of several things.
    """

    text: str
    kinds: frozenset[Kind]
    shape: re.Pattern[str] | None
    unit: re.Pattern[str] | None
    signs: tuple[str, ...] = ()
    old: bool = False
    several: bool = False

    def named_in(self, header: str) -> bool:
        """Whether the header of a table has a column for what is asked: 原因, 地址."""
        return any(kind in self.kinds and sign.search(header) for kind, sign, _ in KINDS)

    def only_asks(self, word: str) -> bool:
        """Whether a word is a sign of the asking, in Chinese with a character or two around it."""
        folded = fold(word)
        if not is_cjk(folded):
            return any(folded in sign.split() for sign in self.signs)
        left = folded
        for sign in self.signs:
            left = "" if folded in sign else left.replace(sign, "")
        return left != folded and len(left) <= AROUND

    @property
    def value(self) -> bool:
        """Whether it asks for one value, which a passage holds or not."""
        return bool(self.kinds & VALUES)

    @property
    def group(self) -> bool:
        """Whether a whole list answers it rather than a single item."""
        return bool(self.kinds & GROUPS) and not self.value


def asked(text: str) -> Asked:
    """What a part of a question asks for, by its wording alone."""
    folded = fold(text).strip()
    found: list[tuple[Kind, re.Pattern[str]]] = [
        (kind, shape) for kind, sign, shape in KINDS if sign.search(folded)
    ]
    kinds = {kind for kind, _ in found}
    if "frequency" in kinds:
        kinds -= {"duration"}
    if kinds & {"duration", "frequency"}:
        kinds -= {"number"}
    if kinds & VALUES:
        kinds -= {"definition", "list", "consent"}
    if not kinds and _is_bare(folded):
        kinds = {"topic"}
    shapes = [shape.pattern for kind, shape in found if kind in kinds and shape.pattern]
    return Asked(
        text,
        frozenset(kinds),
        re.compile("|".join(shapes)) if shapes else None,
        unit_of(folded),
        tuple(sign[0] for _, looked, _ in KINDS for sign in looked.finditer(folded)),
        bool(_OLD.search(folded)),
        bool(_SEVERAL.search(folded)),
    )


def _is_bare(folded: str) -> bool:
    """Whether a text is a few words rather than a question: 出差住宿标准."""
    if is_cjk(folded):
        return len(folded) <= BARE_CHARS
    return len(folded.split()) <= BARE_WORDS


def parts_of(question: str) -> list[str]:
    """The parts of a question that are looked up each for itself; at least one."""
    pieces = [piece.strip(" ,，、\n") for piece in _PART.split(question)]
    parts = [piece for piece in pieces if len(piece) >= (4 if is_cjk(piece) else 12)]
    parts = [clause for part in _asking(parts) for clause in _clauses(part)]
    return [question] if len(parts) < 2 else parts[:PARTS]


def _asking(parts: Sequence[str]) -> list[str]:
    """Parts that ask something; what only says more of one stays with it."""
    kept: list[str] = []
    for part in parts:
        asks = _ASKS.search(part) or _ASKS_IN_ENGLISH.search(part)
        if kept and not asks:
            kept[-1] += f"，{part}" if is_cjk(part) else f", {part}"
        else:
            kept.append(part)
    return kept


def _clauses(part: str) -> list[str]:
    """The clauses of a part that ask something each; one that asks nothing stays with the next."""
    clauses: list[str] = []
    before = ""
    for clause in part.split("，"):
        before = f"{before}，{clause}" if before else clause
        if _ASKS.search(clause):
            clauses.append(before)
            before = ""
    if before and clauses:
        clauses[-1] += f"，{before}"
    return clauses or [part]


# ---------------------------------------------------------------- words about the asking

# Words that say what is asked of a thing rather than which thing: they weigh little, are no names
# when no document holds them, and are the same in both languages.
_ALIKE = (
    "default|defaults|默认|缺省",
    "maximum|max|longest|largest|highest|最大|最多|最长|最高|上限|不超过|at most|up to",
    "minimum|min|smallest|shortest|lowest|最小|最少|最低|至少|不少于|不低于|at least",
    "mean|means|meaning|definition|意思|含义|表示",
    "value|values|值|取值",
    "allowed|permitted|允许|可以",
    "supported|supports|support|支持",
    "time|duration|时间|时长",
    "error|code|错误码|报错|错误",
    "address|ip|url|地址",
    "changed|difference|different|变更|区别|不同",
    "steps|step|procedure|步骤|流程",
    "required|require|requires|requirement|requirements|要求|必填|必须",
    "limit|limits|限制|上限",
    "reason|cause|原因",
    "phone|telephone|电话",
    "purpose|用途|作用",
)
_VAGUE = frozenset(
    "need needed needs use used using happen happens happened occur occurs still currently now"
    " through via possible possibly long fast quickly soon old name fix solve handle kind sort"
    " thing things work works exactly actually list show tell explain describe"
    " 情况 规定 目前 现在 解决 处理 发生 出现 需要 使用 内容 方面 东西 问题".split()
)
_GROUP_OF = {word: group.split("|") for group in _ALIKE for word in group.split("|")}


def is_general(word: str) -> bool:
    """Whether a word says what is asked of a thing, or nothing, rather than which thing."""
    folded = fold(word)
    return folded in _GROUP_OF or folded in _VAGUE


def alike(word: str) -> Sequence[str]:
    """The wordings in both languages of a word that says what is asked; empty for any other."""
    return _GROUP_OF.get(fold(word), ())


def other_wordings(words: Sequence[str]) -> Iterator[str]:
    """For words about the asking, those of the other language, first the most usual."""
    for word in words:
        same = [one for one in alike(word) if is_cjk(one) != is_cjk(word)]
        yield from same[:1]


_OLD = re.compile(
    r"以前|原来|原先|旧版?|过去|历史|之前的?版本|老版|修订前|变化|不同|区别|对比|比较|改了|改成"
    r"|\b(?:previous(?:ly)?|former(?:ly)?|old(?:er)?|used to|earlier|compare|changed?"
    r"|differ\w*)\b"
)


def wants_old(question: str, date: str | None) -> bool:
    """Whether a question asks for an earlier version: in words, or by the year of one."""
    year = (date or "")[:4]
    return bool(_OLD.search(fold(question))) or bool(year and year in question)
