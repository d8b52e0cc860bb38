"""Which claims contradict each other, and how surely.

The hard part is to know that two claims speak of one thing. A careful reader looks at what
differs besides the value: where it stands, what it holds for, and each other word.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from fanshu.checkup import aspects
from fanshu.checkup.alignment import align, differing
from fanshu.checkup.claims import Claim
from fanshu.checkup.parameters import LABEL_CHARS
from fanshu.checkup.qualifiers import apart, compatible
from fanshu.checkup.values import comparable, differ
from fanshu.library.dating import edition
from fanshu.library.parsers.numbering import ARTICLE

HIGH, MEDIUM = 0.75, 0.45  # words for how sure a finding is
SPECIFIC = 0.9  # a parameter of a specific name has two values in one aspect
LABELLED = 0.7  # … of a label of several words
SET = 0.4  # what one is told to set in two places
VAGUE = 0.25  # less where nothing says that the value is a default or a bound
GENERAL = 0.4  # … of a word that several things may have
QUALIFIED = 0.15  # less for each qualifier that only one side has
UNIT_ONLY = 0.55  # of it, where only the unit is another: 256 MB and 256 MiB
ITEMS = 0.4  # of it, for items of two lists: what a list is about stands above it
ITEM = 0.6  # … for an item and a sentence on its own
SAME_FILE = 0.4  # of it, for two statements of one file: they tell of their sections
ARTICLES = 0.3  # … and of its articles
SAME = 0.95  # two statements alike in all but the value
ADDED = 0.03  # less for each word that only one of them has
AMID = 0.06  # … and again where the other has words of its own, too
MOST_RIVALS = 40  # claims that share a word; a word of more says nothing about a subject


def contradicts(one: Claim, other: Claim) -> float:
    """How sure it is that two claims cannot both hold, from 0 (they may) to 1.

    Symmetric. Editions of one document do not contradict: the newer one replaces the older.
    """
    if one.form != other.form or not _can_meet(one, other):
        return 0.0
    if not comparable(one.value, other.value) or not differ(one.value, other.value):
        return 0.0
    sure = _of_statements(one, other) if one.form == "statement" else _of_names(one, other)
    sure *= UNIT_ONLY if one.value.value == other.value.value and one.value.unit else 1.0
    return max(0.0, sure - QUALIFIED * apart(one.qualifiers, other.qualifiers)) if sure else 0.0


def _can_meet(one: Claim, other: Claim) -> bool:
    """Whether two claims may hold at once: not in one passage, scopes and editions agree."""
    return (
        (one.chunk_id, one.passage) != (other.chunk_id, other.passage)
        and compatible(one.qualifiers, other.qualifiers)
        and not _parallel(one, other)
        and not editions_of_one(one.file_path, other.file_path)
    )


def editions_of_one(one: str, other: str) -> bool:
    """Whether two paths are those of two versions of one document."""
    if one == other:
        return False
    mine, theirs = edition(one, None), edition(other, None)
    return bool(mine.family) and mine.family == theirs.family and mine.name != theirs.name


def _parallel(one: Claim, other: Claim) -> bool:
    """Whether two sections of a file have one name under different parents: parts of two things."""
    mine, theirs = one.section_path, other.section_path
    same_file = one.file_path == other.file_path
    return same_file and mine != theirs and mine[-1:] == theirs[-1:] and bool(mine)


def _of_names(one: Claim, other: Claim) -> float:
    if one.subject != other.subject or one.aspect != other.aspect:
        return 0.0
    if one.aspect == aspects.SET:
        return SET if one.specific else 0.0
    if one.specific:
        return SPECIFIC - (VAGUE if one.aspect == aspects.VALUE else 0.0)
    place = one.file_path == other.file_path and one.section_path == other.section_path
    long = (len(one.subject) >= LABEL_CHARS and not one.subject.isascii()) or " " in one.subject
    return 0.0 if place else LABELLED if long else GENERAL


def _of_statements(one: Claim, other: Claim) -> float:
    """Laid side by side, these two figures and no others must differ."""
    if one.file_path == other.file_path and one.section_path == other.section_path:
        return 0.0  # a list of parallel things
    found = align(one.tokens, other.tokens)
    if not found or differing(one.tokens, other.tokens, found) != [(one.at, other.at)]:
        return 0.0
    both = min(found.mine, found.theirs)
    sure = max(0.0, SAME - ADDED * (found.mine + found.theirs) - AMID * both)
    sure *= _lists(one, other)
    return sure * (_within(one) if one.file_path == other.file_path else 1.0)


def _lists(one: Claim, other: Claim) -> float:
    """What it counts that two statements are items: of one list, or of two."""
    if not one.lead and not other.lead:
        return 1.0
    if not one.lead or not other.lead:
        return ITEM
    shared = len(one.lead & other.lead)
    return 1.0 if shared * 2 > max(len(one.lead), len(other.lead)) else ITEMS


def _within(one: Claim) -> float:
    return ARTICLES if one.section_path and ARTICLE.match(one.section_path[-1]) else SAME_FILE


class Rivals:
    """Claims by what they are about; finds those that another claim may contradict."""

    def __init__(self, claims: Iterable[Claim] = ()) -> None:
        self._by_key: dict[str, list[Claim]] = defaultdict(list)
        for claim in claims:
            self.add(claim)

    def add(self, claim: Claim) -> None:
        """Take in one more."""
        for key in claim.keys:
            self._by_key[key].append(claim)

    def of(self, claim: Claim) -> Iterator[tuple[Claim, float]]:
        """The claims that contradict this one, and how surely, the surest first."""
        seen: dict[int, Claim] = {}
        for key in claim.keys:
            held = self._by_key.get(key, ())
            if len(held) <= MOST_RIVALS:
                seen.update((id(other), other) for other in held if other is not claim)
        judged = ((other, contradicts(claim, other)) for other in seen.values())
        yield from sorted((pair for pair in judged if pair[1] > 0), key=lambda pair: -pair[1])
