"""All contradictions of a library: claims about one thing, grouped by their values.

What several documents say in the same words of different things (有符号数的范围是 …, for each
type of number) has many values and is a template; what disagrees has two, or three.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from fanshu.checkup.alignment import align, differing
from fanshu.checkup.claims import Claim
from fanshu.checkup.contradictions import contradicts
from fanshu.checkup.outlines import Outlines
from fanshu.checkup.tokens import features
from fanshu.checkup.values import comparable, differ

MOST_VALUES = 3  # of one thing in one library; more are values of more things
MOST_PLACES = 200  # of one name; more is a word that everything has
RARE = 6  # passages that hold a word; a word of more does not tell a subject
MOST_RARE = 8  # words of a passage by which others are looked for
LEAST_RARE = 2  # such words that two passages must share

Key = tuple[str, tuple[int, int]]  # of a passage: its chunk, its span


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Claims about one thing that cannot all hold: a group for each value, and how sure it is."""

    groups: tuple[tuple[Claim, ...], ...]
    sure: float


def disagreements(claims: Sequence[Claim], outlines: Outlines) -> Iterator[Disagreement]:
    """Every disagreement among the claims of a library."""
    yield from _of_names([one for one in claims if one.form != "statement"], outlines)
    yield from _of_statements([one for one in claims if one.form == "statement"], outlines)


# ---------------------------------------------------------------- parameters and contacts


def _of_names(claims: Iterable[Claim], outlines: Outlines) -> Iterator[Disagreement]:
    named: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        named[min(claim.keys)].append(claim)
    for group in named.values():
        if 2 <= len(group) <= MOST_PLACES:
            found = _disagreement(_single(group), outlines)
            if found:
                yield found


def _single(group: Sequence[Claim]) -> list[Claim]:
    """Claims without those of sections that give several values: a table of data, or variants."""
    places: dict[tuple[str, tuple[str, ...]], list[Claim]] = defaultdict(list)
    for claim in group:
        places[claim.file_path, claim.section_path].append(claim)
    return [claim for held in places.values() if len(by_value(held)) == 1 for claim in held]


def by_value(claims: Iterable[Claim]) -> list[list[Claim]]:
    """Claims in groups of one value each."""
    groups: list[list[Claim]] = []
    for claim in claims:
        for group in groups[: MOST_VALUES + 1]:
            one = group[0].value
            if comparable(one, claim.value) and not differ(one, claim.value):
                group.append(claim)
                break
        else:
            groups.append([claim])
    return groups


def _disagreement(claims: Sequence[Claim], outlines: Outlines) -> Disagreement | None:
    groups = by_value(claims)
    if not 2 <= len(groups) <= MOST_VALUES:
        return None
    sure = max(
        (
            contradicts(one, other) * outlines.one_subject(one, other)
            for mine, theirs in combinations(groups, 2)
            for one in mine[:MOST_VALUES]
            for other in theirs[:MOST_VALUES]
        ),
        default=0.0,
    )
    return Disagreement(tuple(map(tuple, groups)), sure) if sure else None


# ---------------------------------------------------------------- statements


def _of_statements(claims: Iterable[Claim], outlines: Outlines) -> Iterator[Disagreement]:
    passages: dict[Key, list[Claim]] = defaultdict(list)
    for claim in claims:
        passages[claim.chunk_id, claim.passage].append(claim)
    pairs = _pairs({key: held[0] for key, held in passages.items()})
    linked: dict[tuple[Key, int], list[tuple[Claim, Claim, float]]] = defaultdict(list)
    for one, other in pairs:
        if met := _meeting(passages[one], passages[other], outlines):
            linked[one, met[0].at].append(met)
    for found in linked.values():
        groups = by_value([found[0][0], *(other for _, other, _ in found)])
        if len(groups) <= MOST_VALUES:
            yield Disagreement(tuple(map(tuple, groups)), max(sure for *_, sure in found))


def _pairs(first: Mapping[Key, Claim]) -> Iterator[tuple[Key, Key]]:
    """Passages that share rare words, in order: the work grows with the number of passages."""
    words = {key: features(claim.tokens.words) for key, claim in first.items()}
    counts = Counter(word for held in words.values() for word in held)
    holding: dict[str, list[Key]] = defaultdict(list)
    for key, held in words.items():
        rare = sorted((word for word in held if 2 <= counts[word] <= RARE), key=lambda w: counts[w])
        shared = Counter(other for word in rare[:MOST_RARE] for other in holding[word])
        yield from ((other, key) for other, count in shared.items() if count >= LEAST_RARE)
        for word in rare[:MOST_RARE]:
            holding[word].append(key)


def _meeting(
    mine: Sequence[Claim], theirs: Sequence[Claim], outlines: Outlines
) -> tuple[Claim, Claim, float] | None:
    """The two claims of two passages that contradict each other, if there is one such pair."""
    a, b = mine[0].tokens, theirs[0].tokens
    found = align(a, b)
    pairs = differing(a, b, found) if found else []
    if len(pairs) != 1:
        return None
    one, other = mine[pairs[0][0]], theirs[pairs[0][1]]
    sure = contradicts(one, other) * outlines.one_subject(one, other)
    return (one, other, sure) if sure else None
