"""References to chapters, articles, sections, tables, figures and attachments that are not there.

Only what a reader could know: a number is missed where the file numbers such things at all, and
a document is looked into where one of its name is in the library.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fanshu.checkup.mentions import OWN, Mention, captioned
from fanshu.checkup.numbers import Number, of_heading
from fanshu.library.dating import edition, named_edition
from fanshu.library.terms import fold

LEAST_NUMBERED = 3  # headings of one kind that make a file one that numbers them
BEYOND, BETWEEN = 0.85, 0.6  # how sure: a number after the last one, one that is left out
CAPTION, ALONE = 0.8, 0.35  # a figure missing beside others, and where the file has none
UNKNOWN_TITLE = 0.2  # a document that may lie elsewhere: too little to be told
MOST_TITLES_FOUND = 0.6  # … unless most documents that are named are in the library
HEADING = 0.65
OF_BOOKS = frozenset({"chapter", "section", "part", "appendix"})  # which a book's files share
LEAST_NAME = 4  # characters of a name that may stand for a longer one
_NOISE = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Dangling:
    """A mention whose place does not exist. `where`: the file that lacks it."""

    chunk_id: str
    mention: Mention
    where: str
    sure: float


class Places:
    """What exists: numbered headings and captions of each file, titles of all."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], set[Number]] = defaultdict(set)
        self._titles: dict[str, set[str]] = defaultdict(set)
        self._headings: set[str] = set()
        self._of_unit: dict[str, set[Number]] = defaultdict(set)

    def add_file(self, file_path: str, title: str) -> None:
        """A document by its name and title."""
        for name in (edition(file_path, None).key, named_edition(title).key, bare(title)):
            if name:
                self._titles[name].add(file_path)
                self._titles[re.sub(r"^\d+", "", name)].add(file_path)

    def add_heading(self, file_path: str, heading: str) -> None:
        """A heading of a file."""
        self._headings.add(bare(heading))
        found = of_heading(heading)
        if found:
            style, number = found
            unit = "section" if style.startswith("plain") else style
            self._numbers[file_path, unit].add(number)
            self._of_unit[unit].add(number)
            if style == "plain1":  # `4. Backup` is chapter 4 to who refers to it
                self._numbers[file_path, "chapter"].add(number)
                self._of_unit["chapter"].add(number)

    def add_defined(self, file_path: str, defined: Iterable[tuple[str, Number]]) -> None:
        """Captions and attachments that begin in a file."""
        for unit, number in defined:
            self._numbers[file_path, unit].add(number)
            self._of_unit[unit].add(number)

    def missing(self, file_path: str, chunk_id: str, mention: Mention) -> Dangling | None:
        """What is wrong with a mention, None when nothing is, as far as anybody can know."""
        if mention.unit == "document":
            found = self.files_called(mention.document or "")
            return None if found else Dangling(chunk_id, mention, "", UNKNOWN_TITLE)
        if mention.unit == "heading":
            there = self._has_heading(mention.heading)
            return None if there else Dangling(chunk_id, mention, file_path, HEADING)
        if mention.document is None:
            return None
        files = [file_path] if mention.document == OWN else self.files_called(mention.document)
        judged = [self._lacks(path, mention) for path in files]
        if not judged or any(sure == 0 for sure in judged):
            return None
        return Dangling(chunk_id, mention, files[0], min(judged))

    def files_called(self, title: str) -> list[str]:
        """The files that a title means: of that name, or with it in theirs."""
        wanted = named_edition(title).key or bare(title)
        if not wanted:
            return []
        if exact := self._titles.get(wanted) or self._titles.get(bare(title)):
            return sorted(exact)
        near = [paths for name, paths in self._titles.items() if _one_name(name, wanted)]
        return sorted(set().union(*near)) if near else []

    def _anywhere(self, file_path: str, unit: str) -> set[Number]:
        """What other files number, where a file is a part of a book: its numbers begin later."""
        known = self._numbers.get((file_path, unit), set())
        if any(number[0] == 1 for number in known):
            return set()
        return {one for one in self._of_unit[unit] if len(one) > 1 or unit in OF_BOOKS}

    def _has_heading(self, heading: str) -> bool:
        wanted = bare(heading)
        return not wanted or any(wanted in one for one in self._headings)

    def _lacks(self, file_path: str, mention: Mention) -> float:
        """How sure it is that a file lacks a number; 0 when it has it, or numbers no such thing."""
        known = self._numbers.get((file_path, mention.unit), set())
        if mention.number in known or (mention.number[:1] in known and captioned(mention.unit)):
            return 0.0
        if mention.document == OWN and mention.number in self._anywhere(file_path, mention.unit):
            return 0.0
        if captioned(mention.unit):
            if not mention.sent:
                return 0.0
            return CAPTION if known else ALONE
        alike = {one for one in known if len(one) == len(mention.number)}
        if len(alike) < LEAST_NUMBERED:
            return 0.0
        if mention.unit in ("section", "chapter", "part") and not mention.sent:
            return 0.0
        return BEYOND if mention.number > max(alike) else BETWEEN


def _one_name(name: str, wanted: str) -> bool:
    """Whether two names differ by who made the document: 澄石科技差旅管理办法, 差旅管理办法."""
    shorter, longer = sorted((name, wanted), key=len)
    return len(shorter) >= LEAST_NAME and longer.endswith(shorter)


def bare(text: str) -> str:
    """A title for comparing: folded, without spaces and punctuation."""
    return _NOISE.sub("", fold(text))


def dangling(places: Places, mentions: Sequence[tuple[str, str, Mention]]) -> Iterator[Dangling]:
    """All mentions (file, chunk, mention) whose place does not exist."""
    found = [places.missing(file, chunk_id, one) for file, chunk_id, one in mentions]
    named = [one for _, _, one in mentions if one.unit == "document"]
    unknown = sum(1 for one in found if one and one.mention.unit == "document")
    mostly = bool(named) and unknown <= len(named) * (1 - MOST_TITLES_FOUND)
    for one in found:
        if one and one.mention.unit == "document" and mostly:
            yield Dangling(one.chunk_id, one.mention, one.where, HEADING)
        elif one:
            yield one
