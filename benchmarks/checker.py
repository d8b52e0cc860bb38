"""How many wrong answers the check catches, and how many right ones it sends back.

    python benchmarks/checker.py EVAL EVAL/dev.jsonl EVAL/hard-dev.jsonl [--missed CLASS]

Wrong and right answers are made from the gold answers and quotes (`variants.py`) and checked over
the chunks of a real library that hold those quotes. `--missed` shows every answer of one class
that was judged wrongly.

A gold answer may say more than its gold quotes show; then the passages of its gold sections that
hold the rest are quoted too, as a model would after the check has asked for them.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from variants import RIGHT, WRONG, Case

from fanshu import Library, Root
from fanshu.agent.amounts import plain
from fanshu.agent.answer import Verdict, check, status_of
from fanshu.agent.draft import Draft, DraftCitation
from fanshu.agent.claims import claims
from fanshu.agent.evidence import find
from fanshu.agent.ledger import check_figures
from fanshu.agent.support import Evidence, Quoted
from fanshu.library.passages import passages
from fanshu.library.terms import fold
from fanshu.types import Chunk

AIMS = {
    "figure of the chunk": 0.95,
    "figure by one": 0.95,
    "figure of the question": 0.95,
    "unit swapped": 0.95,
    "computed value off by one": 0.95,
}  # DESIGN §8; the other classes are printed as they are
OLDER = "older version cited"
VERSIONED = ("rules-zh", "laws-zh")  # the corpora that hold several versions of a document
HITS = 8  # chunks read beside those that hold the answer, where code has to find the place
REJECTED = 0.02  # of right answers, at most


# ---------------------------------------------------------------- cases


class Corpora:
    """The libraries of the evaluation set, made when first asked for."""

    def __init__(self, evaluation: Path, place: Path) -> None:
        self.evaluation, self.place = evaluation, place
        sys.path.insert(0, str(evaluation))
        self.library = cache(self._library)
        self.chunks = cache(self._chunks)

    def _library(self, corpus: str) -> Library:
        root = Root(self.evaluation / "corpora" / corpus)
        made = Library([root], self.place / corpus / "index.db", exclude=["SOURCE.md"])
        made.sync()
        return made

    def _chunks(self, corpus: str, file: str) -> tuple[Chunk, ...]:
        library = self.library(corpus)
        entries = [one for one in library.outline(file) if one.file_path == file]
        return tuple(library.read(one.chunk_id) for one in entries)

    def holding(self, corpus: str, gold: Mapping[str, Any]) -> Chunk:
        """The chunk of a gold place that holds its quote."""
        import grade

        every = [one for one in self.chunks(corpus, gold["file"]) if find(gold["quote"], one)]
        if not every:
            raise SystemExit(f"{corpus}: no chunk of {gold['file']} holds {gold['quote']!r}")
        shown = [
            {"file": c.file_path, "trail": list(c.section_path), "page": c.page} for c in every
        ]
        there = [c for c, one in zip(every, shown, strict=True) if grade.hits(one, dict(gold))]
        return (there or every)[0]

    def section(self, corpus: str, chunk: Chunk) -> Iterator[Chunk]:
        """All parts of the section of a chunk."""
        for one in self.chunks(corpus, chunk.file_path):
            if one.section_path == chunk.section_path:
                yield one

    def hits(self, case: Case) -> dict[str, Chunk]:
        """What a search with the question finds: chunks that a run would have read as well."""
        library = self.library(case.corpus)
        found = library.search(case.question, k=HITS, question=True).hits
        return {one.chunk_id: library.read(one.chunk_id) for one in found}

    def outdated(self, corpus: str) -> Iterator[Case]:
        """For each file with a newer version, an answer that cites a sentence of it."""
        for file in self.library(corpus).status().files:
            if file.newer_version:
                every = (one for one in self.chunks(corpus, file.file_path) if one.section_path)
                if found := next((each for one in every for each in _saying(one)), None):
                    yield found


def _saying(chunk: Chunk) -> Iterator[Case]:
    """Answers that repeat a sentence with a number."""
    for text in _passages(chunk):
        if any(one.kind == "number" for one in claims(plain(text))):
            cited = (DraftCitation(chunk.chunk_id, text),)
            yield Case(chunk.chunk_id, "", text, "zh", {chunk.chunk_id: chunk}, cited)


def cases(corpora: Corpora, files: Sequence[Path]) -> Iterator[tuple[Case, tuple[str, ...]]]:
    """Each question that has an answer, and the figures that its gold quotes do not show."""
    for path in files:
        for line in path.read_text("utf-8").splitlines():
            question = json.loads(line)
            if question["gold"]:
                yield _complete(corpora, question)


def _complete(corpora: Corpora, line: Mapping[str, Any]) -> tuple[Case, tuple[str, ...]]:
    corpus = line["corpus"]
    gold = [(corpora.holding(corpus, place), place["quote"]) for place in line["gold"]]
    parts = [part for chunk, _ in gold for part in corpora.section(corpus, chunk)]
    read = {one.chunk_id: one for one in (*(chunk for chunk, _ in gold), *parts)}
    cited = tuple(DraftCitation(chunk.chunk_id, quote) for chunk, quote in gold)
    golden = tuple(
        each["quote"] for place in line["gold"] for each in (place, *place.get("also", ()))
    )
    case = Case(
        line["id"], line["question"], line["answer"], line["lang"], read, cited, corpus, golden
    )
    missing = judged(case)[0].unsupported
    case = replace(case, citations=(*cited, *_holding(case, missing)))
    return replace(case, passages=tuple(_quoted(case))), missing


def _quoted(case: Case) -> Iterator[str]:
    for one in case.citations:
        chunk = case.read[one.chunk_id]
        if place := find(one.quote, chunk):
            yield place.passage_text(chunk.text)


def _holding(case: Case, missing: Sequence[str]) -> Iterator[DraftCitation]:
    """For each figure the first passage of what was read that holds it."""
    for figure in missing:
        every = ((chunk, text) for chunk in case.read.values() for text in _passages(chunk))
        for chunk, text in every:
            if not check_figures(figure, Evidence((Quoted(text, chunk.text),)), "").unsupported:
                yield DraftCitation(chunk.chunk_id, text)
                break


def _passages(chunk: Chunk) -> list[str]:
    found = (one for one in passages(chunk.text) if one.kind != "heading")
    return [chunk.text[one.start : one.end] for one in found]


# ---------------------------------------------------------------- judging


@dataclass
class Tally:
    """Of one class: answers made, sent back, and those still not `answered` if sent again."""

    made: int = 0
    back: int = 0
    held: int = 0
    warned: int = 0

    def share(self, count: int) -> str:
        return f"{count / self.made:.2f}" if self.made else "-"


def judged(case: Case) -> tuple[Verdict, Draft]:
    draft = Draft(case.answer, case.citations, found=True)
    read, question = case.read, case.question
    return check(draft, read=read, question=question, language=case.language), draft


def judge(case: Case, base: Verdict, tally: Tally) -> bool:
    """Count one variant; whether it was sent back, or its reader warned."""
    verdict, draft = judged(case)
    back = bool(set(verdict.objections) - set(base.objections))
    warned = any(one.newer_version for one in verdict.citations)
    tally.made += 1
    tally.back += back
    tally.held += back and status_of(draft, verdict) != "answered"
    tally.warned += not back and warned
    return back or warned


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("evaluation", type=Path)
    parser.add_argument("questions", type=Path, nargs="+")
    parser.add_argument("--missed", default="")
    parser.add_argument("--index", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        corpora = Corpora(given.evaluation, given.index or Path(place))
        made = list(cases(corpora, given.questions))
        older = [one for corpus in VERSIONED for one in corpora.outdated(corpus)]
        run(made, older, given.missed)
        locating(corpora, made, given.missed)


def run(made: Sequence[tuple[Case, tuple[str, ...]]], older: Sequence[Case], missed: str) -> None:
    wrong = {name: Tally() for name in (*WRONG, OLDER)}
    right = {name: Tally() for name in RIGHT}
    beyond = {case.id: missing for case, missing in made if missing}
    for case, _ in made:
        base, _ = judged(case)
        for name, variants in RIGHT.items():
            for one in variants(case):
                # what is objected to in the answer itself counts once, as it is
                before = Verdict() if name == "as it is" else base
                if judge(one, before, right[name]) and name == missed:
                    show(one)
        for name, variants in WRONG.items():
            for one in variants(case):
                if not judge(one, base, wrong[name]) and name == missed:
                    show(one)
    for one in older:
        judge(one, Verdict(), wrong[OLDER])
    report(wrong, right, beyond, len(made))


# ---------------------------------------------------------------- without citations


@dataclass
class Located:
    """Of answers without citations: for how many code found places, and those that are wrong."""

    made: int = 0
    found: int = 0
    wrong: int = 0
    answered: int = 0


def locating(corpora: Corpora, made: Sequence[tuple[Case, tuple[str, ...]]], missed: str) -> None:
    """Gold answers and wrong ones without their citations, over what a run would have read."""
    right, wrong = Located(), {name: Located() for name in WRONG}
    for case, _ in made:
        around = replace(case, read={**case.read, **corpora.hits(case)})
        bare = replace(around, citations=())
        if locate_one(bare, right) and missed == "located":
            show(bare)
            print("   cited:", " / ".join(one.passage for one in judged(bare)[0].citations))
        for name, variants in WRONG.items():
            for one in variants(around):
                if one.citations == around.citations:
                    locate_one(replace(one, citations=()), wrong[name])
    print("\n| without citations | made | located | at a wrong place | `answered` |")
    print("| --- | --- | --- | --- | --- |")
    for name, tally in {"right answers": right, **wrong}.items():
        if tally.made:
            print(f"| {name} | {tally.made} | {tally.found} | {tally.wrong} | {tally.answered} |")


def locate_one(case: Case, tally: Located) -> bool:
    """Count one; whether a passage was cited that holds no gold quote."""
    verdict, draft = judged(case)
    cited = verdict.citations
    quotes = [squeezed(one) for one in (*case.golden, *case.passages)]
    wrong = not all(any(q in squeezed(c.passage) for q in quotes) for c in cited)
    tally.made += 1
    tally.found += bool(cited)
    tally.wrong += wrong
    tally.answered += status_of(draft, verdict) == "answered"
    return wrong


def squeezed(text: str) -> str:
    return "".join(fold(text).split())


def show(case: Case) -> None:
    verdict, _ = judged(case)
    print(f"\n{case.id}: {case.answer}")
    print("   passages:", " / ".join(dict.fromkeys(" ".join(p.split()) for p in case.passages)))
    print("   said:", " ".join(verdict.objections) or "nothing")


def report(
    wrong: Mapping[str, Tally],
    right: Mapping[str, Tally],
    beyond: Mapping[str, Sequence[str]],
    answers: int,
) -> None:
    print("\n| wrong answers | made | caught | still not `answered` if sent again | aim |")
    print("| --- | --- | --- | --- | --- |")
    for name, tally in wrong.items():
        caught = tally.share(tally.back + tally.warned)
        print(f"| {name} | {tally.made} | {caught} | {tally.share(tally.held + tally.warned)} |"
              f" {AIMS.get(name, '')} |")  # fmt: skip
    print("\n| right answers | made | sent back |\n| --- | --- | --- |")
    for name, tally in right.items():
        print(f"| {name} | {tally.made} | {tally.back} |")
    made, back = (sum(getattr(t, f) for t in right.values()) for f in ("made", "back"))
    print(f"| all | {made} | {back} = {back / made:.3f} (aim {REJECTED}) |")
    print(f"\nAnswers that say more than their gold quotes: {len(beyond)} of {answers}")
    for name, missing in beyond.items():
        print(f"  {name}: {', '.join(missing)}")


if __name__ == "__main__":
    main()
