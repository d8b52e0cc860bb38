"""Where an index may live: not on a network file system, where SQLite's log does not work.

WAL needs memory that all readers share, which NFS, SMB and the like do not give; two machines
would corrupt the file. Documents may lie there, the index may not.
"""

import os
from pathlib import Path

NETWORK = frozenset(
    "nfs nfs4 cifs smb smb2 smb3 smbfs ncpfs afs 9p ceph glusterfs lustre beegfs gpfs davfs "
    "fuse.sshfs fuse.davfs2 fuse.glusterfs fuse.s3fs fuse.rclone fuse.gcsfuse fuse.juicefs".split()
)
MOUNTS = Path("/proc/self/mounts")


def network_filesystem(path: Path, mounts: Path = MOUNTS) -> str | None:
    """The type of the network file system that a path lies on, None on local ones.

    Where the system does not list its mounts (macOS, Windows), None: only UNC paths are told.
    """
    real = _existing(path)
    if os.fspath(real).startswith("\\\\"):
        return "smb"
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    below = [(Path(_plain(f[1])), f[2]) for line in lines if len(f := line.split(" ")) > 2]
    holding = [(point, kind) for point, kind in below if real.is_relative_to(point)]
    if not holding:
        return None
    kind = max(holding, key=lambda mount: len(mount[0].parts))[1]
    return kind if kind in NETWORK else None


def _existing(path: Path) -> Path:
    """The path itself or the nearest folder above it that exists, links resolved."""
    path = path.absolute()
    while not path.exists() and path != path.parent:
        path = path.parent
    return path.resolve()


def _plain(field: str) -> str:
    """A field of the mount table; spaces and the like are written in octal there."""
    for octal, char in ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")):
        field = field.replace(octal, char)
    return field
