"""Faults planted by code in the example library are found, and nothing else is."""

from pathlib import Path

import pytest

from fanshu.checkup.examination import check
from fanshu.checkup.findings import Finding, Report
from fanshu.library.library import Library
from tests.checkup.planting import EXAMPLES, FAULTS, Fault, planted

RECALL = 0.8
LEAST_FAULTS = 40


def report_of(folder: Path, index: Path) -> Report:
    library = Library([folder], index)
    try:
        library.sync()
        return check(library)
    finally:
        library.close()


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    """The findings that the library did not have before the faults were planted."""
    place = tmp_path_factory.mktemp("planted")
    before = {one.id for one in report_of(EXAMPLES, place / "before.db").findings}
    after = report_of(planted(place), place / "after.db").findings
    return [one for one in after if one.id not in before]


def matches(fault: Fault, finding: Finding) -> bool:
    text = " ".join([finding.term, *finding.values.values(), *(s.text for s in finding.sides)])
    files = {side.file_path for side in finding.sides}
    return finding.kind in fault.kinds and fault.file in files and fault.holds in text


def test_enough_faults_of_every_kind_and_both_languages() -> None:
    assert len(FAULTS) >= LEAST_FAULTS
    assert {fault.language for fault in FAULTS} == {"zh", "en"}
    kinds = {kind for fault in FAULTS for kind in fault.kinds}
    assert kinds == {
        "conflict", "contact", "twin", "superseded", "reference", "link", "unreadable",
        "headings", "section", "term",
    }  # fmt: skip


def test_recall(new: list[Finding]) -> None:
    missed = [one.name for one in FAULTS if not any(matches(one, found) for found in new)]
    assert len(missed) <= (1 - RECALL) * len(FAULTS), missed


def test_nothing_else_is_found(new: list[Finding]) -> None:
    other = [one for one in new if not any(matches(fault, one) for fault in FAULTS)]
    assert [(one.kind, one.message("en"), [s.text for s in one.sides]) for one in other] == []
