"""Whether the cache lies, how long its answers live, and what looking one up costs.

    python benchmarks/cache.py QUESTIONS.jsonl:FOLDER ... [--edits 200] [--seed 1]

The folders are copied into one library. A reader whose answers depend on nothing but the texts
that it is shown answers the questions, and the cache keeps them. Then, again and again, files are
edited, the library is brought up to date, and what the cache says is compared with what the
reader says now. The edit is undone before the next one.
"""

import argparse
import asyncio
import json
import random
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from fanshu import Library, LoopAgent, Root
from fanshu.agent.cache import Cache
from fanshu.agent.entries import Entries
from fanshu.agent.run import Run
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.types import EVERYTHING, Answer, Chunk, Opening, SearchResult, ToolCall

READ = 3  # chunks that the reader opens
CITED = 2
ENOUGH = 0.25  # share of the question's pairs of characters in a sentence that answers it
LIVES = 4  # of the edits, one in so many is made at random, and all answers are looked at
ROUNDS = 5  # of looking everything up at the end
OTHERS = 5  # other questions that are looked at after an edit aimed at one
_SENTENCE = re.compile(r"[^\n。！？]*[^\s。！？#|>*-][^\n。！？]*[。！？]?")
_FILLER = "与以上各节无关的一段说明，另行维护，见登记簿。"


class TextReader:
    """A model that chooses by the letters that a text shares with the question, and no more.

    Counts, ranks and the order of hits do not change what it says, so that its answer changes
    exactly when what it is shown does.
    """

    name = "text-reader"
    extractive = False

    async def next(
        self,
        turns: Sequence[Turn],
        tools: Sequence[ToolSpec],  # noqa: ARG002 - every model gets them
        *,
        force: str | None = None,
    ) -> Reply:
        """Search with the question's words, read the best hits, turn a page, answer."""
        question = next(t.data.question for t in turns if isinstance(t.data, Opening))
        results, read = _shown(turns)
        asked = sum(bool(turn.calls) for turn in turns if turn.role == "assistant")
        if asked == 0 and force is None:
            return _reply(("search", {"keyword": question.replace("|", " ")}))
        best = sorted(
            {hit.chunk_id: hit for one in results for hit in one.hits}.values(),
            key=lambda hit: (-_fit(hit.text, question), hit.file_path, hit.hash),
        )[:READ]
        if asked == 1 and best and force is None:
            return _reply(*(("read", {"chunk_id": hit.chunk_id}) for hit in best))
        if asked == 2 and best and force is None:
            return _reply(("next_chunk", {"chunk_id": best[0].chunk_id}))
        return _answer(question, read)

    async def close(self) -> None:
        """Nothing to give back."""


def _shown(turns: Sequence[Turn]) -> tuple[list[SearchResult], dict[str, Chunk]]:
    results = [turn.data for turn in turns if isinstance(turn.data, SearchResult)]
    read = {turn.data.chunk_id: turn.data for turn in turns if isinstance(turn.data, Chunk)}
    for opening in (turn.data for turn in turns if isinstance(turn.data, Opening)):
        results += [opening.search] if opening.search else []
        read |= {chunk.chunk_id: chunk for chunk in opening.read}
    return results, read


def _pairs(text: str) -> set[str]:
    text = re.sub(r"\W", "", text.lower())
    return {text[at : at + 2] for at in range(len(text) - 1)}


def _fit(text: str, question: str) -> float:
    wanted = _pairs(question)
    return len(wanted & _pairs(text)) / (len(wanted) or 1)


def _answer(question: str, read: Mapping[str, Chunk]) -> Reply:
    sentences = (
        (_fit(found[0], question), chunk.file_path, found[0].strip(), chunk.chunk_id)
        for chunk in read.values()
        for found in _SENTENCE.finditer(chunk.text)
        if len(found[0].strip()) > 5
    )
    best = sorted(sentences, key=lambda one: (-one[0], one[1:]))[:CITED]
    found = bool(best) and best[0][0] >= ENOUGH
    citations = [{"chunk_id": one[3], "quote": one[2]} for one in best if found]
    response = "\n".join(one[2] for one in best) if found else "not there"
    arguments = {"response": response, "citations": citations, "found": found}
    return _reply(("answer", arguments | {"question_summary": question}))


