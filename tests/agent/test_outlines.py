"""Outlines and the library at a glance as text: what is shown, what is cut, and that it is said."""

from itertools import groupby

from fanshu.agent.budget import lines_of, tokens_of
from fanshu.agent.context import tokens
from fanshu.agent.layout import without_middle
from fanshu.agent.outlines import OUTLINE_TOKENS, render_folders, render_outline, render_titles
from fanshu.types import FolderSummary, NameGroup, Outline, OutlinedFile, OutlineEntry


def entry(
    chunk_id: str, *trail: str, part: tuple[int, int] = (1, 1), begins: str = ""
) -> OutlineEntry:
    path = chunk_id.rpartition("#")[0]
    return OutlineEntry(chunk_id, path, trail, len(trail), None, None, part, 100, begins)


def outlined(*entries: OutlineEntry) -> Outline:
    groups = [(p, list(group)) for p, group in groupby(entries, lambda one: one.file_path)]
    files = [OutlinedFile(p, "".join(g[0].section_path[:1]), len(g), 100) for p, g in groups]
    return Outline(tuple(files), entries)


def test_a_long_file_shows_fewer_levels() -> None:
    entries = [entry("a.md#1", "Top")]
    for group in range(10):
        entries.append(entry(f"a.md#{len(entries) + 1}", "Top", f"group {group}"))
        entries += [
            entry(f"a.md#{len(entries) + n}", "Top", f"group {group}", f"a long heading {n}" * 3)
            for n in range(1, 31)
        ]
    told = outlined(*entries)
    text = render_outline(told, language="en")
    assert "    #2 group 0\n      #3 a long heading 1" in text
    assert text.count("      … 25 more") == 10
    text = render_outline(told, language="en", budget=tokens_of(150))
    assert "#2 group 0 (30 below)" in text
    assert "#3 " not in text
    assert len(text.splitlines()) == 12


def test_one_long_level_is_shown_in_part() -> None:
    entries = [entry("a.md#1", "Top"), entry("a.md#2", "Top", "Reference")]
    entries += [
        entry(f"a.md#{n}", "Top", "Reference", f"option {n} {'x' * 20}") for n in range(3, 503)
    ]
    lines = render_outline(outlined(*entries), language="en").splitlines()
    assert lines[2].strip() == "#2 Reference"
    assert "      #3 option 3" in lines[3]
    assert lines[-2].strip() == f"… {500 - (len(lines) - 5)} more"
    assert "words" in lines[-1]


def many(count: int, folder: str) -> list[OutlineEntry]:
    paths = [f"docs/{folder}/f{n}.md" for n in range(count)]
    return [entry(f"{p}#{n}", f"Title {p[-4]}", f"s{n}") for p in paths for n in range(1, 9)]


def test_many_files_are_listed_and_more_as_folders() -> None:
    few = render_outline(outlined(*many(60, "a"), *many(20, "b")), language="en")
    assert "docs/a/f0.md · Title 0 · 8 sections" in few
    text = render_outline(outlined(*many(300, "a"), *many(200, "b")), language="en")
    head, *folders = text.splitlines()
    assert "500 files" in head
    assert [line.partition(":")[0] for line in folders] == ["docs/a/ 300", "docs/b/ 200"]


def test_files_alone_are_listed_with_their_sizes() -> None:
    files = [OutlinedFile("a.md", "甲", 7, 900), OutlinedFile("b/c.md", "", 2, 30)]
    text = render_outline(Outline(tuple(files), None), language="zh")
    assert text.splitlines() == ["a.md · 甲 · 7 节", "b/c.md · 2 节"]


def test_what_is_cut_is_counted_and_how_to_see_it_is_said() -> None:
    entries = [entry(f"a.md#{n}", f"heading {n} {'x' * 40}") for n in range(1, 401)]
    text = render_outline(outlined(*entries), language="en")
    shown, last = text.splitlines()[:-1], text.splitlines()[-1]
    assert tokens("\n".join(shown)) <= OUTLINE_TOKENS
    assert f"{401 - len(shown)} more lines" in last
    assert "path" in last
    assert (
        len(render_outline(outlined(*entries), language="en", budget=lines_of(500)).split("\n"))
        == 401
    )


def test_a_file_tells_its_title_unless_a_heading_does() -> None:
    told = Outline(
        (OutlinedFile("ch03.html", "系统初始化", 1, 9),), (entry("ch03.html#1", "概述"),)
    )
    assert render_outline(told, language="zh").splitlines()[0] == "ch03.html · 系统初始化"
    told = Outline((OutlinedFile("ch03.html", "概述", 1, 9),), (entry("ch03.html#1", "概述"),))
    assert render_outline(told, language="zh").splitlines()[0] == "ch03.html"


def test_parts_and_twins_are_told_apart() -> None:
    entries = [
        entry("a.md#1", "T", "long", part=(1, 2)),
        entry("a.md#2", "T", "long", part=(2, 2)),
        entry("a.md#3", "T", "twin", begins="## twin\n\nfirst words"),
        entry("a.md#4", "T", "other"),
        entry("a.md#5", "T", "twin", begins="## twin\n\nother words"),
    ]
    text = render_outline(outlined(*entries), language="en")
    assert "#1-2 T > long (2 parts)" in text
    assert "twin “first words”" in text
    assert "twin “other words”" in text


# ---------------------------------------------------------------- at a glance


def test_a_folder_tells_titles_and_groups() -> None:
    summary = FolderSummary("laws/", 30, ("供热条例", "献血条例"), (NameGroup("青岛市*", 12),))
    lines = render_folders([summary], "zh", 100)
    assert lines == ["laws/ 30：供热条例 · 青岛市* 12 · 献血条例"]


def test_little_room_goes_to_the_largest_folders_and_all_are_named() -> None:
    folders = [
        FolderSummary(f"f{n}/", n, (f"What folder number {n} is about",)) for n in range(1, 31)
    ]
    for room in (120, 200, 400):
        lines = render_folders(folders, "en", room)
        assert tokens("\n".join(lines)) <= room
        assert all(f"f{n}/ {n}" in "\n".join(lines) for n in range(1, 31))
    assert any(line.startswith("f30/ 30: What") for line in render_folders(folders, "en", 120))


def test_titles_are_cut_only_while_they_differ() -> None:
    long = "Decision record about the retention of data in the first stage of "
    a, b = f"{long}X and the rest", f"{long}Y and the rest"
    (line,) = render_folders([FolderSummary("adr/", 9, (a, b))], "en", 300)
    assert a in line
    assert b in line
    (line,) = render_folders([FolderSummary("adr/", 9, (a, "other"))], "en", 300)
    assert "Decision record about…the rest" in line


def test_a_cut_leaves_both_ends() -> None:
    assert without_middle("短标题", 36) == "短标题"
    cut = without_middle("国务院关于国家行政机关和企业事业单位社会团体印章管理的规定", 36)
    assert cut.startswith("国务院关于")
    assert cut.endswith("的规定")
    assert len(cut) <= 19


def test_titles() -> None:
    lines = render_titles([("ch03.html", "系统初始化"), ("概述.md", "概述")])
    assert lines == ["ch03.html · 系统初始化", "概述.md"]


def test_budgets_take_whole_lines() -> None:
    lines = ["a" * 40, "b" * 40, "c" * 40]
    assert list(tokens_of(25).within(lines)) == lines[:2]
    assert list(lines_of(1).within(lines)) == lines[:1]
    assert lines_of(3).holds(lines)
    assert not tokens_of(25).holds(lines)
