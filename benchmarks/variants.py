"""Wrong answers made from right ones, and right ones said in other words.

Every function takes a `Case` and yields variants of it. A variant is wrong, or right, by the way
it is made; nothing here asks the check what it thinks of it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from fanshu.agent.amounts import Figure, plain
from fanshu.agent.draft import DraftCitation
from fanshu.agent.claims import claims
from fanshu.agent.figures import figures
from fanshu.types import Chunk, Language

UNITS = {
    "秒": "分钟", "分钟": "小时", "小时": "天", "天": "小时", "日": "个月", "个月": "年",
    "年": "个月",
    "元": "美元", "万元": "元", "GB": "MB", "MB": "GB", "MiB": "GiB", "GiB": "MiB", "TiB": "GiB",
    "KB": "MB", "days": "hours", "minutes": "hours", "hours": "days", "seconds": "minutes",
    "%": "‰", "毫升": "升", "厘米": "毫米", "米": "厘米", "摄氏度": "%", "岁": "年", "倍": "%",
    "工作日": "日", "个工作日": "日",
}  # fmt: skip
SPELLED = {
    "秒": "秒钟", "分钟": "分", "小时": "个小时", "天": "日", "元": "块", "GB": " GB", "MB": " MB",
    "%": " %", "MiB": " MiB", "GiB": " GiB", "days": "d", "minutes": "min", "hours": "h",
    "seconds": "s", "摄氏度": "℃", "公里": "千米",
}  # fmt: skip
_DIGITS = re.compile(r"\d[\d.,]*\d|\d")
_CHINESE = "零一二三四五六七八九"
_NEGATION_CJK = re.compile(r"(?:不得|不能|不会|不可|没有|无需|不|未|无|非)(?=[\u4e00-\u9fff])")
_NEGATION_LATIN = re.compile(r"\b(?:not|never|cannot|no)\s", re.IGNORECASE)
_VERB_CJK = re.compile(
    r"(?<![不未无可])(?:支持|允许|可以|需要|应当|必须|超过|低于|包含|使用|提供|退还)"
)
_VERB_LATIN = re.compile(r"\b(is|are|can|must|should|will|does|may)\s(?!not)")
_TERM_CJK = re.compile(
    r"[\u4e00-\u9fff]{2,6}(?=市|省|县|局|厅|部门|机构|单位|公司|版)|[A-Za-z][\w.-]{2,}"
)
_TERM_LATIN = re.compile(r"\b[A-Z][A-Za-z0-9_.-]{2,}|\b[a-z]+_[a-z_]+\b")
_NEGATED = re.compile(
    r"(?:不(?![同仅但断管论过少错])|未(?![来])|禁止|严禁)(?=[\u4e00-\u9fff])"
    r"|\b(?:not|never|cannot|except|unless)\b"
)


@dataclass(frozen=True)
class Case:
    """A question with its right answer, the chunks that were read, and quotes that hold it all."""

    id: str
    question: str
    answer: str
    language: Language
    read: Mapping[str, Chunk]
    citations: tuple[DraftCitation, ...]
    corpus: str = ""
    golden: tuple[str, ...] = ()  # the quotes that show it, those of equal places too
    passages: tuple[str, ...] = ()


Variants = Iterator[Case]


def _numbers(case: Case) -> Iterator[tuple[Figure, int, int]]:
    """The numbers of an answer in digits, and where the digits begin and end in it."""
    answer = plain(case.answer)
    if answer != case.answer:  # offsets would not fit
        case = replace(case, answer=answer)
    for figure in claims(answer):
        digits = _DIGITS.match(figure.text)
        if figure.kind == "number" and digits:
            yield figure, figure.start, figure.start + digits.end()


def _put(case: Case, start: int, end: int, text: str) -> Case:
    answer = plain(case.answer)
    return replace(case, answer=answer[:start] + text + answer[end:])


def _cut(case: Case, start: int, end: int, text: str) -> Case:
    return replace(case, answer=case.answer[:start] + text + case.answer[end:])


def copied(case: Case) -> Variants:
    """Each quoted passage as the answer."""
    for passage in dict.fromkeys(case.passages):
        yield replace(case, answer=passage)


def _of_copies(make: Callable[[Case], Variants]) -> Callable[[Case], Variants]:
    def variants(case: Case) -> Variants:
        for one in copied(case):
            yield from make(one)

    return variants


def _quoted(case: Case) -> tuple[Figure, ...]:
    return tuple(one for text in case.passages for one in figures(plain(text)))


def _stands(case: Case, value: str) -> bool:
    """Whether a number stands in the quoted passages, so that swapping it in is another wrong."""
    wanted = float(value.replace(",", ""))
    return any(float(one.value) == wanted for one in _quoted(case) if one.kind == "number")


# ---------------------------------------------------------------- wrong


def figure_of_the_chunk(case: Case) -> Variants:
    """A number of the answer becomes another number of the cited chunk, not in the passage."""
    around = {
        digits[0]
        for cited in case.citations
        for one in figures(plain(case.read[cited.chunk_id].text))
        if one.kind == "number" and (digits := _DIGITS.match(one.text))
    }
    others = sorted(text for text in around if not _stands(case, text))
    for number, (_, start, end) in enumerate(_numbers(case)):
        if others:
            yield _put(case, start, end, others[number % len(others)])


def figure_of_the_passage(case: Case) -> Variants:
    """A number becomes another number of the same passages with the same unit."""
    for figure, start, end in _numbers(case):
        for one in _quoted(case):
            digits = _DIGITS.match(one.text)
            same = one.kind == "number" and one.unit == figure.unit
            if digits and same and one.value != figure.value:
                yield _put(case, start, end, digits[0])
                break


def figure_by_one(case: Case) -> Variants:
    """A number is one larger."""
    for figure, start, end in _numbers(case):
        larger = str(int(figure.value) + 1) if figure.value.denominator == 1 else "77"
        if not figure.text.startswith(("万", "亿")) and not _stands(case, larger):
            yield _put(case, start, end, larger)


def figure_of_the_question(case: Case) -> Variants:
    """The question suggests a wrong number and the answer takes it."""
    for figure, start, end in _numbers(case):
        wrong = str(int(figure.value) * 2 + 7)
        if not _stands(case, wrong):
            unit = figure.text[end - start :]
            asked = f"{case.question} 是 {wrong}{unit} 吗？"
            yield replace(_put(case, start, end, wrong), question=asked)


def unit_swapped(case: Case) -> Variants:
    """The unit of a number becomes another one."""
    for figure, _, end in _numbers(case):
        tail = plain(case.answer)[end : figure.end]
        unit = tail.strip()
        if unit in UNITS:
            at = end + tail.index(unit)
            yield _put(case, at, at + len(unit), UNITS[unit])


def negation_removed(case: Case) -> Variants:
    """A 不, 未, not of the answer is gone."""
    for match in (_NEGATION_CJK if case.language == "zh" else _NEGATION_LATIN).finditer(
        case.answer
    ):
        yield replace(case, answer=case.answer[: match.start()] + case.answer[match.end() :])


def negation_added(case: Case) -> Variants:
    """A 不 or not stands where there was none."""
    if case.language == "zh":
        for match in _VERB_CJK.finditer(case.answer):
            yield _cut(case, match.start(), match.start(), "不")
    else:
        for match in _VERB_LATIN.finditer(case.answer):
            yield _cut(case, match.end(), match.end(), "not ")


_BOUNDS = [
    ("不超过", "不低于"), ("最多", "至少"), ("至多", "至少"), ("以上", "以下"), ("以内", "以上"),
    ("不少于", "不多于"), ("大于", "小于"), ("高于", "低于"), ("no more than", "at least"),
    ("up to", "at least"), ("at most", "at least"), ("more than", "less than"),
]  # fmt: skip


def bound_swapped(case: Case) -> Variants:
    """At most becomes at least, 以上 becomes 以下."""
    for pair in _BOUNDS:
        for one, other in (pair, pair[::-1]):
            for match in re.finditer(one, case.answer):
                before = case.answer[max(0, match.start() - 12) : match.end() + 12]
                if re.search(r"\d", before):
                    yield _cut(case, match.start(), match.end(), other)


def entity_swapped(case: Case) -> Variants:
    """A name of the answer becomes another name of the cited chunks."""
    pattern = _TERM_CJK if case.language == "zh" else _TERM_LATIN
    around = {
        term
        for cited in case.citations
        for term in pattern.findall(case.read[cited.chunk_id].text)
        if term not in case.answer and not re.search(r"\A\d", term)
    }
    latin = sorted(term for term in around if term.isascii())
    han = sorted(term for term in around if not term.isascii())
    for number, match in enumerate(pattern.finditer(case.answer)):
        others = latin if match[0].isascii() else han
        if others:
            other = others[number % len(others)]
            yield _cut(case, match.start(), match.end(), other)


def quote_clipped(case: Case) -> Variants:
    """A quote begins just after the negation of its passage; the answer loses it too."""
    for at, passage in enumerate(case.passages[: len(case.citations)]):
        cited = case.citations[at]
        for match in list(_NEGATED.finditer(passage))[:1]:
            rest = re.match(r"[^。；;，,\n]{4,60}", passage[match.end() :])
            if not rest:
                continue
            clipped = replace(cited, quote=rest[0].strip())
            kept = (*case.citations[:at], clipped, *case.citations[at + 1 :])
            yield replace(case, citations=kept, answer=_claimed(rest[0]))


def _claimed(words: str) -> str:
    return words.strip(" 。；;，,.") + "。"


def computed_off(case: Case) -> Variants:
    """Arithmetic over figures of the passages, its result one too large."""
    yield from _computed(case, 1)


def _computed(case: Case, off: int) -> Variants:
    found = [one for one in _quoted(case) if one.kind == "number" and _DIGITS.fullmatch(one.key)]
    whole = [one for one in found if one.value.denominator == 1 and 1 < one.value < 10_000]
    if len(whole) > 1:
        a, b = int(whole[0].value), int(whole[1].value)
        for sign, value in (("×", a * b), ("+", a + b)):
            sentence = f"{a}{sign}{b}={value + off}"
            if not _stands(case, str(value + off)):
                yield replace(case, answer=f"{case.answer.rstrip('。.')}；{sentence}。")


WRONG: Mapping[str, Callable[[Case], Variants]] = {
    "figure of the chunk": figure_of_the_chunk,
    "figure by one": figure_by_one,
    "figure of the question": figure_of_the_question,
    "unit swapped": unit_swapped,
    "computed value off by one": computed_off,
    "figure of the passage": figure_of_the_passage,
    "bound swapped": bound_swapped,
    "bound swapped, passage copied": _of_copies(bound_swapped),
    "negation removed": negation_removed,
    "negation removed, passage copied": _of_copies(negation_removed),
    "negation added": negation_added,
    "negation added, passage copied": _of_copies(negation_added),
    "quote clipped": quote_clipped,
    "entity swapped": entity_swapped,
}


# ---------------------------------------------------------------- right, in other words


def as_it_is(case: Case) -> Variants:
    """The whole right answer."""
    yield case


def numbers_in_words(case: Case) -> Variants:
    """30日 as 三十日, 1000 as 1,000, 50% as 百分之五十."""
    for figure, start, end in _numbers(case):
        digits = plain(case.answer)[start:end]
        if not digits.isdigit() or digits.startswith("0"):
            continue
        value = int(digits)
        if value >= 1000 and figure.unit:
            yield _put(case, start, end, f"{value:,}")
        if case.language == "zh" and value < 100 and figure.unit:
            if figure.text.endswith("%"):
                yield _put(case, start, figure.end, f"百分之{in_chinese(value)}")
            elif "." not in digits and not figure.text[end - start :].strip().isascii():
                yield _put(case, start, end, in_chinese(value))


def in_chinese(value: int) -> str:
    """A number below 100 in Chinese."""
    tens, ones = divmod(value, 10)
    head = "" if tens == 0 else ("" if tens == 1 else _CHINESE[tens]) + "十"
    return (head + (_CHINESE[ones] if ones or not head else "")) or "零"


def units_spelled(case: Case) -> Variants:
    """30分钟 as 30分, 10GB as 10 GB."""
    for figure, _, end in _numbers(case):
        tail = plain(case.answer)[end : figure.end]
        unit = tail.strip()
        if unit in SPELLED:
            yield _put(case, end, figure.end, SPELLED[unit])


_DATE = re.compile(r"(\d{4})(?:年|-)(\d{1,2})(?:月|-)(\d{1,2})日?")


def dates_in_other_form(case: Case) -> Variants:
    """2024年3月1日 as 2024-03-01 and the other way round."""
    for match in _DATE.finditer(case.answer):
        year, month, day = map(int, match.groups())
        other = f"{year}-{month:02}-{day:02}" if "年" in match[0] else f"{year}年{month}月{day}日"
        yield _cut(case, match.start(), match.end(), other)


def as_a_list(case: Case) -> Variants:
    """The sentences as numbered items, with bold marks and citation marks."""
    parts = [part for part in re.split(r"(?<=[。；;])|(?<=\.)\s", case.answer) if part.strip()]
    if len(parts) > 1:
        yield replace(case, answer="\n".join(f"{n}. {p.strip()}" for n, p in enumerate(parts, 1)))
        yield replace(
            case, answer="\n".join(f"- {p.strip()} [{n}]" for n, p in enumerate(parts, 1))
        )
        yield replace(case, answer="".join(f"（{n}）{p.strip()}" for n, p in enumerate(parts, 1)))


def in_another_order(case: Case) -> Variants:
    """The sentences the other way round."""
    parts = [part for part in re.split(r"(?<=[。；;])|(?<=\.)\s", case.answer) if part.strip()]
    if len(parts) > 1:
        yield replace(case, answer=" ".join(part.strip() for part in reversed(parts)))


def places_named(case: Case) -> Variants:
    """With the ids and file names of what is cited."""
    cited = case.citations[0]
    chunk = case.read[cited.chunk_id]
    said = {"zh": ("见", "，", "出自"), "en": ("see", ", ", "from")}[case.language]
    yield replace(case, answer=f"{case.answer}（{said[0]} {cited.chunk_id}）")
    yield replace(case, answer=f"{said[2]} {chunk.file_path}：{case.answer}")
    if chunk.section_path:
        yield replace(case, answer=f"{chunk.section_path[-1]}：{case.answer}")


def quotes_whole(case: Case) -> Variants:
    """Whole passages quoted instead of pieces."""
    kept = tuple(
        replace(one, quote=passage)
        for one, passage in zip(case.citations, case.passages, strict=True)
    )
    yield replace(case, citations=kept)


def computed_right(case: Case) -> Variants:
    """Right arithmetic over figures of the passages."""
    yield from _computed(case, 0)


RIGHT: Mapping[str, Callable[[Case], Variants]] = {
    "as it is": as_it_is,
    "numbers in other form": numbers_in_words,
    "units in other form": units_spelled,
    "dates in other form": dates_in_other_form,
    "as a list": as_a_list,
    "in another order": in_another_order,
    "places named": places_named,
    "whole passages quoted": quotes_whole,
    "passage copied": copied,
    "arithmetic shown": computed_right,
}
