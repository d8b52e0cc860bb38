"""Parameters with their values: rows of tables, `name: value`, sentences that give a default."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fanshu.agent.amounts import Figure, plain
from fanshu.agent.figures import figures
from fanshu.agent.units import UNITS, stated_units
from fanshu.checkup import aspects
from fanshu.checkup.qualifiers import is_past, qualifiers_in
from fanshu.checkup.tokens import may_hold_figures, words_of
from fanshu.library.passages import PassageKind
from fanshu.library.terms import CJK, fold

MOST_CELLS = 24  # of a row; a wider table is data
CELL_CHARS = 40  # a value is short; a longer cell is a description
NEAR = 60  # characters between a name and its figure
MOST_CHARS = 400  # of a sentence looked at
SPECIFIC_CHARS = (
    7  # `lease`, `level` and `max_id` are names of many things, `max_connections` of one
)
NAMED_WORDS = 12  # between a name and its figure where an aspect is named
ASPECT_WORDS = 5  # between a name and its figure; more is a sentence about something else
LABEL_CHARS = 5  # a label of fewer Chinese characters is said of many things

_NAME = re.compile(
    r"`((?:(?:GET|POST|PUT|DELETE|PATCH) /)?[A-Za-z][\w.\-/\[\]{}]{0,80})`"
    r"|(?<![\w./-])([A-Za-z](?=[A-Za-z0-9.-]*_)[A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+)(?![\w(])"
    r"|(?<![\w./-])(--?[a-z][a-z0-9]+(?:-[a-z0-9]+)+)"
)
_PARTED = re.compile(r"[_./-]|(?<=[a-z])(?=[A-Z])")
_LABEL = re.compile(rf"[{CJK}A-Za-z][{CJK}\w .（）()/-]{{1,30}}")
_PAIR = re.compile(
    r"[\s>]*(?:[-*+•·]\s+|\d+[.、]\s*)?[`*\"]{0,3}(?P<name>[^\n:：=|`*\"]{2,40})[`*\"]{0,3}"
    r"\s*[:：=]\s*(?P<value>[^\n]{1,60})"
)
_CLAUSE = re.compile(r"[，。；;？！\n]|,(?=\s)|\.(?=\s)")
_SETS = re.compile(r"设置?[为成]|设成|调整?[为到]|调[大小高低]|=|\bset\b|\bto\b", re.IGNORECASE)
_FORMULA = re.compile(r"[<>{}$;\"']|==|[A-Za-z]\(")
_BULLET = re.compile(r"\A[\s>]*[-*+•·]\s+")
_TIMES = re.compile(r"[*×+/]\s*\[?\s*$")  # 20 * `name` (60 s): the value is not that of the name
_COMPARES = re.compile(r"[大小高低多少等超达]")
_EMPTY_ASPECT = re.compile(r"[值设置定配参数取]+|set|equal|valu|configur")
_ENDINGS = re.compile(r"(?:期|时间|时长|值|数|数量|量)$")
_COMMENTED = re.compile(
    r"\s*[\"']?(?P<name>[A-Za-z][\w.-]{1,60})[\"']?\s*[:=][^#\n]*?(?:#|//)(?P<said>.*)"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value with its subject and aspect, folded. `specific`: the name is of one thing only."""

    subject: str
    aspect: str
    value: Figure
    specific: bool
    qualifiers: frozenset[str] = frozenset()


def parameters(
    text: str, kind: PassageKind, lead: str, trail: Sequence[str]
) -> Iterator[Parameter]:
    """The parameters that a passage gives. `lead`: the header row, or what announces the list."""
    if kind == "row":
        yield from _of_row(text, lead)
    elif kind == "code":
        yield from _of_comment(text)
    elif not is_past(text):
        pair = _PAIR.fullmatch(text)
        found = list(_of_pair(pair, trail)) if pair else []
        yield from found or _unambiguous(_of_sentence(text))


# ---------------------------------------------------------------- rows


