"""What a document says it replaces, and which documents of a library are meant.

Only plain statements count: 《甲》同时废止, 代替《甲》, "This policy replaces …", a line that
begins with "Supersedes". What is repealed in part (《甲》中有关乙的规定) is not replaced.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fanshu.library.dating import Edition, edition, is_later, named_edition, newer_versions
from fanshu.library.store import DocumentRecord

CLAUSE = 400  # characters looked back for what is repealed: several titles, their dates and makers
LINE = 120  # characters looked at on both sides of an English verb
MOST = 20  # titles kept of one document; a decision that repeals hundreds replaces none of them

_BRACKETS = r"(?:\s*[（(][^（）()\n]{1,30}[)）])?"
_REPEALED = re.compile(r"(?:同时|即行|一并|予以|均|相应)废止")
_CLAUSE_END = re.compile(r"[。；;\n]")
_TITLE = re.compile(rf"《([^《》\n]{{2,80}}》{_BRACKETS})(?!\s*(?:中|第|的|有关|关于|规定))")
_IN_PLACE_OF = re.compile(rf"(?:代替|替代|取代)(?:了|原)?\s*《([^《》\n]{{2,80}}》{_BRACKETS})")
_KINDS = (
    "document|policy|guide|manual|handbook|version|edition|standard|procedure|regulation|rule"
    "|specification|agreement|plan|decision|adr|notice|directive|memo"
)
_VERB = re.compile(r"supersedes|replaces", re.IGNORECASE)
_SUPERSEDES = re.compile(
    r"(?:^[^\w\n]*(?:supersedes|replaces)\b[*_]*:"
    rf"|^[^\w\n]*supersedes\b|\bthis (?:\w+ )?(?:{_KINDS}) (?:supersedes|replaces)\b)"
    r"[\s*_]*(?:the )?[\"“'‘*_`\[]*([^\"”’*`\]\n.;,]{2,80}(?:\.\d+)*)",
    re.IGNORECASE | re.MULTILINE,
)


def replaced_titles(text: str) -> tuple[str, ...]:
    """The titles that a text says it replaces, with what stands in brackets after them."""
    found = [title for clause in _clauses(text) for title in _TITLE.findall(clause)]
    found += _IN_PLACE_OF.findall(text)
    found += [title for line in _lines(text) for title in _SUPERSEDES.findall(line)]
    titles = dict.fromkeys(" ".join(title.replace("》", " ").split()) for title in found)
    return tuple(titles) if len(titles) <= MOST else ()


def _clauses(text: str) -> Iterator[str]:
    """What stands before each repeal in its clause."""
    for match in _REPEALED.finditer(text):
        before = text[max(0, match.start() - CLAUSE) : match.start()]
        yield _CLAUSE_END.split(before)[-1]


def _lines(text: str) -> Iterator[str]:
    """The line around each English verb, at most `LINE` characters to both sides."""
    for match in _VERB.finditer(text):
        before = text[max(0, match.start() - LINE) : match.start()].rpartition("\n")[2]
        after = text[match.start() : match.end() + LINE].partition("\n")[0]
        yield before + after


def newer_of(records: Sequence[DocumentRecord]) -> Mapping[str, str]:
    """Path → the newest version of it, by names, dates and what the documents say."""
    return with_replaced(
        newer_versions((record.path, record.date) for record in records),
        (edition(record.path, record.date) for record in records),
        {record.path: record.replaces.split("\n") for record in records if record.replaces},
    )


def with_replaced(
    newer: Mapping[str, str], editions: Iterable[Edition], replaces: Mapping[str, Sequence[str]]
) -> Mapping[str, str]:
    """Newer versions by path, and for what others say they replace (path → titles) these."""
    if not replaces:
        return newer
    by_name: dict[str, list[Edition]] = defaultdict(list)
    by_path: dict[str, Edition] = {}
    for one in editions:
        if one.key:
            by_name[one.key].append(one)
        by_path[one.path] = one
    known = dict(newer)
    for path, titles in replaces.items():
        for old in _meant(by_path[path], titles, by_name):
            if old.path not in known and _last(path, known) != old.path:
                known[old.path] = path
    return {path: _last(path, known) for path in known}


def _meant(
    source: Edition, titles: Sequence[str], by_name: Mapping[str, Sequence[Edition]]
) -> Iterator[Edition]:
    for title in titles:
        said = named_edition(title)
        for old in by_name.get(said.key or source.key, ()):
            if old.name != source.name and _fits(said, old) and _precedes(old, source, said):
                yield old


def _fits(said: Edition, old: Edition) -> bool:
    """Whether year and version of a title, if it has any, are those of a document."""
    year = said.named[:4]
    return (not (year and old.date) or old.date.startswith(year)) and (
        not (said.number and old.number) or old.number == said.number
    )


def _precedes(old: Edition, source: Edition, said: Edition) -> bool:
    """Whether a document may be the one replaced: a law repeals its former self by its name."""
    if old.key != source.key:
        return not (old.date and source.date) or old.date < source.date
    told = bool((said.named and old.date) or (said.number and old.number))
    return is_later(source, old) or (told and not is_later(old, source))


def _last(path: str, newer: Mapping[str, str]) -> str:
    while path in newer:
        path = newer[path]
    return path
