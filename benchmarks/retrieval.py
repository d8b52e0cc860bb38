"""How often one search with the question as it stands finds every place that it needs.

    .venv/bin/python benchmarks/retrieval.py EVAL EVAL/dev.jsonl

EVAL is the folder of the evaluation set (`grade.py`, `corpora/`). A question counts when, for
each of its gold places, a hit among the first five (or ten) points at it; `grade.py` judges that.
"""

import json
import sys
import tempfile
import time
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from fanshu import Library, Root

TOPS = (5, 10)
Found = dict[str, list[int | None]]  # kind → for each question the rank that has it all


def measure(evaluation: Path, questions: Path, indexes: Path) -> tuple[Found, float]:
    """For each question the rank at which every gold place has been seen, and CPU seconds."""
    sys.path.insert(0, str(evaluation))
    import grade

    @cache
    def library(corpus: str) -> Library:
        root = Root(evaluation / "corpora" / corpus)
        made = Library([root], indexes / corpus / "index.db", exclude=["SOURCE.md"])
        made.sync()
        return made

    found: Found = defaultdict(list)
    seconds = 0.0
    for question in answerable(questions):
        over = library(question["corpus"])
        begin = time.process_time()
        hits = over.search(question["question"], k=max(TOPS), question=True).hits
        seconds += time.process_time() - begin
        shown = [
            {
                "file": hit.file_path,
                "trail": list(hit.section_path),
                "page": hit.page,
                "text": hit.text,
            }
            for hit in hits
        ]
        places = [[gold, *gold.get("also", ())] for gold in question["gold"]]
        ranks = [
            next((n for n, one in enumerate(shown, 1) if any(grade.hits(one, p) for p in place)), 0)
            for place in places
        ]
        found[question["kind"]].append(max(ranks) if all(ranks) else None)
    return found, seconds


def answerable(path: Path) -> list[dict[str, Any]]:
    questions = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    return [question for question in questions if question["gold"]]


def within(ranks: list[int | None], top: int) -> int:
    return sum(1 for rank in ranks if rank and rank <= top)


def report(found: Found, seconds: float) -> None:
    print(f"{'all places in the first':24}" + "".join(f"{top:>5}" for top in TOPS))
    every = [rank for ranks in found.values() for rank in ranks]
    for kind, ranks in [*sorted(found.items()), ("all", every)]:
        counted = "".join(f"{within(ranks, top):5}" for top in TOPS)
        print(f"{kind:24}{counted}  of {len(ranks)}")
    print(f"CPU a search: {1000 * seconds / len(every):.0f} ms")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        report(*measure(Path(sys.argv[1]), Path(sys.argv[2]), Path(place)))
