"""Which documents are built alike: the laws of two cities, the notes of two releases.

What they say in the same words is each said of its own subject.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

from fanshu.checkup.claims import Claim
from fanshu.checkup.tokens import features, words_of
from fanshu.library.terms import fold

LEAST_HEADINGS = 3  # that two files share; two may share 概述 and 常见问题 by chance
SHARE = 0.5  # of the headings of the shorter file
BUILT_ALIKE = 0.0  # what a contradiction between such files counts; parameters count more
NAMED_ALIKE = 0.5  # … when a specific parameter is meant
OTHER_NAME = 0.35  # … of statements, when only the names of the files are alike
NAME_SHARE = 0.6  # of two names: 枣庄市电梯安全条例, 金华市电梯安全条例
FAR = 0.5  # … of a name of general words, in parts of a library: dm/ and ticdc/
UNRELATED = 0.4  # a general name in files that have no word of their titles in common
_EDITION = re.compile(r"[（(][^（()）]*[)）]|\d+")
_ARTICLE = re.compile(r"第[零一二三四五六七八九十百千\d]+条")


_WORDS = (
    "max|min|worker|count|size|time|timeout|interval|batch|pool|name|type|id|num|number|level|limit"
    "|port|host|path|dir|file|log|thread|threads|queue|buffer|read|write|connect|connections?|retry"
    "|retries|status|mode|key|user|page|per|rows?|cache|memory|data|total|default|start|end|date"
)
_GENERIC = re.compile(rf"(?:{_WORDS})(?:[_.](?:{_WORDS}))?")


def _folder(claim: Claim) -> str:
    return claim.file_path.partition("/")[0] if "/" in claim.file_path else ""


class Outlines:
    """The headings of all files."""

    def __init__(self, sections: Iterable[tuple[str, tuple[str, ...]]]) -> None:
        headings: dict[str, set[str]] = defaultdict(set)
        for file_path, trail in sections:
            if trail and not _ARTICLE.fullmatch(trail[-1].strip()):
                headings[file_path].add(fold(trail[-1]))
        self._headings = {path: frozenset(held) for path, held in headings.items()}

    def alike(self, one: str, other: str) -> bool:
        """Whether two files are built alike."""
        mine = self._headings.get(one, frozenset())
        theirs = self._headings.get(other, frozenset())
        shared = len(mine & theirs)
        return one != other and shared >= max(LEAST_HEADINGS, SHARE * min(len(mine), len(theirs)))

    def one_subject(self, one: Claim, other: Claim) -> float:
        """What a contradiction counts for, by where both claims stand: 1 … 0."""
        if self.alike(one.file_path, other.file_path):
            return NAMED_ALIKE if one.form == "parameter" and one.specific else BUILT_ALIKE
        if one.form == "statement":
            return OTHER_NAME if named_alike(one.file_path, other.file_path) else 1.0
        if one.specific:
            far = _GENERIC.fullmatch(one.subject) and _folder(one) != _folder(other)
            return FAR if far else 1.0
        if named_alike(one.file_path, other.file_path):
            return BUILT_ALIKE
        shared = _about(one.title, one.section_path) & _about(other.title, other.section_path)
        return 1.0 if shared else UNRELATED


@lru_cache(maxsize=20_000)
def named_alike(one: str, other: str) -> bool:
    """Whether the names of two files differ by a word in place of another."""
    mine, theirs = _name(one), _name(other)
    if mine == theirs:
        return False
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    return matcher.ratio() >= NAME_SHARE


@lru_cache(maxsize=20_000)
def _name(path: str) -> tuple[str, ...]:
    stem = path.rpartition("/")[2].rpartition(".")[0]
    marks = _EDITION.sub(" ", stem)
    return tuple(words_of(re.sub(r"[-_.]", " ", marks)))


@lru_cache(maxsize=20_000)
def _about(title: str, trail: tuple[str, ...]) -> frozenset[str]:
    return features([*words_of(title), "", *words_of(" ".join(trail[-2:]))])
