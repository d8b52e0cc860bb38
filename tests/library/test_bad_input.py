"""Bad input that needs a place of its own: no room on the disk, files that go while they are read."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fanshu.library import syncing
from fanshu.library.files import Found
from fanshu.library.library import Library, Root
from tests.waiting import PATIENCE

MakeLibrary = Callable[..., Library]

NO_ROOM = """
import resource, signal, sys
from pathlib import Path
from fanshu.errors import IndexUnwritable
from fanshu.library.library import Library, Root
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
documents = Library([Root(Path(sys.argv[1]))], Path(sys.argv[2]))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    documents.sync()
except IndexUnwritable as error:
    print("said:", error)
"""


@pytest.mark.skipif(os.name != "posix", reason="optional: limits of POSIX systems")
def test_a_full_disk_is_said_and_leaves_the_old_index(tmp_path: Path) -> None:
    docs, index = tmp_path / "docs", tmp_path / "index.db"
    docs.mkdir()
    (docs / "old.md").write_text("旧的内容还在", encoding="utf-8")
    documents = Library([Root(docs)], index, search_seconds=PATIENCE)
    documents.sync()
    documents.close()
    words = "".join(f"第{n}段文字，内容各不相同，编号 {n * 7919}。\n\n" for n in range(20_000))
    (docs / "new.md").write_text(words, encoding="utf-8")
    room = str(index.stat().st_size + 200_000)
    command = [sys.executable, "-c", NO_ROOM, str(docs), str(index), room]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("said: The index cannot be written"), done.stderr
    with sqlite3.connect(index) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    again = Library([Root(docs)], index, search_seconds=PATIENCE)
    assert again.sync().parsed == 1  # with room, only the rest is left to do
    assert again.search("旧的内容还在").total == 1
    assert again.search("第19999段文字").total == 1
    again.close()


def test_a_file_that_vanishes_while_it_is_read_is_named_and_the_rest_goes_on(
    library: MakeLibrary,
) -> None:
    documents = library({"a.md": "甲的文字"})
    folder = documents.roots[0].path
    (folder / "b.md").write_text("乙的文字", encoding="utf-8")
    seen = [Found("gone.md", folder / "gone.md", 10, 1), Found("b.md", folder / "b.md", 12, 1)]
    report = syncing.apply(documents.store, syncing.Plan(changed=seen), documents.limits)
    assert (report.parsed, report.failed) == (2, 1)
    states = {r.path: (r.state, r.reason) for r in documents.store.documents().values()}
    assert states["gone.md"] == ("failed", "unreadable: No such file or directory")
    assert states["b.md"] == ("ok", None)
    documents.sync()
    assert "gone.md" not in documents.store.documents()
