"""Questions with known answers, from a file of JSON lines or a table (CSV).

Each has at least `id` and `question`. What else a row holds (`must`, `gold`, …) is for grading,
see `grading.gold`; docs/measuring.md lists all fields.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fanshu.errors import ConfigError, QuestionsWrong
from fanshu.evals.question_rows import rows
from fanshu.evals.question_shapes import problems

FIRST = 3  # of what is wrong, told in the error's own sentence


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `corpus` names the folder of documents it is about, if the file does.

    `fields`: all that its row holds. `line`: where it stands in its file.
    """

    id: str
    question: str
    corpus: str | None = None
    kind: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    line: int = field(default=0, compare=False)


def load(path: Path, *, corpora: Sequence[str] = ()) -> tuple[Question, ...]:
    """The questions of a file in order, only those of some `corpora` where any are named.

    Raises: QuestionsWrong — rows that are no questions, every one named; ConfigError — the file
    cannot be read, or nothing is left.
    """
    found, wrong = [], []
    lines: dict[str, int] = {}
    for number, fields in rows(path):
        said = problems(fields)
        id_ = fields.get("id") if isinstance(fields, dict) else None
        if isinstance(id_, str) and lines.setdefault(id_, number) != number:
            said = (*said, f"the id {id_!r} occurs twice, first in line {lines[id_]}")
        wrong += [f"line {number}: {one}" for one in said]
        if not said:
            found.append(_question(number, fields))
    if wrong:
        first = "; ".join(wrong[:FIRST])
        raise QuestionsWrong(path=str(path), wrong=len(wrong), first=first, problems=tuple(wrong))
    kept = tuple(one for one in found if not corpora or one.corpus in (None, *corpora))
    if not kept:
        about = f" about the corpus {', '.join(corpora)}" if corpora else ""
        raise ConfigError(name="questions", detail=f"{path} holds no question{about}")
    return kept


def _question(number: int, fields: Mapping[str, Any]) -> Question:
    corpus, kind = fields.get("corpus"), fields.get("kind")
    return Question(fields["id"], fields["question"], corpus, kind, fields, number)


def sampled(questions: Sequence[Question], most: int, seed: int) -> tuple[Question, ...]:
    """At most so many questions, evenly over corpora and kinds, in their order.

    The same seed draws the same ones.
    """
    groups: dict[tuple[str | None, str | None], list[Question]] = defaultdict(list)
    for one in questions:
        groups[one.corpus, one.kind].append(one)
    draw = random.Random(seed)  # noqa: S311 - a sample, no secret
    for group in groups.values():
        draw.shuffle(group)
    chosen: list[Question] = []
    while len(chosen) < most and any(groups.values()):
        for group in groups.values():
            if group and len(chosen) < most:
                chosen.append(group.pop())
    drawn = {one.id for one in chosen}
    return tuple(one for one in questions if one.id in drawn)
