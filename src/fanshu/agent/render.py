"""Search results, chunks and outlines as text: the same for a model and on a terminal.

White space is collapsed here and nowhere else. Nothing here keeps state: what the reader
has seen already comes in as an argument.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, takewhile
from pathlib import PurePosixPath
from posixpath import commonpath, commonprefix, dirname

from fanshu.agent.context import tokens
from fanshu.agent.layout import HEADING_CHARS, body, heading, one_line, trail, within
from fanshu.agent.pictured import mostly_pictures, picture_name
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

WORDS = 8  # whose counts are told; a question may have twenty
OTHER_FILES = 8  # more names than that are noise; the rest is a number
OUTLINE_TOKENS = 1_200  # longer outlines show fewer levels, and are asked for in parts
TITLE_CHARS = 30  # of a title in a list of files
BEGINNING_CHARS = 24  # enough to tell two sections of one name apart
ABOUT = 3  # of what a folder is about; more is paid in every round and hardly read
ABOUT_CHARS = 30
PICTURES = 3  # named; the citation has them all
IN_A_LINE = 10  # folders, when there are too many for a line each

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
            lines.append(f"  #{_number(hit.chunk_id)} {_hit(hit, name, known, language)}")
    lines += _also(result, language)
    return "\n".join([*lines, *result.warnings])


def _verdict(result: SearchResult, language: Language) -> str:
    query = one_line(result.query, HEADING_CHARS)
    key: str = result.level
    if result.level == "none" and not query:
        key = "nothing_to_search"
    if "|" in query and result.level in ("phrase", "all"):
        key = "any"
    line = say(language, key, query=query, total=result.total, searched=result.searched)
    if result.path:
        line += say(language, "within", path=result.path)
    if result.elsewhere:
        line += say(language, "elsewhere", count=result.elsewhere)
    return line


def _word_lines(result: SearchResult, language: Language) -> Iterator[str]:
    """Counts when there are several words; what is missing, unless the counts say so."""
    if len(result.words) > 1:
        yield say(language, "counts", words=_counts(_rarest(result.words)))
    told = {word.word for word in result.words} if len(result.words) > 1 else set()
    missing = [word for word in result.missing if word not in told]
    if missing and result.level != "none":
        yield say(language, "missing", words=say(language, "list").join(missing))
    if result.suggestions:
        words = say(language, "list").join(result.suggestions)
        yield say(language, "suggestions", words=words)


def _rarest(words: Sequence[WordCount]) -> list[WordCount]:
    """The words that decide, in their order: common ones say nothing by their counts."""
    limit = sorted(word.count for word in words)[:WORDS][-1]
    return [word for word in words if word.count <= limit][:WORDS]


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
    """The path, and the outermost heading when all hits stand below it: names say little.

    A name without a letter, as wikis export pages, says nothing: then all headings above.
    """
    tops = {hit.section_path[0] for hit in hits if len(hit.section_path) > 1}
    if len(tops) != 1 or any(not hit.section_path for hit in hits):
        return file_path
    title = one_line(tops.pop(), HEADING_CHARS)
    if not any(char.isalpha() for char in PurePosixPath(file_path).stem):
        title = trail(commonprefix([hit.section_path[:-1] for hit in hits])) or title
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
        snippet = one_line(_LINK.sub(r"\1", hit.snippet))
        return f"{name}{colon if name else ''}{snippet}"
    lines = [line for line in body(hit.text, hit.section_path).splitlines() if line.strip()]
    in_picture = say(language, "in_picture") if mostly_pictures(hit) else ""
    if not lines:
        return name + in_picture
    whole = f"{name}{say(language, 'whole')}{in_picture}{colon}".lstrip()
    return whole + lines[0] if len(lines) == 1 else "\n    ".join([whole.rstrip(), *lines])


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


# ---------------------------------------------------------------- outlines

Section = list[OutlineEntry]  # the parts of one section


def render_outline(entries: Sequence[OutlineEntry], *, language: Language) -> str:
    """Headings with their numbers, indented, as many levels as fit; else files, else folders."""
    files = {path: _sections(group) for path, group in groupby(entries, lambda e: e.file_path)}
    if not files:
        return say(language, "no_outline")
    depths = {len(section[0].section_path) for group in files.values() for section in group}
    for depth in sorted(depths, reverse=True):
        lines = [line for path in files for line in _file(path, files[path], depth, language)]
        if tokens("\n".join(lines)) <= OUTLINE_TOKENS:
            return "\n".join(lines)
    if len(files) > 1:
        lines = [_file_in_list(path, group, language) for path, group in files.items()]
        if tokens("\n".join(lines)) > OUTLINE_TOKENS:
            lines = _folder_list(list(files), language)
    shown = list(within(lines, OUTLINE_TOKENS))
    rest = len(lines) - len(shown)
    more = [say(language, "more_lines", count=rest)] if rest else []
    return "\n".join(shown + more)


def _sections(entries: Iterable[OutlineEntry]) -> list[Section]:
    return [list(parts) for _, parts in groupby(entries, lambda e: (e.section_path, e.part[1]))]


def _file_in_list(path: str, sections: Sequence[Section], language: Language) -> str:
    first = sections[0][0]
    title = one_line(first.section_path[0] if first.section_path else "", TITLE_CHARS)
    named = not title or title.split(" ")[0] in path
    counted = say(language, "sections", count=sum(map(len, sections)))
    return " · ".join([path, counted] if named else [path, title, counted])


def _folder_list(paths: Sequence[str], language: Language) -> list[str]:
    """What lies directly below the folder that holds all the paths: folders, then files."""
    common = commonpath([dirname(path) for path in paths])
    depth = len(common.split("/")) if common else 0
    inside = Counter("/".join(path.split("/")[: depth + 1]) for path in paths)
    folders = [
        f"{path}/ · {say(language, 'files', count=count)}"
        for path, count in inside.items()
        if path not in paths
    ]
    return folders + [path for path in inside if path in paths]


def _file(path: str, sections: Sequence[Section], depth: int, language: Language) -> Iterator[str]:
    """The file's name, then its sections down to a depth; what lies deeper is a number."""
    yield path
    trails = [section[0].section_path for section in sections]
    top = min(map(len, trails))
    for at, section in enumerate(sections):
        if len(trails[at]) > max(depth, top):
            continue
        below = len(list(takewhile(lambda t: len(t) > max(depth, top), trails[at + 1 :])))
        hidden = say(language, "deeper", count=below) if below else ""
        indent = "  " * (1 + len(trails[at]) - top)
        yield f"{indent}{_section(section, trails, language)}{hidden}"


