"""A chunk → the terms of each column of the index, the same in every store."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from fanshu.library import terms

WEIGHTS = (2.0, 4.0, 1.0, 1.0)  # of a term in name, head, body, ident when ranking (notes: 2,4,1)


class Columns(NamedTuple):
    """The terms of a chunk, white space between them: name and title, headings, text, parts of
    identifiers.
    """

    name: str
    head: str
    body: str
    ident: str


def index_columns(path: str, title: str, trail: Sequence[str], text: str) -> Columns:
    """The terms of a chunk, one string for each column of the index.

    Headings stand from the chunk's own outwards, so that one that begins with a word can be told.
    """
    name = PurePosixPath(path)
    named = f"{' '.join(name.parts[:-1])} {name.stem} {title}"
    heads = " \n\n".join(reversed(trail))
    return Columns(
        " ".join(terms.terms(named)),
        " ".join(terms.terms(heads)),
        " ".join(terms.terms(text)),
        " ".join(terms.identifier_terms(f"{named}\n{heads}\n{text}")),
    )
