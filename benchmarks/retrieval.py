"""How often one search with the question as it stands finds every place that it needs.

    .venv/bin/python benchmarks/retrieval.py EVAL QUESTIONS.jsonl

EVAL is the folder of the evaluation set (`grade.py`, `corpora/`). A question counts when, for
each of its gold places, a hit among the first five points at it; `grade.py` judges that.
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

TOP = 5


def main(evaluation: Path, questions: Path) -> None:
    sys.path.insert(0, str(evaluation))
    import grade

    with tempfile.TemporaryDirectory() as place:

        @cache
        def library(corpus: str) -> Library:
            root = Root(evaluation / "corpora" / corpus)
            made = Library([root], Path(place) / corpus / "index.db", exclude=["SOURCE.md"])
            made.sync()
            return made

        found = defaultdict(list)
        seconds = 0.0
        for question in answerable(questions):
            over = library(question["corpus"])
            begin = time.process_time()
            hits = over.search(question["question"], k=TOP, question=True).hits
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
            got = [any(grade.hits(one, p) for one in shown for p in any_of) for any_of in places]
            found[question["kind"]].append(all(got))
        report(found, seconds)


def answerable(path: Path) -> list[dict[str, Any]]:
    questions = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    return [question for question in questions if question["gold"]]


def report(found: dict[str, list[bool]], seconds: float) -> None:
    for kind, results in sorted(found.items()):
        print(f"{kind:14} {sum(results):3} of {len(results)}")
    total = sum(len(results) for results in found.values())
    print(f"CPU a search   {1000 * seconds / total:.0f} ms")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
