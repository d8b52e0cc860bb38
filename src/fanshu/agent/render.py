"""Search results, chunks and outlines as text: the same for a model and on a terminal.

White space is collapsed here and nowhere else. Nothing here keeps state: what the reader
has seen already comes in as an argument.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

from fanshu.agent.prompts import say
from fanshu.types import (
    Chunk,
    FolderSummary,
    Hit,
    Language,
    OutlineEntry,
    SearchResult,
    WordCount,
)

HEADING_CHARS = 60  # of one heading in a line; longer ones are whole sentences set as headings
SNIPPET_CHARS = 240  # of one hit; the library's snippets come shorter
ALL = 1_000_000
OTHER_FILES = 8  # more names than that are noise; the rest is a number
OUTLINE_LINES = 120  # about 2,000 tokens; longer outlines are asked for in parts
BEGINNING_CHARS = 24  # enough to tell two sections of one name apart
ABOUT = 3  # of what a folder is about; more is paid in every round and hardly read
ABOUT_CHARS = 30

_SPACE = re.compile(r"\s+")
_BLANK_LINES = re.compile(r"\n\s*\n\s*(?=\S)")
_PADDING = re.compile(r"(?<=\S)[ \t\u3000]{2,}")
_TABLE_RULE = re.compile(r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?)?\s*$")


def one_line(text: str, limit: int = SNIPPET_CHARS) -> str:
    """A text on one line, cut at its end when it is longer than `limit` characters."""
    line = _SPACE.sub(" ", text).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def tidy(text: str) -> str:
    """A text with its lines and indents, without column padding and rows of blank lines."""
    return _BLANK_LINES.sub("\n\n", "\n".join(map(_tidy_line, text.splitlines()))).strip("\n")


def _tidy_line(line: str) -> str:
    if _TABLE_RULE.match(line):
        return re.sub(r"-+", "-", _SPACE.sub("", line))
    gap = " " if line.lstrip().startswith("|") else "  "
    return _PADDING.sub(gap, line.rstrip())


def heading(section_path: Sequence[str]) -> str:
    """The last heading of a trail, on one line."""
    return one_line(section_path[-1], HEADING_CHARS) if section_path else ""


def trail(section_path: Sequence[str]) -> str:
    """A whole heading trail on one line."""
    return " > ".join(one_line(part, HEADING_CHARS) for part in section_path)


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
            lines.append(f"  #{_number(hit.chunk_id)} {_hit(hit, name, known, language)}")
    lines += _also(result, language)
    return "\n".join([*lines, *result.warnings])


def _verdict(result: SearchResult, language: Language) -> str:
    query = one_line(result.query, HEADING_CHARS)
    key: str = result.level
    if result.level == "none" and not query:
        key = "nothing_to_search"
    line = say(language, key, query=query, total=result.total, searched=result.searched)
    if result.path:
        line += say(language, "within", path=result.path)
    if result.elsewhere:
        line += say(language, "elsewhere", count=result.elsewhere)
    return line


def _word_lines(result: SearchResult, language: Language) -> Iterator[str]:
    """Counts when there are several words; what is missing, unless the counts say so."""
    if len(result.words) > 1:
        yield say(language, "counts", words=_counts(result.words))
    told = {word.word for word in result.words} if len(result.words) > 1 else set()
    missing = [word for word in result.missing if word not in told]
    if missing and result.level != "none":
        yield say(language, "missing", words=say(language, "list").join(missing))
    if result.suggestions:
        words = say(language, "list").join(result.suggestions)
        yield say(language, "suggestions", words=words)


def _counts(words: Iterable[WordCount]) -> str:
    return " · ".join(f"{word.word} {word.count}" for word in words)


def _by_file(hits: Sequence[Hit]) -> Iterator[tuple[str, list[Hit]]]:
    """Files in the order of their best hit, the hits of a file in the order of its text."""
    files: dict[str, list[Hit]] = {}
    for hit in hits:
        files.setdefault(hit.file_path, []).append(hit)
    for file_path, group in files.items():
        yield file_path, sorted(group, key=lambda hit: _number(hit.chunk_id))


def _file_line(file_path: str, hits: Sequence[Hit]) -> str:
    """The path, and the outermost heading when all hits stand below it: names say little."""
    tops = {hit.section_path[0] for hit in hits if len(hit.section_path) > 1}
    if len(tops) != 1 or any(not hit.section_path for hit in hits):
        return file_path
    title = one_line(tops.pop(), HEADING_CHARS)
    return file_path if title in file_path else f"{file_path} · {title}"


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
        return f"{name}{colon if name else ''}{one_line(hit.snippet)}"
    lines = _body(hit.text, hit.section_path)
    if not lines:
        return name
    whole = f"{name}{say(language, 'whole')}{colon}".lstrip()
    return whole + lines[0] if len(lines) == 1 else "\n    ".join([whole.rstrip(), *lines])


def _body(text: str, section_path: Sequence[str]) -> list[str]:
    """The lines of a chunk that say something, its heading left out; tables stay tables."""
    lines = [line for line in tidy(text).splitlines() if line.strip()]
    named = lines and section_path and lines[0].strip("#= ") == section_path[-1].strip()
    return lines[1:] if named else lines


def _also(result: SearchResult, language: Language) -> Iterator[str]:
    if not result.other_files:
        return
    shown, rest = result.other_files[:OTHER_FILES], result.other_files[OTHER_FILES:]
    names = " · ".join(f"{file.file_path} {file.count}" for file in shown)
    more = say(language, "more_files", count=len(rest)) if rest else ""
    yield say(language, "also", files=names + more)


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
    facts = [chunk.chunk_id, trail(chunk.section_path), *_place(chunk, language)]
    if chunk.title and not any(chunk.title in fact for fact in facts):
        facts.insert(1, one_line(chunk.title, HEADING_CHARS))
    newer = chunk.newer_version
    notes = [say(language, "newer", path=newer)] if newer else []
    lines = [" · ".join(filter(None, facts)), *notes, *remarks, tidy(chunk.text)]
    return "\n".join([*lines, _neighbours(before, after, language)])


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


# ---------------------------------------------------------------- outlines


def render_outline(entries: Sequence[OutlineEntry], *, language: Language) -> str:
    """Headings with their numbers, indented; many files become one line each."""
    files = [(path, list(group)) for path, group in groupby(entries, lambda e: e.file_path)]
    if not files:
        return say(language, "no_outline")
    if len(files) > 1 and len(entries) > OUTLINE_LINES:
        lines, counts = _file_lines(files, language), [len(group) for _, group in files]
    else:
        lines, counts = _heading_lines(files, language)
    rest = sum(counts[OUTLINE_LINES:])
    more = [say(language, "more_sections", count=rest)] if rest else []
    return "\n".join(lines[:OUTLINE_LINES] + more)


def _file_lines(files: Sequence[tuple[str, list[OutlineEntry]]], language: Language) -> list[str]:
    return [
        f"{path} · {one_line(_top(group), HEADING_CHARS)} · "
        + say(language, "sections", count=len(group))
        for path, group in files
    ]


def _top(entries: Sequence[OutlineEntry]) -> str:
    first = entries[0]
    return first.section_path[0] if first.section_path else first.beginning


def _heading_lines(
    files: Sequence[tuple[str, list[OutlineEntry]]], language: Language
) -> tuple[list[str], list[int]]:
    """A line for each section and before it, for the first of a file, the file's name."""
    lines: list[str] = []
    counts: list[int] = []
    for path, entries in files:
        lines.append(path)
        counts.append(0)
        sections = [list(g) for _, g in groupby(entries, lambda e: (e.section_path, e.part[1]))]
        for section in sections:
            lines.append(_section_line(section, sections, language))
            counts.append(len(section))
    return lines, counts


