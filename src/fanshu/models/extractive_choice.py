"""Which few units are shown for a part of a question: the best, and what it does not say."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from fanshu.library.terms import fold
from fanshu.models.extractive_weighing import Fitting, Weighing

SENTENCES = 3  # shown for a part of the question, at most; a list or table counts as one
GOOD = 0.45  # share of a part's weight from which its best passages are shown alone
HALFWAY = 0.2  # … some of them all the same, beside other parts
CLOSE = 0.93  # a further passage is shown when its score is so near the best
CLOSE_OF_SEVERAL = 0.75  # … from another section, when the question asks of several
GAIN = 0.18  # share of the weight that a further passage must add
SIBLINGS = 6  # pieces of one list that fit alike and are shown as the list

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def chosen(fittings: Sequence[Fitting], weighing: Weighing) -> list[Fitting]:
    """The best, what is about as good, and what says of the question what these do not.

    Empty when nothing fits well.
    """
    if not fittings or fittings[0].fit < GOOD:
        return []
    kept = [_whole(fittings[0], fittings)]
    kept += _dating(kept, fittings, weighing)
    kept += _naming(kept, fittings, weighing)
    kept += _adding(kept, fittings, weighing)
    asked = weighing.asked
    for one in fittings:
        close = CLOSE_OF_SEVERAL if asked.several and _elsewhere(one, kept) else CLOSE
        if len(kept) >= SENTENCES or one.score < CLOSE_OF_SEVERAL * fittings[0].score:
            break
        if one.score < close * fittings[0].score or _within(one, kept):
            continue
        if one.holds or not kept[0].holds:
            kept.append(one)
    return kept


def _dating(
    kept: Sequence[Fitting], fittings: Sequence[Fitting], weighing: Weighing
) -> Iterator[Fitting]:
    """The best unit of the files of each year that is named beside another."""
    years = dict.fromkeys(_YEAR.findall(weighing.asked.text))
    if len(years) < 2:
        return
    for year in years:
        if not any(year in one.unit.source.file_path for one in kept):
            yield from [one for one in fittings if year in one.unit.source.file_path][:1]


def halfway(fittings: Sequence[Fitting]) -> list[Fitting]:
    """The best of what fits half, from as many sections, for one part of several."""
    kept: list[Fitting] = []
    for one in fittings:
        if len(kept) < SENTENCES and one.fit >= HALFWAY and _elsewhere(one, kept):
            kept.append(one)
    return kept


def _elsewhere(one: Fitting, kept: Sequence[Fitting]) -> bool:
    """Whether a unit stands in another section than those kept."""
    return one.unit.source.chunk_id not in {other.unit.source.chunk_id for other in kept}


def _naming(
    kept: Sequence[Fitting], fittings: Sequence[Fitting], weighing: Weighing
) -> Iterator[Fitting]:
    """The best unit for each name of the question that those kept do not have."""
    kept = list(kept)
    for name in weighing.names:
        if len(kept) >= SENTENCES or any(name.text in one.words for one in kept):
            continue
        named = [one for one in fittings if name.text in one.words]
        best = next((one for one in named if one.holds or not kept[0].holds), None)
        if best and not _within(best, kept):
            kept.append(best)
            yield best


def _whole(best: Fitting, fittings: Sequence[Fitting]) -> Fitting:
    """A piece of a list, or the whole list where its pieces have the same words and fit alike."""
    for group in fittings:
        members = group.unit.members
        if best.unit not in members or len(members) > SIBLINGS:
            continue
        pieces = [one for one in fittings if one.unit in members]
        alike = [one for one in pieces if one.words == best.words and one.holds == best.holds]
        if len(alike) >= max(2, len(members) - 1):
            return group
    return best


def _within(one: Fitting, kept: Sequence[Fitting]) -> bool:
    """Whether a unit says nothing new: it is in one that is shown, holds one, or reads the same."""
    return any(
        (
            one.unit.source.chunk_id == other.unit.source.chunk_id
            and one.unit.start < other.unit.end
            and other.unit.start < one.unit.end
        )
        or _plain(one.unit.quote) == _plain(other.unit.quote)
        for other in kept
    )


def _plain(text: str) -> str:
    return "".join(fold(text).split())


def _adding(
    kept: Sequence[Fitting], fittings: Sequence[Fitting], weighing: Weighing
) -> Iterator[Fitting]:
    """Units with words that none of those kept has, as in "the defaults of A and B"."""
    weights = {word.text: word.weight for word in weighing.words}
    kept = list(kept)
    while len(kept) < SENTENCES:
        open_words = weights.keys() - frozenset[str]().union(*(one.words for one in kept))
        if not open_words:
            return
        fit = [one for one in fittings if one.holds or not kept[0].holds] or fittings
        best = max(fit, key=lambda one: (_gain(one, open_words, weights), one.score))
        if _gain(best, open_words, weights) < GAIN * weighing.total or _within(best, kept):
            return
        kept.append(best)
        yield best


def _gain(one: Fitting, wanted: Collection[str], weights: Mapping[str, float]) -> float:
    """The weight of the wanted words that a unit has, added up in the same order each time."""
    return sum(weight for word, weight in weights.items() if word in wanted and word in one.words)
