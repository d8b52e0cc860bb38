"""Search results and chunks as text: the same for a model and on a terminal.

White space is collapsed here and nowhere else. Nothing here keeps state: what the reader
has seen already comes in as an argument.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath
from posixpath import commonprefix

from fanshu.agent.layout import HEADING_CHARS, body, heading, one_line, trail
from fanshu.agent.pictured import mostly_pictures, picture_name
from fanshu.agent.prompts import say
from fanshu.library.naming import visible
from fanshu.library.overview import grouped
from fanshu.library.terms import terms
from fanshu.types import (
    COUNTED,
    TOO_MANY,
    TOO_SLOW,
    Chunk,
    Hit,
    Language,
    SearchResult,
    WordCount,
)

RARE, RARE_SHARE = 20, 0.05  # sections, and their share, up to which a word's count tells a thing
WORDS = 8  # whose counts are told; a question may have twenty
OTHER_FILES = 8  # more names than that are noise; the rest is a number
ELSEWHERE = 3  # files outside the path that was searched
MANY_FILES = 10  # besides those named: it helps to say in which folders they are
GROUPS = 4
SAME = 3  # of the files that repeat a text; the rest is a number
PICTURES = 3  # named; the citation has them all

_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)")


# ---------------------------------------------------------------- search


def render_search(
    result: SearchResult,
    *,
    language: Language,
    read: Collection[str] = (),
    listed: Collection[tuple[str, str]] = (),
    below: Collection[str] = (),
    verdict: bool = True,
) -> str:
    """A search result, shaped like grep: how well it went, then each file once with its hits.

    `read`: ids of chunks whose text the reader has; `listed`: pairs of id and snippet that an
    earlier result showed; `below`: ids of chunks that are about to follow whole. None of these
    is printed again. `verdict`: begin with how well it went, though there are hits.
    """
    lines = [_verdict(result, language)] if verdict or not result.hits else []
    lines += _word_lines(result, language)
    for file_path, hits in _by_file(result.hits):
        lines.append(_file_line(file_path, hits))
        names = _distinct([hit.section_path for hit in hits])
        for hit, name in zip(hits, names, strict=True):
            known = (
                "read"
                if hit.chunk_id in read
                else "below"
                if hit.chunk_id in below
                else "listed"
                if (hit.chunk_id, hit.snippet) in listed
                else ""
            )
            via = _via(hit, language)
            lines.append(f"  #{_number(hit.chunk_id)} {_hit(hit, name, known, language)}{via}")
            lines += [f"    {line}" for line in _more(hit, known, language)]
    lines += _rest(result, language)
    lines += _also(result, language)
    lines += [_warning(warning, language) for warning in result.warnings]
    return "\n".join(lines)


def _warning(text: str, language: Language) -> str:
    key = {TOO_MANY: "too_many", TOO_SLOW: "too_slow"}.get(text)
    return say(language, key) if key else text


def _number_of(count: int, language: Language) -> str:
    """A count as it is told: it may have ended at `COUNTED`."""
    return say(language, "more_than", count=COUNTED) if count > COUNTED else str(count)


def _verdict(result: SearchResult, language: Language) -> str:
    query = one_line(result.query, HEADING_CHARS)
    key: str = result.level
    if result.level == "none" and not terms(result.query):
        key = "nothing_to_search"
    if "|" in query and result.level in ("phrase", "all"):
        key = "any"
    if result.level == "none" and not result.complete:
        key = "stopped"
    total = _number_of(result.total, language)
    line = say(language, key, query=query, total=total, searched=result.searched)
    if result.exhaustive and all(len(hit.same) <= SAME for hit in result.hits):
        line += say(language, "all_shown")
    if result.path:
        line += say(language, "within", path=result.path)
    if result.elsewhere:
        files = " · ".join(
            f"{visible(file.file_path)} {file.count}" for file in result.elsewhere_in[:ELSEWHERE]
        )
        count = _number_of(result.elsewhere, language)
        line += say(language, "elsewhere", count=count, files=files)
    return line


def _word_lines(result: SearchResult, language: Language) -> Iterator[str]:
    """Counts when there are several words; what is missing, unless the counts say so."""
    if len(result.words) > 1 and (telling := _telling(result)):
        yield say(language, "counts", words=_counts(telling, language))
    told = {word.word for word in result.words} if len(result.words) > 1 else set()
    missing = [word for word in result.missing if word not in told]
    if missing and result.level != "none":
        yield say(language, "missing", words=say(language, "list").join(missing))
    if result.others:
        words = say(language, "list").join(
            f"{one.word}→{one.other} {one.count}" for one in result.others[:WORDS]
        )
        yield say(language, "others", words=words)
    if result.suggestions:
        words = say(language, "list").join(result.suggestions)
        yield say(language, "suggestions", words=words)


def _telling(result: SearchResult) -> list[WordCount]:
    """The words that decide, in their order: common ones say nothing by their counts."""
    rare = max(RARE, RARE_SHARE * result.searched)
    words = [word for word in result.words if word.count <= rare]
    limit = sorted(word.count for word in words)[:WORDS][-1] if words else 0
    return [word for word in words if word.count <= limit][:WORDS]


def _counts(words: Iterable[WordCount], language: Language) -> str:
    return " · ".join(f"{word.word} {_number_of(word.count, language)}" for word in words)


def _by_file(hits: Sequence[Hit]) -> Iterator[tuple[str, list[Hit]]]:
    """Files in the order of their best hit, the hits of a file in the order of its text."""
    files: dict[str, list[Hit]] = {}
    for hit in hits:
        files.setdefault(hit.file_path, []).append(hit)
    for file_path, group in files.items():
        yield file_path, sorted(group, key=lambda hit: _number(hit.chunk_id))


def _file_line(file_path: str, hits: Sequence[Hit]) -> str:
    """The path, and the outermost heading when all hits stand below it: names say little.

    A name without a letter, as wikis export pages, says nothing: then all headings above.
    """
    shown = visible(file_path)
    tops = {hit.section_path[0] for hit in hits if len(hit.section_path) > 1}
    if len(tops) != 1 or any(not hit.section_path for hit in hits):
        return shown
    title = one_line(tops.pop(), HEADING_CHARS)
    if not any(char.isalpha() for char in PurePosixPath(file_path).stem):
        title = trail(commonprefix([hit.section_path[:-1] for hit in hits])) or title
    return shown if title in file_path else f"{shown} · {title}"


def _distinct(trails: Sequence[Sequence[str]]) -> list[str]:
    """The last heading of each trail, with as many parents as tell two of one name apart."""
    different = set(map(tuple, trails))

    def name(trail_: Sequence[str]) -> str:
        for depth in range(1, len(trail_) + 1):
            tail = tuple(trail_[-depth:])
            if sum(tuple(other[-depth:]) == tail for other in different) == 1:
                break
        return trail(trail_[-depth:]) if trail_ else ""

    return [name(trail_) for trail_ in trails]


def _hit(hit: Hit, name: str, known: str, language: Language) -> str:
    """Heading and snippet of a hit; of one that is known, the heading and how."""
    colon = say(language, "colon")
    if known:
        return f"{name}{say(language, known)}".lstrip()
    if not hit.complete:
        snippet = one_line(_LINK.sub(r"\1", hit.snippet))
        return f"{name}{colon if name else ''}{snippet}"
    lines = [line for line in body(hit.text, hit.section_path).splitlines() if line.strip()]
    in_picture = say(language, "in_picture") if mostly_pictures(hit) else ""
    if not lines:
        return name + in_picture
    whole = f"{name}{say(language, 'whole')}{in_picture}{colon}".lstrip()
    return whole + lines[0] if len(lines) == 1 else "\n    ".join([whole.rstrip(), *lines])


def _more(hit: Hit, known: str, language: Language) -> Iterator[str]:
    """What belongs to a hit beside its line: a second passage, other files with the same text."""
    if hit.second and not known:
        yield one_line(_LINK.sub(r"\1", hit.second))
    if hit.same and known != "listed":
        shown = say(language, "list").join(map(visible, hit.same[:SAME]))
        more = say(language, "and_more", count=len(hit.same)) if len(hit.same) > SAME else ""
        yield say(language, "same", chunks=shown + more)


def _via(hit: Hit, language: Language) -> str:
    """By which other words alone a hit was found."""
    if not hit.via:
        return ""
    pairs = say(language, "list").join(f"{one.word}→{one.other}" for one in hit.via)
    return say(language, "via", words=pairs)


def _rest(result: SearchResult, language: Language) -> Iterator[str]:
    """The numbers of further chunks, neighbours as a span."""
    if result.rest:
        numbers = " ".join(_spans([_number(chunk_id) for chunk_id in result.rest]))
        yield say(language, "rest", count=len(result.rest), numbers=numbers)


def _spans(numbers: Sequence[int]) -> Iterator[str]:
    """1 2 3 7 → #1-3 #7"""
    for _, run in groupby(enumerate(sorted(numbers)), lambda item: item[1] - item[0]):
        first, *more = [number for _, number in run]
        yield f"#{first}-{more[-1]}" if more else f"#{first}"