def _section_line(
    section: Sequence[OutlineEntry], among: Sequence[Sequence[OutlineEntry]], language: Language
) -> str:
    """One section; with its parent where that is not listed, how it begins where that helps."""
    first, last = section[0], section[-1]
    numbers = f"{_number(first.chunk_id)}" + (f"-{_number(last.chunk_id)}" if section[1:] else "")
    trails = [other[0].section_path for other in among]
    name = trail(first.section_path[-1:])
    if len(first.section_path) > 1 and first.section_path[:-1] not in trails:
        name = trail(first.section_path[-2:])
    if trails.count(first.section_path) > 1 or not name:
        beginning = " ".join(_body(first.beginning, first.section_path))
        name = f"{name} “{one_line(beginning, BEGINNING_CHARS)}”".lstrip()
    parts = say(language, "parts", parts=len(section)) if section[1:] else ""
    depth = len(first.section_path) - min(map(len, trails))
    return f"{'  ' * (1 + depth)}#{numbers} {name}{parts}"


# ---------------------------------------------------------------- the library at a glance


def render_titles(titles: Sequence[tuple[str, str]]) -> list[str]:
    """A line for each file: its path, and its title where the path does not say it."""
    return [
        path if not title or title in path else f"{path} · {one_line(title, HEADING_CHARS)}"
        for path, title in titles
    ]


def render_folders(folders: Sequence[FolderSummary], language: Language) -> list[str]:
    """A line for each folder: how many files, and what they are about."""
    return [_folder(folder, language) for folder in folders]


def _folder(folder: FolderSummary, language: Language) -> str:
    about = say(language, "list").join(one_line(a, ABOUT_CHARS) for a in folder.about[:ABOUT])
    counted = say(language, "files", count=folder.files)
    return f"{folder.path} · {counted}" + (f" · {about}" if about else "")
