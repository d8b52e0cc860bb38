"""Outlines and the library at a glance as text: the same for a model and on a terminal.

As much detail as a budget holds: all headings, else the upper ones, else files, else folders.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile

from fanshu.agent.budget import Budget, tokens_of
from fanshu.agent.layout import HEADING_CHARS, body, one_line, trail, without_middle
from fanshu.agent.prompts import say
from fanshu.library.naming import visible
from fanshu.library.overview import overview
from fanshu.types import FolderSummary, Language, Outline, OutlinedFile, OutlineEntry

OUTLINE_TOKENS = 1_200  # longer outlines show fewer levels, and are asked for in parts
MOST_ENTRIES = 3_000  # chunks that are worth loading for that: 40 ms
TITLE_CHARS = 40  # of a title in a list of files, in widths of a Latin letter
BEGINNING_CHARS = 24  # enough to tell two sections of one name apart
FIRST_OF_NEXT = (100, 50, 30, 20, 10, 5)  # headings of a level that does not fit as a whole
ABOUT = 4  # titles of a folder; more is paid in every round and hardly read
ABOUT_CHARS = 36
GROUPS = 12  # groups of a folder's files
IN_A_LINE = 8  # folders of which there is no more to say than their size

FOR_MODELS = tokens_of(OUTLINE_TOKENS)

Section = list[OutlineEntry]  # the parts of one section


def render_outline(outline: Outline, *, language: Language, budget: Budget = FOR_MODELS) -> str:
    """Headings with their numbers, indented, as many levels as fit; else files, else folders.

    What was left out is said, and how to see it.
    """
    if not outline.files or outline.entries == ():
        return say(language, "no_outline")
    lines = list(_most_detailed(outline, language, budget))
    if budget.holds(lines):
        return "\n".join(lines)
    shown = list(budget.within(lines))
    more = say(language, "more_outline", count=len(lines) - len(shown))
    return "\n".join([*shown, more])


def _most_detailed(outline: Outline, language: Language, budget: Budget) -> Iterable[str]:
    lines: list[str] = []
    deeper: list[str] = []
    for depth in _depths(outline.entries or ()):
        lines = _headings(outline, depth, language)
        if budget.holds(lines):
            return _in_part(lines, deeper, language, budget) if len(outline.files) == 1 else lines
        deeper = lines
    if len(outline.files) == 1:
        return lines
    lines = [_file_in_list(file, outline, language) for file in outline.files]
    if budget.holds(lines):
        return lines
    titles = [(file.file_path, file.title) for file in outline.files]
    return [
        say(language, "folders_only", count=len(outline.files)),
        *render_folders(overview(titles), language, OUTLINE_TOKENS),
    ]


def _in_part(
    lines: list[str], deeper: Sequence[str], language: Language, budget: Budget
) -> list[str]:
    """Where there is room, the first headings of the next level too, under each equally many."""
    if not deeper:
        return lines
    depth = max(map(_indent, lines))
    for first in FIRST_OF_NEXT:
        more: list[str] = []
        for below, run in groupby(deeper, lambda line: _indent(line) > depth):
            group = list(run)
            more += group[:first] if below else group
            if below and len(group) > first:
                indent = " " * _indent(group[0])
                more.append(indent + say(language, "more_lines", count=len(group) - first))
        more.append(say(language, "more_below"))
        if budget.holds(more):
            return more
    return lines


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _depths(entries: Iterable[OutlineEntry]) -> list[int]:
    """Depths of headings, deepest first."""
    return sorted({len(entry.section_path) for entry in entries}, reverse=True)


def _headings(outline: Outline, depth: int, language: Language) -> list[str]:
    titles = {file.file_path: file.title for file in outline.files}
    groups = groupby(outline.entries or (), lambda entry: entry.file_path)
    return [
        line
        for path, group in groups
        for line in _file(path, titles[path], _sections(group), depth, language)
    ]


def _sections(entries: Iterable[OutlineEntry]) -> list[Section]:
    return [list(parts) for _, parts in groupby(entries, lambda e: (e.section_path, e.part[1]))]


def _file_in_list(file: OutlinedFile, outline: Outline, language: Language) -> str:
    """Path, title where it says more, and how many chunks there are or match."""
    count = file.chunks
    if outline.entries is not None:
        count = sum(entry.file_path == file.file_path for entry in outline.entries)
    told = [_named(file.file_path, file.title), say(language, "sections", count=count)]
    return " · ".join(told)


def _named(path: str, title: str) -> str:
    if not title or title in path:
        return visible(path)
    return f"{visible(path)} · {without_middle(title, TITLE_CHARS)}"


def _file(
    path: str, title: str, sections: Sequence[Section], depth: int, language: Language
) -> Iterator[str]:
    """The file's name, then its sections down to a depth; what lies deeper is a number."""
    trails = [section[0].section_path for section in sections]
    told = title if not any(title in names for names in trails) else ""
    yield _named(path, told)
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
    numbers = f"{_number(first)}" + (f"-{_number(last)}" if section[1:] else "")
    path = first.section_path
    name = trail(path[-1:] if len(path) < 2 or path[:-1] in trails else path[-2:])
    if trails.count(path) > 1 or not name:
        beginning = one_line(body(first.beginning, path), BEGINNING_CHARS)
        name = f"{name} “{beginning}”".lstrip()
    parts = say(language, "parts", parts=len(section)) if section[1:] else ""
    return f"#{numbers} {name}{parts}"


