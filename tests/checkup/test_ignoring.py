"""Rules that leave findings out, each with a reason."""

from pathlib import Path

import pytest

from fanshu.checkup.examination import check
from fanshu.errors import ConfigError
from tests.checkup.chunked import library_of

FILES = {
    "a.md": "# 甲\n\n`read_timeout` 默认为 30 秒。见[乙](missing.md)。\n",
    "b.md": "# 乙\n\n`read_timeout` 默认为 60 秒。\n",
}


def report(folder: Path, rules: str) -> object:
    library = library_of(folder, FILES)
    place = folder / "docs" / ".fanshu"
    place.mkdir()
    (place / "check-ignore.toml").write_text(rules, encoding="utf-8")
    return check(library)


def test_a_rule_leaves_out_what_it_names_and_keeps_the_reason(tmp_path: Path) -> None:
    found = report(tmp_path, '[[ignore]]\nkind = "link"\npath = "a.*"\nreason = "being moved"\n')
    assert [one.kind for one in found.findings] == ["conflict"]
    assert [(one.finding.kind, one.reason) for one in found.ignored] == [("link", "being moved")]
    assert found.unused == ()


def test_a_path_must_hold_every_passage(tmp_path: Path) -> None:
    found = report(tmp_path, '[[ignore]]\nkind = "conflict"\npath = "a.md"\nreason = "x"\n')
    assert {one.kind for one in found.findings} == {"conflict", "link"}
    assert len(found.unused) == 1


def test_a_finding_is_left_out_by_its_id_and_by_its_term(tmp_path: Path) -> None:
    first = check(library_of(tmp_path / "one", FILES)).findings
    conflict = next(one for one in first if one.kind == "conflict")
    rules = f'[[ignore]]\nid = "{conflict.id}"\nreason = "x"\n[[ignore]]\nterm = "missing*"\nreason = "y"\n'
    assert report(tmp_path / "two", rules).findings == ()


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ('[[ignore]]\nkind = "link"\n', "give a reason"),
        ('[[ignore]]\nreason = "x"\n', "name an id"),
        ('[[ignore]]\nkind = "lnk"\nreason = "x"\n', "unknown kind"),
        ('[[ignore]]\nfile = "x"\nreason = "x"\n', "unknown"),
        ("[[ignore]\n", "check-ignore.toml"),
        ("ignore = 3\n", "one table for each rule"),
        ("[[ignore]]\nid = 3\nreason = 'x'\n", "quotation marks"),
    ],
)
def test_a_rule_that_cannot_be_understood_says_what_is_wrong(
    tmp_path: Path, rules: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        report(tmp_path, rules)