def _section(section: Section, trails: Sequence[Sequence[str]], language: Language) -> str:
    """One section; with its parent where that is not listed, how it begins where that helps."""
    first, last = section[0], section[-1]
    numbers = f"{_number(first.chunk_id)}" + (f"-{_number(last.chunk_id)}" if section[1:] else "")
    path = first.section_path
    name = trail(path[-1:] if len(path) < 2 or path[:-1] in trails else path[-2:])
    if trails.count(path) > 1 or not name:
        beginning = one_line(body(first.beginning, path), BEGINNING_CHARS)
        name = f"{name} “{beginning}”".lstrip()
    parts = say(language, "parts", parts=len(section)) if section[1:] else ""
    return f"#{numbers} {name}{parts}"


# ---------------------------------------------------------------- the library at a glance


def render_titles(titles: Sequence[tuple[str, str]]) -> list[str]:
    """A line for each file: its path, and its title where the path does not say it."""
    return [
        path if not title or title in path else f"{path} · {one_line(title, HEADING_CHARS)}"
        for path, title in titles
    ]


def render_folders(
    folders: Sequence[FolderSummary], language: Language, about: int = ABOUT
) -> list[str]:
    """A line for each folder: how many files, and in a few titles what they are about.

    Without titles, many folders share a line.
    """
    if not about:
        named = [f"{folder.path} {folder.files}" for folder in folders]
        return [" · ".join(named[at : at + IN_A_LINE]) for at in range(0, len(named), IN_A_LINE)]
    return [_folder(folder, language, about) for folder in folders]


def _folder(folder: FolderSummary, language: Language, about: int) -> str:
    titles = say(language, "list").join(one_line(a, ABOUT_CHARS) for a in folder.about[:about])
    counted = say(language, "files", count=folder.files)
    return " · ".join(filter(None, [folder.path, counted, titles]))
