"""What people mean by a path: exactly, a folder, or the beginning of a name."""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import PurePosixPath

from fanshu.errors import UnknownPath
from fanshu.library.store import DocumentRecord
from fanshu.library.terms import fold

CLOSEST = 3
_ID_NUMBER = re.compile(r"#\d+\Z")  # a chunk id where a path belongs means its file
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

Documents = Mapping[str, DocumentRecord]


def visible(name: str) -> str:
    """A path or id on one line, with line ends, orders to a terminal and turns as escapes.

    Anybody may give a file a name; shown, it must do nothing.
    """
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), name)


def meant(documents: Documents, path: str) -> list[str]:
    """The documents that a path means, by the strictest of several readings that finds any.

    Raises: UnknownPath.
    """
    if path in documents:
        return [path]
    wanted = _ID_NUMBER.sub("", path.strip()).rstrip("*…").strip("/").removeprefix("./")
    if wanted in documents:
        return [wanted]
    folded = fold(wanted)
    # Of very many documents, few have names that are not shown as they are.
    folder = f"{wanted}/"
    shown = {p: visible(p) for p in documents if not p.isprintable()}
    tests: tuple[Callable[[str], bool], ...] = (
        lambda p: p in shown and shown[p] == wanted,
        lambda p: p.startswith(folder) or (p in shown and shown[p].startswith(folder)),
        lambda p: fold(p) == folded or fold(p).startswith(folded + "/"),
        lambda p: fold(PurePosixPath(p).name) == folded or f"/{folded}/" in f"/{fold(p)}",
        lambda p: fold(p).startswith(folded) or fold(PurePosixPath(p).name).startswith(folded),
        lambda p: folded in fold(p) or folded in fold(documents[p].title),
    )
    for test in tests:
        if folded and (found := [p for p in documents if test(p)]):
            return found
    if "\\" in path:  # as Windows writes it; a name that holds one was looked for above
        return meant(documents, path.replace("\\", "/"))
    raise UnknownPath(path=path, closest=nearest(documents, wanted) or "-")


def spelled(documents: Documents, path: str) -> str | None:
    """The one document whose path is this as it is shown, or but for Unicode form, width and case.

    Some systems store names decomposed; whoever types one does not.
    """
    folded = fold(path)
    found = [one for one in documents if visible(one) == path or fold(one) == folded]
    if not found and "\\" in path:
        return spelled(documents, path.replace("\\", "/"))
    return found[0] if len(found) == 1 else None


def nearest(documents: Documents, path: str) -> str:
    """The paths that look most like one that is not there, in one line; "" when none does."""
    names = {PurePosixPath(p).name: p for p in documents}
    near = get_close_matches(path, list(documents), n=CLOSEST, cutoff=0.5)
    near += [names[n] for n in get_close_matches(PurePosixPath(path).name, names, CLOSEST, 0.5)]
    return ", ".join(map(visible, dict.fromkeys(near[:CLOSEST])))
