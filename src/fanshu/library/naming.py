"""What people mean by a path: exactly, a folder, or the beginning of a name."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import PurePosixPath

from fanshu.errors import UnknownPath
from fanshu.library.store import DocumentRecord
from fanshu.library.terms import fold

CLOSEST = 3
_ID_NUMBER = re.compile(r"#\d+\Z")  # a chunk id where a path belongs means its file

Documents = Mapping[str, DocumentRecord]


def meant(documents: Documents, path: str) -> list[str]:
    """The documents that a path means, by the strictest of several readings that finds any.

    Raises: UnknownPath.
    """
    wanted = _ID_NUMBER.sub("", path.strip()).strip("/").removeprefix("./")
    folded = fold(wanted)
    tests = (
        lambda p: p == wanted,
        lambda p: p.startswith(wanted + "/"),
        lambda p: fold(p) == folded or fold(p).startswith(folded + "/"),
        lambda p: fold(PurePosixPath(p).name) == folded or f"/{folded}/" in f"/{fold(p)}",
        lambda p: fold(p).startswith(folded) or fold(PurePosixPath(p).name).startswith(folded),
        lambda p: folded in fold(p) or folded in fold(documents[p].title),
    )
    for test in tests:
        if folded and (found := [p for p in documents if test(p)]):
            return found
    raise UnknownPath(path=path, closest=nearest(documents, wanted) or "-")


def nearest(documents: Documents, path: str) -> str:
    """The paths that look most like one that is not there, in one line; "" when none does."""
    names = {PurePosixPath(p).name: p for p in documents}
    near = get_close_matches(path, list(documents), n=CLOSEST, cutoff=0.5)
    near += [names[n] for n in get_close_matches(PurePosixPath(path).name, names, CLOSEST, 0.5)]
    return ", ".join(dict.fromkeys(near[:CLOSEST]))
