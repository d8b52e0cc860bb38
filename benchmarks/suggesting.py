"""Whether suggested searches lead vague questions to the places they need.

    .venv/bin/python benchmarks/suggesting.py EVAL [-v]

EVAL is the folder of the evaluation set (`grade.py`, `corpora/`, `dev.jsonl`, `hard-dev.jsonl`).
For every question of the kind `vague`: the share of its gold places among the first five hits of
the question itself, and of the best of the first three searches that are suggested for it.
`-v` prints the suggestions.
"""

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from fanshu import Library, Root
from fanshu.types import Hit

TOP = 5
TRIED = 3


def main(evaluation: Path, *, verbose: bool) -> None:
    sys.path.insert(0, str(evaluation))
    with tempfile.TemporaryDirectory() as place:

        @cache
        def library(corpus: str) -> Library:
            root = Root(evaluation / "corpora" / corpus)
            made = Library([root], Path(place) / corpus / "index.db", exclude=["SOURCE.md"])
            made.sync()
            return made

        for name in ("dev.jsonl", "hard-dev.jsonl"):
            report(name, vague(evaluation / name), library, verbose=verbose)


def vague(path: Path) -> list[dict[str, Any]]:
    questions = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    return [one for one in questions if one["kind"] == "vague" and one["gold"]]


def report(name: str, questions: Sequence[dict[str, Any]], library: Any, *, verbose: bool) -> None:
    before, after, times = 0.0, 0.0, []
    for question in questions:
        over, asked = library(question["corpus"]), question["question"]
        own = share(question, over.search(asked, k=TOP, question=True).hits)
        began = time.perf_counter()
        suggested = [one.words for one in over.suggest(asked).found][:TRIED]
        times.append(1000 * (time.perf_counter() - began))
        best = max((share(question, over.search(one, k=TOP).hits) for one in suggested), default=0)
        before, after = before + own, after + best
        if verbose:
            print(f"{own:.1f} {best:.1f} {asked} {suggested}")
    count = len(questions)
    print(
        f"{name:16} question {before:.1f}, best of {TRIED} suggested {after:.1f} of {count};",
        end="",
    )
    print(f" a suggestion takes {median(times):.0f} ms (median), {max(times):.0f} ms at most")


def share(question: dict[str, Any], hits: Sequence[Hit]) -> float:
    """The share of a question's gold places among some hits."""
    import grade

    shown = [
        {"file": h.file_path, "trail": list(h.section_path), "page": h.page, "text": h.text}
        for h in hits
    ]
    places = [[gold, *gold.get("also", ())] for gold in question["gold"]]
    got = [any(grade.hits(one, p) for one in shown for p in any_of) for any_of in places]
    return sum(got) / len(got)


if __name__ == "__main__":
    main(Path(sys.argv[1]), verbose="-v" in sys.argv)
