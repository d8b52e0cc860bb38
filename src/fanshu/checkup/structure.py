"""What is wrong with how a file is built: order of headings, sections without content."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fanshu.checkup.numbers import Number, of_heading
from fanshu.types import Chunk

LONG = 15_000  # characters of a section: more than a person reads at one go, or a model is given
LEAST_BODY = 6  # characters after a heading in its line before it says anything
MOST_NUMBER = 200  # a heading that begins with a larger number begins with a year, or a port
LEAST_SIBLINGS = 3  # numbered headings below one parent before their order says anything
CHECKED_LEVELS = (".md", ".markdown", ".html", ".htm", ".docx", ".mdx")  # which have levels

_PLACEHOLDER = re.compile(
    r"[\s（(【\[*_~<!-]*(?:TODO|TBD|TBC|FIXME|WIP|coming soon"
    r"|to be (?:written|added|done|completed)"
    r"|待补充?|待完善|待定|待更新|待填写?|未完待续|暂无(?:内容)?|略|此处省略|填写.{0,6}内容)"
    r"[\s）)】\]*_~>。.…!-]*",
    re.IGNORECASE,
)
_PICTURE = re.compile(
    r"!\[[^\]\n]*\]\([^)\n]*\)|!\[\[[^\]\n]+\]\]|<img\b[^>]*>|</?(?:p|div|figure|center|br)\b[^>]*>",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[，。；！？]")  # a heading of a text file that is a whole statement
_TEMPLATE = re.compile(r"templates?\b|模[板版]|样例", re.IGNORECASE)  # a file to be filled in
_RULES = re.compile(r"[\s#=*_>-]+")


@dataclass(frozen=True, slots=True)
class Heading:
    """A section as its file orders it. `size` is that of all its parts, `body` what its first
    part holds besides the heading: nothing, a placeholder, pictures, text.
    """

    chunk_id: str
    trail: tuple[str, ...]
    level: int
    size: int
    body: str

    @property
    def title(self) -> str:
        """Its own heading."""
        return self.trail[-1] if self.trail else ""


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong at a heading: the code and values of a finding."""

    code: str
    chunk_id: str
    term: str
    sure: float
    before: str = ""
    from_level: int = 0
    to_level: int = 0
    count: int = 0


def body_of(chunk: Chunk) -> str:
    """What a section holds: `empty`, `placeholder`, `pictures` or `text`."""
    title = chunk.section_path[-1] if chunk.section_path else ""
    first, _, rest = chunk.text.strip().partition("\n")
    if title and not _only_title(first, title):
        return "text"
    rest = re.sub(r"^[=-]{2,}\s*$", "", rest, count=1, flags=re.MULTILINE)
    bare = rest.strip()
    if not bare:
        return "empty"
    if _PLACEHOLDER.fullmatch(bare):
        return "placeholder"
    without = _PICTURE.sub("", bare)
    if without != bare and not _RULES.sub("", without):
        return "pictures"
    return "text"


def _only_title(line: str, title: str) -> bool:
    if line.startswith("#"):
        return True
    bare, wanted = (re.sub(r"[\W_]+", "", one) for one in (line, title))
    return len(bare) <= len(wanted) and len(line) <= len(title) + LEAST_BODY


def flaws(headings: Sequence[Heading], suffix: str) -> Iterator[Flaw]:
    """Everything wrong with the sections of a file, given in order."""
    if headings and not _TEMPLATE.search(headings[0].chunk_id):
        yield from _bodies(headings, listed=suffix == ".txt")
    if suffix in CHECKED_LEVELS:
        yield from _jumps(headings)
    yield from _numbers(headings)


def _bodies(headings: Sequence[Heading], *, listed: bool) -> Iterator[Flaw]:
    """`listed`: a line that begins with a number may be an item, not a heading."""
    titles = Counter(one.title for one in headings)
    for at, one in enumerate(headings):
        following = headings[at + 1] if at + 1 < len(headings) else None
        if at == 0 or not one.title or titles[one.title] > 1:
            continue  # the title of the file; a line of a table of contents
        if listed and (_is_item(one) or (following and _is_item(following))):
            continue
        yield from _body(one, leaf=not following or following.level <= one.level)


def _body(one: Heading, *, leaf: bool) -> Iterator[Flaw]:
    if one.body == "empty" and leaf and not _SENTENCE.search(one.title):
        yield Flaw("empty", one.chunk_id, one.title, 0.7)
    elif one.body == "placeholder" and leaf:
        yield Flaw("placeholder", one.chunk_id, one.title, 0.85)
    elif one.body == "pictures" and leaf:
        yield Flaw("pictures", one.chunk_id, one.title, 0.5)
    if one.size > LONG:
        yield Flaw("long", one.chunk_id, one.title, 0.4, count=one.size)


def _is_item(one: Heading) -> bool:
    number = of_heading(one.title)
    return number is not None and number[0] in ("listed", "bracketed", "plain1")


def _jumps(headings: Sequence[Heading]) -> Iterator[Flaw]:
    leveled = [one for one in headings if one.title]
    for one, other in pairwise(leveled):
        if other.level > one.level + 1 and one.level >= 1:
            yield Flaw(
                "jump", other.chunk_id, other.title, 0.6, from_level=one.level, to_level=other.level
            )


# ---------------------------------------------------------------- numbering


def _numbers(headings: Iterable[Heading]) -> Iterator[Flaw]:
    """Numbers below one parent in one style; articles are counted through a whole file."""
    runs: dict[tuple[str, tuple[str, ...]], list[tuple[Number, Heading]]] = {}
    for one in headings:
        found = of_heading(one.title)
        if found is None or max(found[1]) > MOST_NUMBER:
            continue
        style, number = found
        parent = () if style == "article" else one.trail[:-1]
        prefix = str(number[:-1]) if len(number) > 1 else ""
        runs.setdefault((style + prefix, parent), []).append((number, one))
    for run in runs.values():
        if len(run) >= LEAST_SIBLINGS and not _falling(run):
            yield from _steps(run)


def _falling(run: Sequence[tuple[Number, Heading]]) -> bool:
    """Whether newest comes first, as in release notes."""
    falls = sum(two[0] < one[0] for one, two in pairwise(run))
    return falls * 2 > len(run) - 1


def _steps(run: Sequence[tuple[Number, Heading]]) -> Iterator[Flaw]:
    seen: dict[Number, Heading] = {}
    highest: tuple[Number, Heading] | None = None
    irregular = sum(_last(b[0]) - _last(a[0]) not in (0, 1) for a, b in pairwise(run))
    steady = irregular * 4 <= len(run)  # else the numbers mean something else
    for number, one in run:
        if number in seen and seen[number].body == "empty":
            seen[number] = one  # a table of contents, or the number of a heading without text
        elif number in seen:
            same = one.title == seen[number].title
            yield Flaw("twice", one.chunk_id, _number(one), 0.6 if same else 0.85)
        elif highest and number < highest[0]:
            yield Flaw("back", one.chunk_id, _number(one), 0.8, before=_number(highest[1]))
        elif highest and steady and _last(number) > _last(highest[0]) + 1:
            yield Flaw("gap", one.chunk_id, _number(one), 0.6, before=_number(highest[1]))
        seen.setdefault(number, one)
        if highest is None or number > highest[0]:
            highest = number, one


def _last(number: Number) -> int:
    return number[-1]


def _number(one: Heading) -> str:
    """How a heading begins: its number, and a little of its text."""
    return one.title if len(one.title) <= 24 else f"{one.title[:23]}…"