def _also(result: SearchResult, language: Language) -> Iterator[str]:
    """The other files with their counts, by paths that can be searched; very many in groups."""
    if not result.other_files:
        return
    shown, rest = result.other_files[:OTHER_FILES], result.other_files[OTHER_FILES:]
    names = " · ".join(f"{visible(file.file_path)} {file.count}" for file in shown)
    shown_files = {hit.file_path for hit in result.hits}
    shown_files |= {same.rpartition("#")[0] for hit in result.hits for same in hit.same}
    count = max(result.files - len(shown_files) - len(shown), len(rest))
    more = say(language, "more_files", count=count) if count else ""
    if count >= MANY_FILES:
        more += _in_groups([file.file_path for file in rest], count, language)
    yield say(language, "also", files=names + more)


def _in_groups(paths: Sequence[str], count: int, language: Language) -> str:
    """The folders and beginnings of names that hold most of the files; each is a path."""
    groups = grouped(paths)[:GROUPS]
    counted = len(paths) == count  # else only some of the files are known
    names = [(visible(group.name), group.files) for group in groups]
    told = [f"{name} {count}" if counted else name for name, count in names]
    return say(language, "in_groups", groups=" · ".join(told)) if told else ""


def _number(chunk_id: str) -> int:
    return int(chunk_id.rpartition("#")[2])