def _reply(*calls: tuple[str, Mapping[str, object]]) -> Reply:
    return Reply(
        calls=tuple(ToolCall(f"{n}", name, given) for n, (name, given) in enumerate(calls))
    )


# ---------------------------------------------------------------- edits


@dataclass
class Edit:
    """Changes of files below a folder that can be undone."""

    docs: Path
    rng: random.Random
    before: dict[Path, bytes | None] = field(default_factory=dict)

    def write(self, path: Path, text: str | None) -> None:
        """Write a file, or delete it."""
        self.before.setdefault(path, path.read_bytes() if path.exists() else None)
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def undo(self) -> None:
        """Everything as it was."""
        for path, data in self.before.items():
            if data is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(data)

    def other(self, *but: Path) -> Path:
        """Some text file."""
        return self.rng.choice([path for path in texts(self.docs) if path not in but])

    def altered(self, quote: str) -> str:
        """The quote with another figure, or with another character where it has none."""
        if re.search(r"\d", quote):
            return re.sub(r"\d", lambda one: str((int(one[0]) + 3) % 10), quote, count=1)
        at = self.rng.randrange(len(quote) - 1)
        return quote[:at] + "异" + quote[at + 1 :]


def texts(docs: Path) -> list[Path]:
    """The files that can be edited as text."""
    return sorted(path for path in docs.rglob("*.md") if path.is_file())


Change = Callable[[Edit, Path, str, str], None]  # the cited file, the quote, the question


def figure(edit: Edit, file: Path, quote: str, _: str) -> None:
    edit.write(file, file.read_text("utf-8").replace(quote, edit.altered(quote)))


def deleted_passage(edit: Edit, file: Path, quote: str, _: str) -> None:
    edit.write(file, file.read_text("utf-8").replace(quote, ""))


def moved_down(edit: Edit, file: Path, _quote: str, _: str) -> None:
    edit.write(file, f"# 前言\n\n{_FILLER}\n\n## 补充\n\n{_FILLER}\n\n" + file.read_text("utf-8"))


def sections_swapped(edit: Edit, file: Path, _quote: str, _: str) -> None:
    parts = re.split(r"(?m)^(?=## )", file.read_text("utf-8"))
    edit.rng.shuffle(parts)
    edit.write(file, "".join(part if part.endswith("\n") else f"{part}\n" for part in parts))


def heading(edit: Edit, file: Path, _quote: str, _: str) -> None:
    changed = re.sub(r"(?m)^(#+ .*)$", r"\1（旧）", file.read_text("utf-8"))
    edit.write(file, changed)


def contradiction_beside(edit: Edit, file: Path, quote: str, question: str) -> None:
    text = file.read_text("utf-8")
    edit.write(file, f"{text}\n\n## {question}\n\n{edit.altered(quote)}\n")


def contradiction_elsewhere(edit: Edit, file: Path, quote: str, question: str) -> None:
    other = edit.other(file)
    text = other.read_text("utf-8")
    edit.write(other, f"{text}\n\n## {question}\n\n{edit.altered(quote)}\n")


def contradiction_in_new_file(edit: Edit, file: Path, quote: str, question: str) -> None:
    edit.write(file.with_name("新通知.md"), f"# 新通知\n\n## {question}\n\n{edit.altered(quote)}\n")


def newly_matching(edit: Edit, file: Path, _quote: str, question: str) -> None:
    other = edit.other(file)
    edit.write(other, f"{other.read_text('utf-8')}\n\n## 又及\n\n{question} {_FILLER}\n")


def newer_version(edit: Edit, file: Path, quote: str, _: str) -> None:
    text = file.read_text("utf-8").replace(quote, edit.altered(quote))
    edit.write(file.with_name(f"{file.stem}-2031{file.suffix}"), text)


