"""Searches worth trying, made of words that occur, for words that find little.

A keyword that is missing has near words and other words. A question in somebody's own words
has a title or heading that is like it, as people pick a file by its name; what is proposed
then is that title with those of the question's words which stand below it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from fanshu.library.levels import SCORED
from fanshu.library.likeness import Named, alike
from fanshu.library.nearness import near_words
from fanshu.library.query import Lexicon, Word, all_of, literals, most_of, wordings
from fanshu.library.store import OutOfTime
from fanshu.library.telling import unnumbered
from fanshu.library.terms import fold, terms
from fanshu.library.view import View
from fanshu.library.widening import OtherWords
from fanshu.types import Suggestion, SuggestionKind, Suggestions

LIMIT = 5
KEYWORDS = 3  # weighty words; more are a question, whose missing words are mostly pieces of it
OWN_WORDS = 6  # of a question; 4 and 5 found less on real questions, 8 is the question again
BELOW = 5  # of the question's words, beside a title
FILES = 3  # whose titles and headings are proposed
CANDIDATES = 60  # chunks looked at for files that hold much of a question
RANK_SHARE = 0.5  # of what the best title counts: the file of the best chunk; the tenth, half
RANK_HALVES = 10
SECTIONS = 500  # whose headings are compared, of the likeliest files; 30 µs each

_Proposed = tuple[str, SuggestionKind, str]  # words, kind, source
Titles = Mapping[str, str]  # by path


def suggest(view: View, lexicon: Lexicon, others: OtherWords, words: str) -> Suggestions:
    """Up to `LIMIT` searches for words, the most promising first; those found while time lasts."""
    found: list[Suggestion] = []
    try:
        found.extend(islice(_worth_trying(view, lexicon, others, words), LIMIT))
    except OutOfTime:
        return Suggestions(tuple(found), complete=False)
    return Suggestions(tuple(found))


def _worth_trying(
    view: View, lexicon: Lexicon, others: OtherWords, words: str
) -> Iterator[Suggestion]:
    wording = " ".join(wordings(words))
    own = [word for piece in literals(wording) for word in lexicon.segments(piece)]
    weighty = list({fold(word.text): word for word in own if not word.stop}.values())
    instead = _others(others, lexicon, wording), _near(lexicon, wording, weighty)
    like = _like(view, lexicon, wording, weighty)
    keyword = len(weighty) <= KEYWORDS
    proposed = chain(*instead, like) if keyword else chain(_own(weighty), like, *instead)
    known = {fold(wording)}
    for one in proposed:
        if fold(one[0]) not in known:
            known.add(fold(one[0]))
            yield from _with_places(lexicon, one)


def _with_places(lexicon: Lexicon, proposed: _Proposed) -> Iterator[Suggestion]:
    words, kind, source = proposed
    found = [word for piece in literals(words) for word in lexicon.segments(piece)]
    query = all_of(found)
    places = lexicon.count(query) if query else 0
    if not places and (query := most_of(lexicon, found, SCORED)):
        places = lexicon.count(query)
    if places:
        yield Suggestion(words, kind, places, source)


# ---------------------------------------------------------------- one word for another


def _others(others: OtherWords, lexicon: Lexicon, wording: str) -> Iterator[_Proposed]:
    widened = others.widen(wording, lexicon)
    for one in widened.others if widened else ():
        yield fold(wording).replace(one.word, one.other), one.source, one.word


def _near(lexicon: Lexicon, wording: str, weighty: Sequence[Word]) -> Iterator[_Proposed]:
    missing = [word.text for word in weighty if not word.found]
    for word, near in near_words(lexicon, missing).items():
        for one in near:
            yield fold(wording).replace(fold(word), one), "near", word


# ---------------------------------------------------------------- a question in other words


def _own(weighty: Sequence[Word]) -> Iterator[_Proposed]:
    """The question without what carries no meaning: the rarest of its words, in their order."""
    rarest = sorted((word for word in weighty if word.found), key=lambda word: word.count)
    kept = [word.text for word in weighty if word in rarest[:OWN_WORDS]]
    if kept:
        yield " ".join(kept), "words", ""


def _like(
    view: View, lexicon: Lexicon, wording: str, weighty: Sequence[Word]
) -> Iterator[_Proposed]:
    """Titles and headings like the question, with those of its words that stand in the file."""
    titles = view.titles()
    places = _places(view, titles, lexicon, wording, weighty)
    below = [_below(_of_file(view, lexicon, path), weighty) for path, _ in places]
    for (path, _), words in zip(places, below, strict=True):
        yield _beside(titles[path], words), "title", path
    for (path, heading), words in zip(places, below, strict=True):
        if heading:
            yield _beside(heading, words), "heading", path


def _of_file(view: View, lexicon: Lexicon, path: str) -> Lexicon:
    return Lexicon(lexicon.store, view.ids([path]), view.documents[path].chunks)


def _places(
    view: View, titles: Titles, lexicon: Lexicon, wording: str, weighty: Sequence[Word]
) -> list[tuple[str, str]]:
    """The files most like a question, each with its heading most like it, if any."""
    held = _held(lexicon, weighty)
    scores = dict(held)
    for score, (path, _) in alike(wording, list(titles.items())):
        scores[path] = scores.get(path, 0.0) + score
    compared: list[str] = []
    sections = 0
    for path in sorted(scores, key=lambda path: (-scores[path], path)):
        sections += view.documents[path].chunks
        if sections > SECTIONS and compared:
            break
        compared.append(path)
    best: dict[str, tuple[float, str]] = {}
    for score, (path, named) in alike(wording, _named(titles, lexicon, compared)):
        heading = named.partition("\n")[2]
        best.setdefault(path, (score + held.get(path, 0.0), heading))
    order = sorted(best, key=lambda path: (-best[path][0], path))
    return [(path, best[path][1]) for path in order[:FILES]]


def _held(lexicon: Lexicon, weighty: Sequence[Word]) -> dict[str, float]:
    """What files score for holding much of a question: less for each place further down."""
    query = most_of(lexicon, weighty, SCORED)
    found = lexicon.store.candidates(query, lexicon.docs, CANDIDATES, SCORED) if query else ()
    held: dict[str, float] = {}
    for place, chunk in enumerate(lexicon.store.chunks([one.row for one in found])):
        held.setdefault(chunk.file_path, RANK_SHARE / (1 + place / RANK_HALVES))
    return held


def _named(titles: Titles, lexicon: Lexicon, paths: Sequence[str]) -> list[Named]:
    """Every title alone, and with each heading below it, which is apart by a line end."""
    named: dict[Named, None] = dict.fromkeys((path, titles[path]) for path in paths)
    for entry in lexicon.store.outline(paths):
        heading = unnumbered(entry.section_path[-1]) if entry.section_path else ""
        title = titles[entry.file_path]
        if terms(heading) and heading not in title:
            named[entry.file_path, f"{title}\n{heading}"] = None
    return list(named)


def _below(lexicon: Lexicon, weighty: Sequence[Word]) -> list[str]:
    """The rarest words of a question that stand in a file, in their order."""
    there = [word for word in weighty if word.found and lexicon.count(word.query)]
    rarest = sorted(there, key=lambda word: word.count)[:BELOW]
    return [word.text for word in there if word in rarest]


def _beside(title: str, words: Sequence[str]) -> str:
    return " ".join([title, *(word for word in words if fold(word) not in fold(title))])
