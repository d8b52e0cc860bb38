"""Question files: JSON lines with at least `id` and `question`.

Other fields (`corpus`, `kind`, `must`, `gold`, …) belong to the grader and are left alone.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fanshu.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `corpus` names the folder of documents it is about, if the file does."""

    id: str
    question: str
    corpus: str | None = None
    kind: str | None = None


def load(path: Path, *, corpus: str | None = None) -> tuple[Question, ...]:
    """The questions of a file in order, only those of a corpus when one is given.

    Raises: ConfigError — the file cannot be read, or a line is no question (it is named).
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(name="questions", detail=f"{path}: {error}") from error
    found = [_question(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    _check_ids(path, found)
    kept = tuple(one for one in found if corpus is None or one.corpus in (None, corpus))
    if not kept:
        about = f" about the corpus {corpus!r}" if corpus else ""
        raise ConfigError(name="questions", detail=f"{path} holds no question{about}")
    return kept


def _question(path: Path, number: int, line: str) -> Question:
    try:
        fields: Any = json.loads(line)
    except ValueError as error:
        raise _wrong(path, number, f"no JSON ({error})") from error
    if not isinstance(fields, dict):
        raise _wrong(path, number, "no JSON object")
    for key in ("id", "question"):
        if not isinstance(fields.get(key), str) or not fields[key].strip():
            raise _wrong(path, number, f"{key!r} is missing or no text")
    corpus, kind = fields.get("corpus"), fields.get("kind")
    return Question(
        fields["id"],
        fields["question"],
        corpus if isinstance(corpus, str) else None,
        kind if isinstance(kind, str) else None,
    )


def _check_ids(path: Path, questions: list[Question]) -> None:
    seen: set[str] = set()
    for one in questions:
        if one.id in seen:
            raise ConfigError(name="questions", detail=f"{path}: the id {one.id!r} occurs twice")
        seen.add(one.id)


def _wrong(path: Path, number: int, detail: str) -> ConfigError:
    return ConfigError(name="questions", detail=f"{path}, line {number}: {detail}")