def renamed(edit: Edit, file: Path, _quote: str, _: str) -> None:
    text = file.read_text("utf-8")
    edit.write(file, None)
    edit.write(file.with_name(f"改名-{file.name}"), text)


def deleted_file(edit: Edit, file: Path, _quote: str, _: str) -> None:
    edit.write(file, None)


def elsewhere(edit: Edit, file: Path, _quote: str, _: str) -> None:
    edit_at_random(edit, edit.other(file))


CHANGES: tuple[Change, ...] = (
    figure, deleted_passage, moved_down, sections_swapped, heading, contradiction_beside,
    contradiction_elsewhere, contradiction_in_new_file, newly_matching, newer_version, renamed,
    deleted_file, elsewhere,
)  # fmt: skip


def edit_at_random(edit: Edit, file: Path) -> None:
    """What happens to files: a paragraph comes, goes, or has a sentence more; a file goes."""
    paragraphs = file.read_text("utf-8").split("\n\n")
    at = edit.rng.randrange(len(paragraphs))
    match edit.rng.randrange(4):
        case 0:
            paragraphs.insert(at, _FILLER)
        case 1:
            del paragraphs[at]
        case 2:
            source = edit.other(file).read_text("utf-8").split("\n\n")
            paragraphs.insert(at, edit.rng.choice(source))
        case 3:
            paragraphs[at] = f"{paragraphs[at]}{_FILLER}"
    edit.write(file, "\n\n".join(paragraphs))


# ---------------------------------------------------------------- the trial


@dataclass
class Trial:
    """A library, its cache, and the questions whose answers are in it."""

    docs: Path
    library: Library
    cache: Cache
    rng: random.Random
    answers: dict[str, Answer] = field(default_factory=dict)
    evidence: dict[str, frozenset[str]] = field(default_factory=dict)
    seconds: list[tuple[float, float]] = field(default_factory=list)

    def run(self, question: str) -> Run:
        """What the reader says now."""
        return asyncio.run(LoopAgent(self.library, TextReader()).ask(question))

    def fill(self, questions: Sequence[str]) -> None:
        """Ask everything once."""
        for question in questions:
            before = self.cache.state()
            run = self.run(question)
            if self.cache.keep(question, run, run.answer, before):
                self.answers[question] = run.answer
                self.evidence[question] = frozenset(_files(run))

    def find(self, question: str) -> Answer | None:
        """What the cache says now; the time of hits is noted."""
        begin, cpu = time.perf_counter(), time.process_time()
        found = self.cache.find(question)
        if found:
            self.seconds.append((time.perf_counter() - begin, time.process_time() - cpu))
        return found

    def stale(self, change: Change, question: str) -> tuple[list[str], Counter[str]]:
        """Questions that the cache answers otherwise than the reader, after a change."""
        edit = Edit(self.docs, self.rng)
        cited = self.answers[question].citations[0]
        wrong, seen = [], Counter[str]()
        try:
            change(edit, self.docs / cited.file_path, cited.quote, question)
            self.library.sync()
            others = self.rng.sample(sorted(self.answers), min(OTHERS, len(self.answers)))
            for one in dict.fromkeys((question, *others)):
                found = self.find(one)
                seen["hit" if found else "miss"] += 1
                if found and _said(found) != _said(self.run(one).answer):
                    wrong.append(one)
        finally:
            edit.undo()
            self.library.sync()
        return wrong, seen

    def survivors(self) -> Counter[str]:
        """After one random edit of one file: which answers still are in the cache."""
        edit = Edit(self.docs, self.rng)
        file = edit.other()
        name = file.relative_to(self.docs).as_posix()
        seen = Counter[str]()
        try:
            edit_at_random(edit, file)
            self.library.sync()
            for question, answer in self.answers.items():
                if answer.status == "not_found":
                    continue
                kind = "cited" if any(c.file_path == name for c in answer.citations) else "shown"
                kind = kind if name in self.evidence[question] else "unrelated"
                seen[f"{kind} {'hit' if self.find(question) else 'miss'}"] += 1
        finally:
            edit.undo()
            self.library.sync()
        return seen


