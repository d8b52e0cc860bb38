"""Whether words found in another place mean the same there, as far as names above them tell."""

import re
from collections.abc import Sequence

from fanshu.agent.support import names_in
from fanshu.library.telling import unnumbered
from fanshu.library.terms import fold
from fanshu.types import Chunk, Citation

TELLING = 60  # folded characters of a passage that says what it is about itself
_ORDER = re.compile(r"^\d{1,3}[-_. ](?=\D)")  # 02-manual.md: its place in a list, not a version
_NUMBER = re.compile(r"\d+(?:\.\d+)*")  # a version, a year, the number of a decision
# What turns round what a document or section says, or takes it back.
_TURNING = re.compile(
    r"[不未无非免]|旧|归档|历史|废止|作废|失效|草[稿案]|试行|停用"
    r"|\b(?:not?|without|old|archived?|deprecated|obsolete|draft|legacy|retired)\b"
)


def same_trail(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two heading trails are the same but for the numbers of chapters."""
    return list(map(_heading, one)) == list(map(_heading, other))


def same_context(cited: Citation, chunk: Chunk) -> bool:
    """Whether a passage that stands in a chunk word for word says there what it said."""
    here = chunk.file_path == cited.file_path
    if here and same_trail(cited.section_path, chunk.section_path):
        return True
    if not _agree(_said(cited.file_path, cited.section_path), _said_of(chunk)):
        return False
    return (
        chunk.hash == cited.hash
        or same_trail(cited.section_path[-1:], chunk.section_path[-1:])
        or len(fold(cited.passage)) >= TELLING
        or names_in(cited.passage)
    )


def _said_of(chunk: Chunk) -> str:
    return _said(chunk.file_path, chunk.section_path)


def _said(file_path: str, trail: Sequence[str]) -> str:
    """What stands over a text: names of folders and file, headings; without their numbering."""
    names = [_ORDER.sub("", name) for name in file_path.split("/")]
    return fold("\n".join((*names, *map(unnumbered, trail))))


def _agree(then: str, now: str) -> bool:
    """Whether names can stand over the same: no other numbers in the place of theirs, no word that
    takes back what is below it.
    """
    old, new = set(_NUMBER.findall(then)), set(_NUMBER.findall(now))
    turned = set(_TURNING.findall(now)) - set(_TURNING.findall(then))
    return not turned and not (old - new and new - old)


def _heading(text: str) -> str:
    return "".join(fold(unnumbered(text)).split())