# ---------------------------------------------------------------- chunks


def render_chunk(
    chunk: Chunk,
    *,
    language: Language,
    before: Chunk | None = None,
    after: Chunk | None = None,
    remarks: Sequence[str] = (),
) -> str:
    """A chunk: where it stands, its text, and the names of its neighbours."""
    facts = [visible(chunk.chunk_id), trail(chunk.section_path), *_place(chunk, language)]
    if chunk.title and not any(chunk.title in fact for fact in facts):
        facts.insert(1, one_line(chunk.title, HEADING_CHARS))
    newer = chunk.newer_version
    notes = [say(language, "newer", path=newer)] if newer else []
    notes += [_pictures(chunk, language)] if chunk.images else []
    lines = [
        " · ".join(filter(None, facts)),
        *notes,
        *remarks,
        say(language, "carried", line=one_line(chunk.carried)) if chunk.carried else "",
        body(chunk.text, chunk.section_path),
    ]
    return "\n".join([*filter(None, lines), _neighbours(before, after, language)])


def _pictures(chunk: Chunk, language: Language) -> str:
    """The names of a chunk's pictures, and whether they are most of it."""
    names = [one_line(picture_name(target), HEADING_CHARS) for target in chunk.images]
    said = say(language, "pictures", names=say(language, "list").join(names[:PICTURES]))
    if len(names) > PICTURES:
        said += say(language, "more_pictures", count=len(names))
    return said + (say(language, "in_picture") if mostly_pictures(chunk) else "")


def _place(chunk: Chunk, language: Language) -> Iterator[str]:
    if chunk.page is not None:
        yield say(language, "page", page=chunk.page)
    elif chunk.lines:
        yield say(language, "lines", first=chunk.lines[0], last=chunk.lines[1])
    part, parts = chunk.part
    if parts > 1:
        yield say(language, "part", part=part, parts=parts)
    if chunk.date:
        yield say(language, "date", date=chunk.date)


def _neighbours(before: Chunk | None, after: Chunk | None, language: Language) -> str:
    """The neighbours' names; the end of the file is worth saying, its beginning is not."""
    told = [
        say(language, key, number=chunk.number, heading=heading(chunk.section_path)).rstrip()
        for key, chunk in (("before", before), ("after", after))
        if chunk
    ]
    return " · ".join(told if after else [*told, say(language, "file_ends")])