def _number(entry: OutlineEntry) -> str:
    return entry.chunk_id.rpartition("#")[2]


# ---------------------------------------------------------------- the library at a glance


def render_titles(titles: Sequence[tuple[str, str]]) -> list[str]:
    """A line for each file: its path, and its title where the path does not say it."""
    return [
        visible(path)
        if not title or title in path
        else f"{visible(path)} · {one_line(title, HEADING_CHARS)}"
        for path, title in titles
    ]


def render_folders(folders: Sequence[FolderSummary], language: Language, at_most: int) -> list[str]:
    """Every folder with its number of files, and as much of what it is about as there is room.

    Details are given out in turns, first to the folders of most files. Folders without any
    share lines. `at_most`: tokens. Names are never cut, titles only in their middle.
    """
    names = _distinct({title for folder in folders for title in folder.about[:ABOUT]})
    details = [_details(folder, names) for folder in folders]
    taken = [0] * len(folders)
    budget = tokens_of(at_most)
    largest_first = sorted(range(len(folders)), key=lambda at: -folders[at].files)
    left = at_most - sum(map(budget.cost, _lines(folders, details, taken, language)))
    for turn in range(ABOUT + GROUPS):
        for at in largest_first:
            there = taken[at] == turn < len(details[at])
            if there and (cost := budget.cost(details[at][turn])) <= left:
                left -= cost
                taken[at] += 1
    return _lines(folders, details, taken, language)


def _details(folder: FolderSummary, names: dict[str, str]) -> list[str]:
    """Titles and groups in turns: a title, two groups, a title, …"""
    about = [names[title] for title in folder.about[:ABOUT]]
    groups = [f"{visible(group.name)} {group.files}" for group in folder.groups[:GROUPS]]
    told: list[str] = []
    while about or groups:
        told += [*about[:1], *groups[:2]]
        about, groups = about[1:], groups[2:]
    return told


def _distinct(titles: Iterable[str]) -> dict[str, str]:
    """Titles by what is shown of them: cut in the middle, unless two would look alike."""
    cut = {title: without_middle(title, ABOUT_CHARS) for title in titles}
    shown = list(cut.values())
    return {
        title: short if shown.count(short) == 1 else one_line(title, len(title))
        for title, short in cut.items()
    }


def _lines(
    folders: Sequence[FolderSummary],
    details: Sequence[Sequence[str]],
    taken: Sequence[int],
    language: Language,
) -> list[str]:
    lines, bare = [], []
    for folder, all_, count in zip(folders, details, taken, strict=True):
        named = f"{visible(folder.path)} {folder.files}"
        if count:
            colon = say(language, "colon")
            lines.append(f"{named}{colon}{' · '.join(all_[:count])}")
        else:
            bare.append(named)
    return lines + [" · ".join(bare[at : at + IN_A_LINE]) for at in range(0, len(bare), IN_A_LINE)]
