r"""A file of synonyms, in the format that Solr and Elasticsearch share.

`a, b, c` are equivalent; `a, b => c, d` says that for a or b one may also look for c and d;
`#` begins a comment; `\,` is a comma of a word. Full-width signs count like narrow ones.
Rules are followed for one step only, so a circle of them costs nothing, and what a query
says is always searched as it stands: a synonym adds places, it never replaces any.

The file holds words and nothing else, so it is harmless wherever it comes from. It is looked
at again before each search and read when it has changed.
"""

import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fanshu.library.files import Root
from fanshu.library.parsers.encoding import decode
from fanshu.library.terms import fold, terms

DEFAULT = ".fanshu/synonyms.txt"  # below a root; hidden, so that it is no document itself
MAX_BYTES = 4_000_000  # four times the largest list of synonyms that is commonly shared
MAX_WORD_CHARS = 60
FORMS = 8  # that one word may stand for; each is a query of its own
TOLD = 3  # faulty lines that are named, the rest is a number

_COMMA = re.compile(r"(?<!\\),")
_Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Synonyms:
    """Rules as read: groups of words by a word that they may stand for, and what was wrong."""

    groups: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def of(self, word: str) -> tuple[str, ...]:
        """Other words for a word (in the form of `key`), in the order of the file."""
        every = (one for group in self.groups.get(word, ()) for one in group[: FORMS + 1])
        return tuple(one for one in dict.fromkeys(every) if one != word)[:FORMS]


def key(text: str) -> str:
    """The form in which words are compared: folded, white space as single spaces."""
    return " ".join(fold(text).split())


def parse(text: str, name: str) -> Synonyms:
    """Rules of a text; a line that is none is left out, and warned of by its number."""
    groups: dict[str, list[Sequence[str]]] = {}
    wrong: list[tuple[int, str]] = []
    for number, line in enumerate(fold(text).splitlines(), 1):
        rule = line.strip()
        if not rule or rule.startswith("#"):
            continue
        given, arrow, meant = rule.partition("=>")
        left, problem = _words(given)
        right, other = _words(meant) if arrow else (left, "")
        problem = problem or other or _incomplete(left, right, arrow, meant)
        if problem:
            wrong.append((number, problem))
            continue
        for word in left:
            groups.setdefault(word, []).append(right)
    return Synonyms(groups, tuple(_told(name, wrong)))


def _words(text: str) -> tuple[tuple[str, ...], str]:
    """The words of one side of a rule, and what is wrong with them."""
    parts = [" ".join(part.replace("\\,", ",").split()) for part in _COMMA.split(text)]
    if any(len(part) > MAX_WORD_CHARS for part in parts):
        return (), f"a word is longer than {MAX_WORD_CHARS} characters"
    words = tuple(dict.fromkeys(part for part in parts if part))
    if not all(terms(word) for word in words):
        return (), "a word has neither letters nor digits"
    return words, ""


def _incomplete(left: Sequence[str], right: Sequence[str], arrow: str, meant: str) -> str:
    if "=>" in meant:
        return "it has more than one =>"
    if arrow:
        return "" if left and right else "one side of => is empty"
    return "" if len(left) > 1 else "it has only one word"


def _told(name: str, wrong: Sequence[tuple[int, str]]) -> Iterator[str]:
    for number, problem in wrong[:TOLD]:
        yield f"{name}, line {number}: {problem}; the line is left out"
    if len(wrong) > TOLD:
        yield f"{name}: {len(wrong) - TOLD} more lines are left out"


class SynonymFiles:
    """The synonyms of a library: one file that was named, or the `DEFAULT` of each root.

    `elsewhere`: texts of such files of roots that other machines read, by the name of the root.
    """

    def __init__(
        self,
        roots: Sequence[Root],
        named: Path | None = None,
        elsewhere: Callable[[], Mapping[str, str]] | None = None,
    ) -> None:
        self._named = named
        self._elsewhere = None if named else elsewhere
        self._places = (
            [(named, None)] if named else [(root.path / DEFAULT, root.path) for root in roots]
        )
        self._names = [""] if named else [root.name for root in roots]
        self._texts: dict[str, Synonyms] = {}
        self._known: dict[Path, tuple[_Stamp, Synonyms]] = {}

    def current(self) -> Sequence[Synonyms]:
        """What the files say now; those that are not there say nothing."""
        read = [self._load(place, inside) for place, inside in self._places]
        if self._elsewhere is None:
            return [one for one in read if one]
        # The same order on all machines, whichever of the roots they read themselves.
        by_name = dict(zip(self._names, read, strict=True))
        by_name |= {name: self._parsed(text) for name, text in self._elsewhere().items()}
        return [one for _, one in sorted(by_name.items()) if one]

    def _parsed(self, text: str) -> Synonyms:
        if text not in self._texts:
            self._texts[text] = parse(text, Path(DEFAULT).name)
        return self._texts[text]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the files as they are now."""
        return tuple(warning for one in self.current() for warning in one.warnings)

    def _load(self, place: Path, inside: Path | None) -> Synonyms | None:
        try:
            info = place.stat()
        except OSError as error:
            return self._missing(place, error)
        stamp = info.st_mtime_ns, info.st_size
        known = self._known.get(place)
        if known is None or known[0] != stamp:
            known = self._known[place] = stamp, _read(place, info.st_mode, inside)
        return known[1]

    def _missing(self, place: Path, error: OSError) -> Synonyms | None:
        """A file that was named has to be there; a default one need not."""
        if self._named is None:
            return None
        return Synonyms(warnings=(f"{place}: it cannot be read: {error.strerror}",))


def text_of(folder: Path) -> str:
    """The text of the `DEFAULT` file of a root, as far as it is read; empty where there is none."""
    place = folder / DEFAULT
    try:
        inside = place.resolve().is_relative_to(folder.resolve())
        with place.open("rb") as file:
            data = file.read(MAX_BYTES) if inside else b""
    except OSError:
        return ""
    decoded = decode(data)
    return decoded.text if decoded else ""


def _read(place: Path, mode: int, inside: Path | None) -> Synonyms:
    """The rules of a file. Below a root a link must not lead out of it."""
    if not stat.S_ISREG(mode):
        return Synonyms(warnings=(f"{place}: it is no file; nothing is taken from it",))
    if inside and not place.resolve().is_relative_to(inside.resolve()):
        return Synonyms(warnings=(f"{place}: it leads out of the documents and is not read",))
    try:
        with place.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        return Synonyms(warnings=(f"{place}: it cannot be read: {error.strerror}",))
    cut = len(data) > MAX_BYTES
    if cut:
        data = data[: data.rfind(b"\n", 0, MAX_BYTES) + 1]
    decoded = decode(data)
    if decoded is None:
        return Synonyms(warnings=(f"{place}: it is no text; nothing is taken from it",))
    found = parse(decoded.text, place.name)
    if not cut:
        return found
    warning = f"{place.name}: only the first {MAX_BYTES // 1_000_000} MB are read"
    return Synonyms(found.groups, (warning, *found.warnings))
