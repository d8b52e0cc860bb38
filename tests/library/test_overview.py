"""The library at a glance: folders, groups of names, telling titles."""

from fanshu.library.beginnings import families
from fanshu.library.overview import FOLDERS, overview
from fanshu.library.telling import telling, unnumbered


def paths(*names: str) -> list[tuple[str, str]]:
    return [(name, "") for name in names]


def test_folders_with_their_files() -> None:
    told = overview(
        [("a/1.md", "供热"), ("a/b/2.md", "供水"), ("c/3.md", "燃气"), ("4.md", "总则")]
    )
    assert [(one.path, one.files) for one in told] == [(".", 1), ("a/", 2), ("c/", 1)]
    assert set(told[1].about) == {"供热", "供水"}


def test_a_folder_around_everything_is_looked_into() -> None:
    told = overview(paths("docs/zh/a/1.md", "docs/zh/a/2.md", "docs/zh/b/3.md", "docs/zh/4.md"))
    assert [(one.path, one.files) for one in told] == [
        ("docs/zh/*", 1), ("docs/zh/a/", 2), ("docs/zh/b/", 1)
    ]  # fmt: skip
    alone = overview(paths("README.md", *(f"docs/{n}.md" for n in range(20))))
    assert [(one.path, one.files) for one in alone] == [(".", 1), ("docs/", 20)]


def test_an_empty_library_has_no_folders() -> None:
    assert overview([]) == ()


def test_every_file_is_counted_once() -> None:
    files = paths(*(f"{a}/{b}/x{n}.md" for a in "abc" for b in "de" for n in range(9)), "r.md")
    assert sum(one.files for one in overview(files)) == len(files)


def test_very_many_folders_are_grouped() -> None:
    files = paths(
        *(f"project-{n}/a.md" for n in range(100)), *(f"team-{n}/b.md" for n in range(80))
    )
    told = overview(files)
    assert len(told) <= FOLDERS
    assert {(one.path, one.files) for one in told} == {("project-*", 100), ("team-*", 80)}


def test_flat_files_are_grouped_by_how_they_begin() -> None:
    names = [f"{a}-{n}x.html" for a in ("sql", "catalog-pg", "view-pg") for n in range(30)]
    groups = families([*names, "index.html", "intro.html"])
    assert [(group.name, group.files) for group in groups] == [
        ("catalog-pg-*", 30), ("sql-*", 30), ("view-pg-*", 30)
    ]  # fmt: skip


def test_years_cities_and_serial_numbers_are_beginnings() -> None:
    years = [
        f"{year}-{month:02}-15-minutes.md" for year in (2022, 2023, 2024) for month in range(1, 13)
    ]
    assert [group.name for group in families(years)] == ["2022-*", "2023-*", "2024-*"]
    cities = [f"{city}{what}条例.txt" for city in ("青岛市", "济南市", "杭州市") for what in
              ("供热", "燃气", "献血", "养犬", "消防")]  # fmt: skip
    assert {group.name for group in families(cities)} == {"青岛市*", "济南市*", "杭州市*"}


def test_groups_are_disjoint_and_say_something() -> None:
    names = [f"dm-{n}" for n in ("a", "b", "c", "d")] + [f"dm-task-{n}" for n in range(8)]
    groups = families(names)
    assert all(group.files < len(names) for group in groups)
    assert sum(group.files for group in groups) <= len(names)


def test_titles_that_tell_folders_apart() -> None:
    told = telling(
        {
            "net": ["网络设置", "网络应用", "网络诊断", "概述"],
            "disk": ["磁盘分区", "磁盘加密", "磁盘阵列", "概述"],
        },
        1,
    )
    assert "网络" in told["net"][0]
    assert "磁盘" in told["disk"][0]


def test_titles_differ_in_what_they_tell() -> None:
    titles = [
        "Backup guide",
        "Backup overview",
        "Backup reference",
        "Restore guide",
        "Restore steps",
    ]
    first, second = telling({"docs": titles}, 2)["docs"]
    assert {first.split()[0], second.split()[0]} == {"Backup", "Restore"}


def test_numbers_of_chapters_are_left_out() -> None:
    assert unnumbered("38.14. User-Defined Operators") == "User-Defined Operators"
    assert unnumbered("Chapter 61. Writing") == "Writing"
    assert unnumbered("第 3 章 系统初始化") == "系统初始化"
    assert unnumbered("第三章 总则") == "总则"
    assert unnumbered("2023") == "2023"
    assert unnumbered("A guide") == "A guide"
    assert unnumbered("3D models") == "3D models"