def cells(row: str) -> list[str]:
    """The cells of a table row, of Markdown or of extracted text."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")][:MOST_CELLS]


def _of_row(text: str, lead: str) -> Iterator[Parameter]:
    columns, row = cells(lead), cells(text)
    if not lead or len(row) < 2 or len(columns) != len(row):
        return
    subject, specific = name_in(row[0])
    if not subject:
        return
    unit = _unit_column(columns, row)
    for column, cell in zip(columns[1:], row[1:], strict=True):
        value = None if is_past(cell) else value_of(f"{cell} {unit}" if unit else cell)
        if value:
            aspect = aspects.aspect_of_column(fold(column))
            counted = _with_unit(value, column)
            yield Parameter(subject, aspect, counted, specific, qualifiers_in(column))


def _with_unit(value: Figure, column: str) -> Figure:
    """A bare number with the unit that its column states: 超时（秒）."""
    stated = stated_units(column)
    bare = value.kind == "number" and not value.unit
    return replace(value, unit=stated[0]) if stated and bare else value


def _unit_column(columns: Sequence[str], row: Sequence[str]) -> str:
    for column, cell in zip(columns, row, strict=True):
        if fold(column) in ("单位", "unit", "units") and cell in UNITS:
            return cell
    return ""


def value_of(cell: str) -> Figure | None:
    """The one value that a cell holds; None when it holds none, or more than a value."""
    if not cell or len(cell) > CELL_CHARS or not may_hold_figures(cell):
        return None
    said = plain(cell).strip()
    found = [one for one in figures(said) if not one.idle]
    if len(found) != 1 or found[0].kind == "identifier":
        return None
    rest = said[: found[0].start] + said[found[0].end :]
    return found[0] if len(rest.strip(" \"'()~≤≥<>.。")) <= 4 else None


def name_in(cell: str) -> tuple[str, bool]:
    """(folded name, whether it is specific) of a cell or heading; empty when it names nothing."""
    match = _NAME.match(cell.strip())
    if match:
        return _named(match)
    label = _LABEL.fullmatch(cell.strip("*` "))
    if not label:
        return "", False
    folded = " ".join(fold(label[0]).split())
    return folded, False


def _named(match: re.Match[str]) -> tuple[str, bool]:
    written = match[match.lastindex or 0]
    specific = len(written) >= SPECIFIC_CHARS and bool(_PARTED.search(written.lstrip("-")))
    return _folded(written), specific


def _folded(name: str) -> str:
    """A name for comparing; a flag of a command is another thing than a setting of its name."""
    bare = name.lstrip("-")
    return ("--" if bare != name else "") + fold(bare).replace("-", "_")


# ---------------------------------------------------------------- pairs, sentences


def _of_pair(pair: re.Match[str], trail: Sequence[str]) -> Iterator[Parameter]:
    value = value_of(pair["value"].rstrip(" ,;。；，`"))
    if not value:
        return
    name = pair["name"].strip()
    aspect = aspects.aspect_in(name)
    if aspect and trail and len(aspects.ASPECT.sub("", name).strip()) <= 1:
        subject, specific = name_in(trail[-1])  # `- 默认值：10` below the heading of a parameter
        if subject:
            yield Parameter(subject, aspect, value, specific)
        return
    subject, specific = name_in(name)
    if subject:
        aspect = aspects.SET if "=" in pair[0] else aspects.VALUE
        if value.kind != "date" or not subject.isascii():  # create_time: 2022-12-14 is an example
            yield Parameter(subject, aspect, value, specific)


def _of_comment(line: str) -> Iterator[Parameter]:
    """`read_timeout: 30  # default 60`: values in code are examples, but comments tell."""
    match = _COMMENTED.match(line[:MOST_CHARS])
    if match and not is_past(match["said"]):
        found = _unambiguous(_of_sentence(f"`{match['name']}` {match['said']}"))
        yield from (
            one
            for one in found
            if one.aspect in (aspects.DEFAULT, aspects.MAXIMUM, aspects.MINIMUM)
        )


def _of_sentence(text: str) -> Iterator[Parameter]:
    """`name` … aspect … figure, in one clause, or with the only name of the sentence before it."""
    text = _BULLET.sub("", text[:MOST_CHARS])
    names = [(match.end(), *_named(match)) for match in _NAME.finditer(text)]
    if not names:
        return
    marked = _NAME.sub(lambda match: f" \ue000{match[match.lastindex or 0]}\ue001 ", text)
    said = plain(re.sub(r" {3,}", "  ", marked))  # targets of links are blank by now
    behind = 0
    for figure in figures(said):
        if figure.idle or figure.kind == "identifier":
            continue
        between = said[max(behind, figure.start - NEAR) : figure.start]
        behind = figure.end
        yield from _from_words(between, said[: figure.start], figure, names)


def _from_words(
    between: str, before: str, figure: Figure, names: Sequence[tuple[int, str, bool]]
) -> Iterator[Parameter]:
    clause = _CLAUSE.split(between)[-1]
    named, mark, rest = clause.rpartition("\ue001")
    inside = re.findall("\ue000([^\ue000\ue001]+)\ue001", before)
    if not inside or (not mark and len(set(inside)) > 1):
        return
    subject = _folded(inside[-1])
    specific = next((specific for _, name, specific in names if name == subject), False)
    aspect = _aspect(named.partition("\ue000")[0], rest, bool(mark))
    if aspect and not (aspect == aspects.VALUE and figure.kind == "date"):
        yield Parameter(subject, aspect, figure, specific)


def _aspect(before: str, rest: str, mark: bool) -> str | None:
    """The aspect by the words before a name and those between it and its figure."""
    if _FORMULA.search(rest) or rest.strip().startswith("[") or _TIMES.search(before):
        return None
    words = sum(1 for _ in words_of(rest))
    if aspects.ASPECT.search(rest):
        return aspects.aspect_in(rest) if words <= NAMED_WORDS else None
    if words <= ASPECT_WORDS and aspects.ASPECT.search(before):
        return aspects.aspect_in(before)
    if rest.rstrip().endswith(("(", "[", ",")):
        return None
    if mark and _SETS.search(rest):
        return aspects.SET
    return _aspect_from(rest) if mark else None


def _unambiguous(found: Iterable[Parameter]) -> Iterator[Parameter]:
    """Parameters of which a sentence gives one value."""
    given: dict[tuple[str, str], list[Parameter]] = {}
    for one in found:
        given.setdefault((one.subject, one.aspect), []).append(one)
    yield from (held[0] for held in given.values() if len(held) == 1)


def _aspect_from(words: str) -> str | None:
    """The aspect that the words between a name and its figure give: 的有效期为 → 有效."""
    found = list(words_of(words))
    if len(found) > ASPECT_WORDS:
        return None
    joined = _EMPTY_ASPECT.sub("", _ENDINGS.sub("", "".join(found)))
    if not joined:
        return aspects.VALUE
    return None if joined.isascii() or _COMPARES.search(joined) else joined
