"""Document sets of a wanted number of chunks, made from any folders.

Smaller sets are files drawn from the folders. Larger ones are the folders again and again,
each time with some lines dropped, some swapped, and digits changed, so that no copy has the
texts of another. The same folders and number give the same files.
"""

import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from fanshu.library import chunks, parsers
from fanshu.library.files import Found, Root, walk

TEXTS = frozenset({".md", ".txt", ".html", ".htm"})  # what can be altered line by line
SEED = 20_261
SAMPLE = 400  # files parsed to learn how many chunks a byte makes
DROPPED, SWAPPED, CHANGED = 0.05, 0.05, 0.3  # share of the lines, lines, digits
PART_CHARS = 800


def make_set(folders: Sequence[Path], wanted: int, place: Path) -> int:
    """Write a set of about so many chunks below `place`; the number of files."""
    draw = random.Random(SEED)
    sources = list(_sources(folders))
    draw.shuffle(sources)
    per_byte = _chunks_per_byte(sources[:SAMPLE])
    made = files = copy = 0.0
    while made < wanted:
        for file in sources:
            _write(file, place / f"copy{int(copy)}" / file.file_path, draw, altered=copy > 0)
            made += file.size * per_byte.get(file.real.suffix.lower(), 0.0)
            files += 1
            if made >= wanted:
                break
        copy += 1
    return int(files)


def _sources(folders: Sequence[Path]) -> Iterator[Found]:
    roots = [Root(folder, f"{number}-{folder.name}") for number, folder in enumerate(folders)]
    for file in walk(roots):
        if not file.skip and file.real.suffix.lower() in TEXTS and 0 < file.size < 2_000_000:
            yield file


def _chunks_per_byte(sample: Sequence[Found]) -> dict[str, float]:
    """For each suffix, how many chunks a byte makes."""
    size: dict[str, int] = {}
    count: dict[str, int] = {}
    for file in sample:
        suffix = file.real.suffix.lower()
        document = parsers.parse(file.file_path, file.real.read_bytes())
        size[suffix] = size.get(suffix, 0) + file.size
        count[suffix] = count.get(suffix, 0) + len(chunks.chunks(document, PART_CHARS))
    return {suffix: count[suffix] / size[suffix] for suffix in size}


def _write(file: Found, target: Path, draw: random.Random, *, altered: bool) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if not altered:
        shutil.copyfile(file.real, target)
        return
    text = file.real.read_bytes().decode("utf-8", "replace")
    target.write_text(_altered(text, draw), encoding="utf-8")


def _altered(text: str, draw: random.Random) -> str:
    lines = [line for line in text.splitlines(keepends=True) if draw.random() >= DROPPED]
    for at in range(len(lines) - 1):
        if draw.random() < SWAPPED:
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
    digits = str.maketrans("0123456789", "".join(draw.sample("0123456789", 10)))
    return "".join(line.translate(digits) if draw.random() < CHANGED else line for line in lines)
