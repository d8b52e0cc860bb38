"""The committed example is what `scripts/example_report.py` makes, times apart."""

from pathlib import Path

import pytest
from scripts.example_report import REPORTS, told

TIMES = ("seconds", "first step")


@pytest.mark.slow
def test_the_example_is_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fanshu.evals.report.plain import markdown

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    made = untimed(markdown(told(tmp_path)))
    assert made == untimed((REPORTS / "library.md").read_text(encoding="utf-8"))


def untimed(text: str) -> list[str]:
    rows = text.splitlines()
    return [row for row in rows if not row.startswith(tuple(f"| {name}" for name in TIMES))]


def test_the_page_is_of_the_same_figures() -> None:
    page = (REPORTS / "library.html").read_text(encoding="utf-8")
    plain = (REPORTS / "library.md").read_text(encoding="utf-8")
    right = next(row for row in plain.splitlines() if row.startswith("| right |"))
    for cell in right.split(" | ")[1:]:
        figure, _, rest = cell.removesuffix(" |").partition(" ")
        assert f"<td>{figure} <i>{rest}</i></td>" in page
