"""A document set ten times as large as another, without parsing ten times as much.

Analysing text is nine tenths of making an index, so a million chunks take ten minutes of CPU
that no search sees. Here each document of a set is read and cut into terms once; its copies get
other figures, letters and characters, one to one, so that the same change of the ready terms
gives the terms of the changed text (a sample is checked). Words made of unchanged characters
stand in ten times as many chunks, others are new, as in a library that grows. The copies lie on
disk as files too, with the text that is indexed, so that their stamps are right and they can be
read by other programs.
"""

import json
import random
import shutil
import sqlite3
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

from fanshu.library import syncing
from fanshu.library.chunks import text_hash
from fanshu.library.columns import index_columns
from fanshu.library.terms import fold

COPIES = 10
SEED = 7
DIGITS = "0123456789"
LETTERS = "fgjkqvwxz"  # rare enough that "the" and most of its like go on as they are
CHARACTERS = 400  # Chinese characters that change, after so many that do not
KEPT = 100
SAMPLE = 500  # documents whose characters are counted
FOLDED = (*range(0xC0, 0x250), *range(0x1E00, 0x1F00), *range(0x4E00, 0xA000))
CHECKED_EVERY = 1_000  # chunks; one copy of each is cut into terms to see that they are the same
CHUNK = "number, level, trail, start, line_a, line_b, page, part, parts, images"

Change = Mapping[int, str]
Terms = tuple[str, str, str, str]


def replicate(base_docs: Path, base_index: Path, docs: Path, index: Path) -> None:
    """Make the documents and index of a set out of those of one a tenth as large."""
    shutil.copytree(base_docs, docs)
    with sqlite3.connect(base_index) as source, sqlite3.connect(index) as db:
        source.backup(db)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=OFF")  # a benchmark's index is made again if it breaks
        db.execute("PRAGMA cache_size=-65536")
        changes = list(_changes(source))
        paths = source.execute("SELECT id, path, title FROM doc WHERE path LIKE 'docs/%'")
        for number, (doc, path, title) in enumerate(paths.fetchall(), 1):
            _copy(db, source, docs.parent, doc, path, title, changes)
            if number % 500 == 0:
                db.commit()
        db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")


def _changes(source: sqlite3.Connection) -> Iterator[Change]:
    """One bijection of characters for each copy."""
    draw = random.Random(SEED)
    sql = "SELECT text FROM content ORDER BY random() LIMIT ?"
    seen: dict[str, int] = {}
    for (text,) in source.execute(sql, (SAMPLE,)):
        for char in text:
            if "\u4e00" <= char <= "\u9fff" and fold(char) == char:
                seen[char] = seen.get(char, 0) + 1
    common = sorted(seen, key=lambda char: (-seen[char], char))[KEPT : KEPT + CHARACTERS]
    bases = {code: base for code in FOLDED if len(base := fold(chr(code))) == 1}
    for _ in range(COPIES - 1):
        change: dict[int, str] = {}
        for group in (DIGITS, LETTERS, "".join(common)):
            shuffled = "".join(draw.sample(group, len(group)))
            change |= str.maketrans(group + group.upper(), shuffled + shuffled.upper())
        yield change | {c: change[ord(b)] for c, b in bases.items() if ord(b) in change}


def _copy(
    db: sqlite3.Connection,
    source: sqlite3.Connection,
    place: Path,
    doc: int,
    path: str,
    title: str,
    changes: list[Change],
) -> None:
    """All copies of one document: files, records, chunks and terms."""
    rows = source.execute(
        f"SELECT t.text, {CHUNK} FROM chunk c JOIN content t ON t.id = c.id WHERE c.doc_id=?"
        " ORDER BY c.number",
        (doc,),
    ).fetchall()
    ready = [index_columns(path, title, json.loads(row[3]), row[0]) for row in rows]
    for number, change in enumerate(changes, 1):
        copied = path.replace("/copy0/", f"/copy{number}/", 1)
        texts = [unicodedata.normalize("NFKC", row[0]).translate(change) for row in rows]
        new = _record(db, place / copied, copied, title.translate(change), doc, "".join(texts))
        for row, text, columns in zip(rows, texts, ready, strict=True):
            trail = unicodedata.normalize("NFKC", row[3]).translate(change)
            _put(db, new, row, text, trail, _changed(columns, copied, title, change))


def _record(db: sqlite3.Connection, file: Path, path: str, title: str, like: int, text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    info = file.stat()
    columns = "state, made_by, reason, encoding, date, chunks, characters, replaces"
    row = db.execute(
        f"INSERT INTO doc(path, title, size, mtime_ns, hash, {columns})"
        f" SELECT ?, ?, ?, ?, ?, {columns} FROM doc WHERE id=?",
        (path, title, info.st_size, info.st_mtime_ns, syncing.digest_of(data), like),
    )
    return row.lastrowid or 0


def _changed(columns: Terms, path: str, title: str, change: Change) -> Terms:
    _, heads, body, parts = (column.translate(change) for column in columns)
    return index_columns(path, title.translate(change), (), "")[0], heads, body, parts


def _put(
    db: sqlite3.Connection, doc: int, row: tuple[object, ...], text: str, trail: str, columns: Terms
) -> None:
    made = db.execute(
        f"INSERT INTO chunk(doc_id, hash, {CHUNK}) VALUES({', '.join('?' * 12)})",
        (doc, text_hash(text), *row[1:3], trail, *row[4:]),
    ).lastrowid
    db.execute("INSERT INTO content(id, text) VALUES(?, ?)", (made, text))
    db.execute(
        "INSERT INTO fts(rowid, name, head, body, ident) VALUES(?,?,?,?,?)", (made, *columns)
    )
    if made and made % CHECKED_EVERY == 0:
        _check(text, json.loads(trail), columns)


def _check(text: str, trail: list[str], columns: Terms) -> None:
    own = index_columns("", "", trail, text)
    if own[1:3] != columns[1:3]:
        pairs = zip(" ".join(own[1:3]).split(), " ".join(columns[1:3]).split(), strict=False)
        differ = [pair for pair in pairs if pair[0] != pair[1]][:3]
        raise SystemExit(f"these are not the terms of a copy: {differ} in {text[:80]!r}")
