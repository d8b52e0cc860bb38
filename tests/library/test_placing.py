"""An index does not live on a network drive."""

from pathlib import Path

import pytest

from fanshu.errors import IndexUnwritable
from fanshu.library.placing import network_filesystem
from fanshu.library.sqlite import SqliteStore


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    drive = tmp_path / "team drive"
    (drive / "local").mkdir(parents=True)
    table = tmp_path / "mounts"
    written = str(drive).replace(" ", r"\040")
    table.write_text(
        f"/dev/sda1 / ext4 rw 0 0\nserver:/x {written} nfs4 rw 0 0\n"
        f"/dev/sdb1 {written}/local ext4 rw 0 0\nbroken\n"
    )
    return table


def test_the_nearest_mount_decides(tmp_path: Path, mounts: Path) -> None:
    drive = tmp_path / "team drive"
    assert network_filesystem(drive / "not yet" / "index.db", mounts) == "nfs4"
    assert network_filesystem(drive / "local" / "index.db", mounts) is None
    assert network_filesystem(tmp_path / "index.db", mounts) is None


def test_a_link_to_a_drive_is_the_drive(tmp_path: Path, mounts: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "team drive")
    assert network_filesystem(tmp_path / "link" / "index.db", mounts) == "nfs4"


def test_without_a_mount_table_nothing_is_refused(tmp_path: Path) -> None:
    assert network_filesystem(tmp_path, tmp_path / "none") is None


def test_the_store_refuses_and_says_where_to_go(tmp_path: Path, mounts: Path) -> None:
    with pytest.raises(IndexUnwritable, match=r"network.*nfs4.*--index"):
        SqliteStore(tmp_path / "team drive" / "index.db", mounts=mounts)
