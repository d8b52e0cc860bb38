"""Sections that say the same but for some figures: one was copied, and one of them was changed.

Sections are found by the sentences they share, figures masked; those of editions of a document
are left to `superseded`.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fanshu.checkup.claims import is_log
from fanshu.checkup.contradictions import editions_of_one
from fanshu.checkup.outlines import Outlines, named_alike
from fanshu.checkup.qualifiers import compatible, qualifiers_in
from fanshu.checkup.tokens import MOST_CHARS, Tokens, may_hold_figures, tokens, words_of
from fanshu.checkup.values import comparable, differ
from fanshu.library.passages import Span, passages
from fanshu.types import Chunk

LEAST_WORDS = 6  # of a sentence that tells sections apart
LEAST_SHARED = 2  # sentences; one alone is a statement
LEAST_SHARED_WORDS = 30  # … and in so many words
SHARE = 0.8  # of the sentences of the shorter section
MOST_DIFFERENT = 0.35  # of its figures; sections that differ in more have another subject
COMMON = 8  # sections that have a sentence; one of more is a phrase
COPIED, ALIKE = 0.75, 0.5  # how sure: files of one name, and others
TABLES = 0.35  # sections of rows: the rows of two things, more often than of one
SAME_FILE = 0.35  # sections of one file: often two variants on purpose


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a section with its figures masked (`said`), and how they are written."""

    said: str
    row: bool
    span: Span
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class Section:
    """What is kept of a section for comparing."""

    chunk_id: str
    file_path: str
    section_path: tuple[str, ...]
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Twins:
    """Two sections, and the sentences (mine, theirs) in which a figure differs."""

    one: Section
    other: Section
    different: tuple[tuple[Sentence, Sentence, int], ...]
    sure: float


def section_of(chunk: Chunk) -> Section | None:
    """The sentences of a chunk; None where it has too few to be known by."""
    if is_log(chunk):
        return None
    found = tuple(_sentences(chunk.text))
    if len(found) < LEAST_SHARED or not any(one.tokens.figures for one in found):
        return None
    return Section(chunk.chunk_id, chunk.file_path, chunk.section_path, found)


def _sentences(text: str) -> Iterator[Sentence]:
    for passage in passages(text):
        if passage.kind in ("heading", "code") or passage.end - passage.start > MOST_CHARS:
            continue
        said = text[passage.start : passage.end]
        found = tokens(said) if may_hold_figures(said) else _plain(said)
        if len(found.words) >= LEAST_WORDS:
            digest = hashlib.blake2b(
                " ".join(found.words).encode("utf-8", "replace"), digest_size=8
            )
            yield Sentence(
                digest.hexdigest(), passage.kind == "row", (passage.start, passage.end), found
            )


def _plain(text: str) -> Tokens:

    return Tokens(tuple(words_of(text)), (), ())


def twins(sections: Sequence[Section], outlines: Outlines) -> Iterator[Twins]:
    """Every pair of sections that are alike but for some figures."""
    holding: dict[str, list[int]] = defaultdict(list)
    counts = Counter(one.said for section in sections for one in section.sentences)
    for at, section in enumerate(sections):
        known = {one.said for one in section.sentences if 2 <= counts[one.said] <= COMMON}
        shared = Counter(other for said in known for other in holding[said])
        for other, count in shared.items():
            found = _compared(sections[other], section, count, outlines)
            if found:
                yield found
        for said in known:
            holding[said].append(at)


def _compared(one: Section, other: Section, shared: int, outlines: Outlines) -> Twins | None:
    if shared < max(LEAST_SHARED, SHARE * min(len(one.sentences), len(other.sentences))):
        return None
    sure = _sure(one, other, outlines)
    if not sure:
        return None
    mine = {sentence.said: sentence for sentence in one.sentences}
    pairs = [(mine[two.said], two) for two in other.sentences if two.said in mine]
    if sum(len(two.tokens.words) for _, two in pairs) < LEAST_SHARED_WORDS:
        return None
    different = tuple(_different(pairs))
    figures = sum(len(sentence.tokens.figures) for sentence, _ in pairs)
    if sum(two.row for _, two in pairs) * 2 > len(pairs):
        sure = min(sure, TABLES)
    if not different or len(different) > max(2, MOST_DIFFERENT * figures):
        return None
    return Twins(one, other, different, sure)


def _different(
    pairs: Iterable[tuple[Sentence, Sentence]],
) -> Iterator[tuple[Sentence, Sentence, int]]:
    for one, other in pairs:
        for at, (mine, theirs) in enumerate(
            zip(one.tokens.figures, other.tokens.figures, strict=False)
        ):
            if comparable(mine, theirs) and differ(mine, theirs):
                yield one, other, at


def _sure(one: Section, other: Section, outlines: Outlines) -> float:
    """How sure it is that two such sections should be the same."""
    if editions_of_one(one.file_path, other.file_path):
        return 0.0
    mine, theirs = (
        qualifiers_in(" ".join((each.file_path, *each.section_path))) for each in (one, other)
    )
    if not compatible(mine, theirs):
        return 0.0
    if one.file_path == other.file_path:
        return SAME_FILE if one.section_path[-1:] != other.section_path[-1:] else 0.0
    name = one.file_path.rpartition("/")[2]
    if name == other.file_path.rpartition("/")[2]:
        return COPIED
    if named_alike(one.file_path, other.file_path):
        return 0.0
    return 0.0 if outlines.alike(one.file_path, other.file_path) else ALIKE