def _files(run: Run) -> Iterator[str]:
    """The files that a run was shown."""
    data = [done.data for step in run.steps for done in step.observations]
    if run.opening:
        data += [run.opening.search, *run.opening.read]
    for one in data:
        if isinstance(one, SearchResult):
            yield from (hit.file_path for hit in one.hits)
        elif isinstance(one, Chunk):
            yield one.file_path


def _said(answer: Answer) -> object:
    """An answer as people get it, with the places that it names."""
    cited = [
        (c.chunk_id, c.section_path, c.lines, c.page, c.quote, c.passage, c.newer_version)
        for c in answer.citations
    ]
    return answer.status, answer.answer, cited


def trial(docs: Path, place: Path, questions: Sequence[str], seed: int = 1) -> Trial:
    """A trial over the documents of a folder that may be changed."""
    library = Library([Root(docs)], place / "index" / "index.db")
    library.sync()
    entries = Entries(place / "cache" / "answers.db", days=30, megabytes=50)
    cache = Cache(entries, library, scope=EVERYTHING, hits=10, context="benchmark")
    made = Trial(docs, library, cache, random.Random(seed))
    made.fill(questions)
    return made


def main(sources: Sequence[str], edits: int, seed: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        docs, questions = Path(place) / "docs", []
        for source in sources:
            file, _, folder = source.partition(":")
            shutil.copytree(folder, docs / Path(folder).name)
            for line in Path(file).read_text("utf-8").splitlines():
                asked = json.loads(line)
                if asked.get("corpus") == Path(folder).name:
                    questions.append(asked["question"])
        made = trial(docs, Path(place), questions, seed)
        report(made, len(questions), edits)


def report(made: Trial, asked: int, edits: int) -> None:
    files = len(made.library.status().files)
    print(f"{files} files, {asked} questions, {len(made.answers)} answers kept")
    print("of status:", dict(Counter(answer.status for answer in made.answers.values())))
    quoted = [question for question, answer in made.answers.items() if answer.citations]
    editable = [
        q for q in quoted if made.docs / made.answers[q].citations[0].file_path in texts(made.docs)
    ]
    lives = max(1, edits // LIVES)
    lived = sum((made.survivors() for _ in range(lives)), Counter[str]())
    print(f"\n{lives} random edits of one random file: share of answers still in the cache")
    for kind in ("unrelated", "shown", "cited"):
        total = lived[f"{kind} hit"] + lived[f"{kind} miss"]
        print(f"  the file was {kind:10} {lived[f'{kind} hit'] / (total or 1):.3f} of {total}")
    wrong: list[tuple[str, str]] = []
    kinds: dict[str, Counter[str]] = {}
    for number in range(edits):
        change = CHANGES[number % len(CHANGES)]
        stale, seen = made.stale(change, made.rng.choice(editable))
        wrong += [(change.__name__, question) for question in stale]
        kinds.setdefault(change.__name__, Counter()).update(seen)
    print(f"\n{edits} edits aimed at an answer, {OTHERS} other answers looked at after each")
    for kind, seen in kinds.items():
        print(f"  {kind:28} hits {seen['hit']:4}  misses {seen['miss']:4}")
    print(f"stale answers: {len(wrong)}", *wrong, sep="\n  ")
    tell("in an index that has changed", made.seconds)
    made.seconds = []
    for _ in range(ROUNDS):
        for question in made.answers:
            made.find(question)
    tell("in an index that is the same", made.seconds[len(made.answers) :])


def tell(what: str, seconds: Sequence[tuple[float, float]]) -> None:
    for kind, times in zip(("wall", "CPU"), map(sorted, zip(*seconds, strict=True)), strict=True):
        p50, p95 = median(times) * 1e3, times[int(len(times) * 0.95)] * 1e3
        print(f"{len(times)} hits {what}: {kind} p50 {p50:.1f} ms, p95 {p95:.1f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", metavar="QUESTIONS:FOLDER")
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    main(given.sources, given.edits, given.seed)
