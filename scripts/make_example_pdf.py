"""Make examples/library/operations/quick-guide.pdf: chapters, bookmarks, page numbers.

    python scripts/make_example_pdf.py

The file is committed; run this only after a change of the text below. The output does not
depend on the day it is made.
"""

from datetime import UTC, datetime
from pathlib import Path

from fpdf import FPDF, XPos, YPos

TARGET = Path(__file__).resolve().parent.parent / "examples/library/operations/quick-guide.pdf"
DATE = datetime(2024, 11, 20, tzinfo=UTC)

TITLE = "Dukou Quick Guide"
CHAPTERS: list[tuple[str, list[tuple[str, str]]]] = [
    (
        "1 Overview",
        [
            (
                "1.1 What Dukou does",
                "Dukou is a file exchange gateway. Partners upload files over HTTPS; Dukou checks"
                " them, stores them and delivers them to internal systems. Every delivery is"
                " recorded and can be repeated.\n"
                "This guide is for version 3.2. It shortens the Chinese product manual, which"
                " holds where the two differ.",
            ),
            (
                "1.2 Terms",
                "Partner: a company that exchanges files, known by a code of six letters.\n"
                "Delivery: handing one file to one internal system, retries included.\n"
                "Leader: the node that schedules deliveries and removes expired files.",
            ),
        ],
    ),
    (
        "2 Sizing",
        [
            (
                "2.1 Nodes",
                "One node of 8 cores and 16 GB serves up to 50 partners, or about 40 uploads a"
                " second of 1 MB each. Beyond 200 partners run a cluster of at least three nodes.",
            ),
            (
                "2.2 Disk",
                "Multiply the daily volume by the retention in days and add 30% for retries and"
                " temporary chunks. With 20 GB a day and a retention of 14 days, plan 364 GB.",
            ),
            (
                "2.3 Network",
                "Allow 100 Mbit/s for each 25 partners. Latency between cluster nodes must stay"
                " below 20 ms, otherwise elections may fail.",
            ),
        ],
    ),
    (
        "3 First transfer",
        [
            (
                "3.1 Create a partner",
                "Run: dukouctl partner add KHLOGI --dir /in/khlogi\n"
                "The command prints the client secret once. It cannot be shown again; use"
                " dukouctl partner reset-secret to make a new one.",
            ),
            (
                "3.2 Send a file",
                "Get a token with POST /v2/token, then send the file with POST /v2/files. Files"
                " above 256 MB should be sent in chunks. The reply carries the file id, with"
                " which dukouctl trace shows every step.",
            ),
        ],
    ),
    (
        "4 Backup and recovery",
        [
            (
                "4.1 What to back up",
                "Back up the metadata database every night, the folder conf after each change,"
                " and the file conf/secret.key once, apart from the rest. Stored files need no"
                " backup if the archive is in place.",
            ),
            (
                "4.2 Restore",
                "1. Stop all nodes.\n"
                "2. Load the dump into an empty database.\n"
                "3. Start one node with dukoud --recover; it compares the database with the"
                " stored files and writes the differences to recover.log.\n"
                "4. Start the other nodes after the first one is READY.\n"
                "The recovery point objective is 24 hours, the recovery time objective 2 hours.",
            ),
            (
                "4.3 Drills",
                "Practise a restore at least once a quarter, on the test environment, and write"
                " down how long it took.",
            ),
        ],
    ),
]


class Guide(FPDF):
    """A page with a running header and its number."""

    def header(self) -> None:
        if self.page_no() > 1:
            self.set_font("Helvetica", size=8)
            self.cell(0, 6, f"{TITLE} - version 3.2", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
            self.ln(4)

    def footer(self) -> None:
        self.set_y(-15)
        self.set_font("Helvetica", size=8)
        self.cell(0, 6, str(self.page_no()), align="C")


def main() -> None:
    guide = Guide(format="A4")
    guide.set_creation_date(DATE)
    guide.set_title(TITLE)
    guide.set_author("Chengshi Technology")
    guide.set_lang("en")
    cover(guide)
    for title, sections in CHAPTERS:
        chapter(guide, title, sections)
    guide.output(str(TARGET))


def cover(guide: FPDF) -> None:
    guide.add_page()
    guide.set_font("Helvetica", "B", 26)
    guide.ln(60)
    line(guide, 14, TITLE)
    guide.set_font("Helvetica", size=12)
    line(guide, 8, "Version 3.2, 20 November 2024")
    line(guide, 8, "Chengshi Technology")


def chapter(guide: FPDF, title: str, sections: list[tuple[str, str]]) -> None:
    guide.add_page()
    guide.start_section(title)
    guide.set_font("Helvetica", "B", 18)
    line(guide, 12, title)
    for heading, text in sections:
        guide.start_section(heading, level=1)
        guide.set_font("Helvetica", "B", 13)
        guide.ln(3)
        line(guide, 9, heading)
        guide.set_font("Helvetica", size=11)
        line(guide, 6, text)


def line(guide: FPDF, height: float, text: str) -> None:
    guide.multi_cell(0, height, text, new_x=XPos.LMARGIN, new_y=YPos.NEXT)


if __name__ == "__main__":
    main()
