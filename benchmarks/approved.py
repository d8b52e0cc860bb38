"""Whether approved answers are flagged when they must be, and only then; and what a look costs.

    python benchmarks/approved.py states QUESTIONS.jsonl:FOLDER ... [--answers 50] [--seed 1]
    python benchmarks/approved.py speed [--answers 1000] [--files 100] [--rounds 20]

`states`: the folders are copied into one library; for each question that has gold places, its gold
answer is approved with these as evidence. Then files are edited in scripted ways, one at a time;
after each edit every answer is compared with what must have become of it, and the edit is undone.
`speed`: many answers over made documents, of which one file is edited again and again.
"""

import argparse
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

from fanshu import Library, Root
from fanshu.agent.citing import Place, cite
from fanshu.agent.evidence import find
from fanshu.approved.approval import Kept
from fanshu.approved.approving import Wish
from fanshu.approved.deciding import accept
from fanshu.approved.keeping_up import Report, keep_up
from fanshu.approved.rivals import claims_in
from fanshu.approved.standing import squashed
from fanshu.approved.store import Approvals
from fanshu.errors import ApprovalRefused
from fanshu.types import Answer, Chunk, Citation

EDITABLE = {".md", ".txt"}
FILLER = "与以上各节无关的一段说明，另行维护，见登记簿。"
KINDS = (
    *(("changed", 10), ("moved", 10), ("gone", 10), ("superseded", 8), ("contradicted", 8)),
    *(("same file", 8), ("elsewhere", 6)),
)
ALARMS = {"changed", "gone", "superseded", "contradicted"}


@dataclass
class Trial:
    """A library with approved answers, edited again and again."""

    docs: Path
    library: Library
    approvals: Approvals
    rng: random.Random
    kept: dict[str, Kept] = field(default_factory=dict)
    forced: int = 0
    before: dict[Path, bytes | None] = field(default_factory=dict)

    # ------------------------------------------------------------ approving

    def approve(self, line: Mapping[str, object], folder: str) -> bool:
        """Approve the gold answer of a question on its gold places, those in editable files."""
        places = [self._cited(folder, gold) for gold in line.get("gold") or ()]
        cited = tuple(one for one in places if one)
        if not cited or len(cited) < len(places):
            return False
        text = str(line["answer"])
        question = str(line["question"])
        answer = Answer(question, "answered", text, citations=cited, reader="gold")
        try:
            kept = accept(self.approvals, self.library, answer, Wish("gold", force=True))
        except ApprovalRefused:
            return False
        self.forced += bool(kept.approved.answer.unsupported)
        self.kept[kept.id] = kept
        return True

    def _cited(self, folder: str, gold: Mapping[str, str]) -> Citation | None:
        path = f"{folder}/{gold['file']}"
        if self.docs / path not in texts_of(self.docs):
            return None
        for chunk in self.chunks(path):
            if found := find(gold["quote"], chunk):
                return cite(Place(self.library.read(chunk.chunk_id), found), "quoted")
        return None

    def chunks(self, path: str) -> Iterator[Chunk]:
        """The chunks of a file."""
        record = self.library.view().documents.get(path)
        for number in range(1, record.chunks + 1 if record else 1):
            if chunk := self.library.store.chunk(path, number):
                yield chunk

    # ------------------------------------------------------------ editing

    def write(self, name: str, text: str | None) -> None:
        """Write a file, or delete it, so that it can be undone."""
        path = self.docs / name
        self.before.setdefault(path, path.read_bytes() if path.exists() else None)
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")

    def read(self, name: str) -> str:
        """The text of a file."""
        return (self.docs / name).read_bytes().decode("utf-8")

    def keep_up(self) -> Report:
        """What a sync does."""
        self.library.sync()
        return keep_up(self.approvals, self.library)

    def undo(self) -> Report:
        """Everything as it was, and all answers fine again."""
        for path, data in self.before.items():
            if data is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(data)
        self.before.clear()
        return self.keep_up()

    def states(self) -> dict[str, str]:
        """How every answer stands, as written down."""
        return {one.id: one.examined.state for one in self.approvals.all()}

    # ------------------------------------------------------------ what must be

    def here(self, kept: Kept) -> bool:
        """Whether every passage of an answer stands somewhere in its file, word for word."""
        for cited in (one.citation for one in kept.approved.evidence):
            path = self.docs / cited.file_path
            text = squashed(path.read_text("utf-8")) if path.exists() else ""
            if not all(squashed(line) in text for line in cited.passage.splitlines()):
                return False
        return True

    def anywhere(self, kept: Kept) -> bool:
        """Whether every passage stands in some file."""
        texts = [squashed(path.read_text("utf-8", "replace")) for path in texts_of(self.docs)]
        last = [one.citation.passage.rpartition("\n")[2] for one in kept.approved.evidence]
        return all(any(squashed(line) in text for text in texts) for line in last)


def texts_of(docs: Path) -> list[Path]:
    """Every editable file: text in UTF-8."""
    return sorted(path for path in docs.rglob("*") if path.suffix in EDITABLE and is_utf8(path))


def is_utf8(path: Path) -> bool:
    """Whether a file can be read as it is."""
    try:
        path.read_text("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# ---------------------------------------------------------------- edits

Edit = Callable[[Trial, Kept], bool]


def cited(kept: Kept) -> Citation:
    """The first citation of an answer."""
    return kept.approved.evidence[0].citation


def changed(trial: Trial, kept: Kept) -> bool:
    """A figure or a word of the passage becomes another one."""
    one = cited(kept)
    quote, text = one.quote, trial.read(one.file_path)
    if text.count(quote) != 1:
        return False
    figure = re.search(r"\d+", quote)
    if figure:
        value = str(int(figure[0]) + trial.rng.randint(1, 9))
        new = quote[: figure.start()] + value + quote[figure.end() :]
    else:
        at = len(quote) // 2
        new = f"{quote[:at]}（除另有规定外）{quote[at:]}"
    trial.write(one.file_path, text.replace(quote, new))
    return True


def moved(trial: Trial, kept: Kept) -> bool:
    """The file is renamed, or something is put before the section, or it goes to another file."""
    one = cited(kept)
    way = trial.rng.randrange(3)
    text = trial.read(one.file_path)
    if way == 0:
        folder, _, name = one.file_path.rpartition("/")
        trial.write(f"{folder}/moved/{name}", text)
        trial.write(one.file_path, None)
        return True
    section = kept.approved.evidence[0].section
    mark = section.lstrip().partition(" ")[0]
    if text.count(section) != 1 or set(mark) != {"#"}:
        return False
    if way == 1:  # under the same headings: one of its own level
        trial.write(one.file_path, text.replace(section, f"{mark} 附\n\n{FILLER}\n\n{section}"))
        return True
    over = "".join(f"{'#' * n} {name}\n\n" for n, name in enumerate(one.section_path[:-1], 1))
    trial.write(one.file_path, text.replace(section, ""))
    trial.write("other/另册.md", f"{over}{section}\n")
    return True


def gone(trial: Trial, kept: Kept) -> bool:
    """The lines of the passage are deleted, or the whole file is."""
    one = cited(kept)
    if trial.rng.random() < 0.4:
        trial.write(one.file_path, None)
        return True
    text, line = trial.read(one.file_path), one.passage
    if line not in text:  # a row under its header, an item under its lead
        line = line.rpartition("\n")[2]
    begin = text.find(line)
    if begin < 0 or text.count(line) != 1:
        return False
    begin = text.rfind("\n", 0, begin) + 1
    end = text.find("\n", begin + len(line))
    trial.write(one.file_path, text[:begin] + text[end + 1 if end >= 0 else len(text) :])
    return True


def superseded(trial: Trial, kept: Kept) -> bool:
    """A newer version of the file appears beside it."""
    one = cited(kept)
    if one.newer_version:
        return False
    path = Path(one.file_path)
    newer = path.with_name(f"{path.stem} (final){path.suffix}").as_posix()
    trial.write(newer, trial.read(one.file_path) + f"\n\n{FILLER}\n")
    return True


def contradicted(trial: Trial, kept: Kept) -> bool:
    """Another document says the same with another figure."""
    one = kept.approved.evidence[0]
    if not claims_in(one):
        return False
    heading = one.citation.section_path[-1:] or ("",)
    passage = one.citation.passage
    lead, _, last = passage.rpartition("\n")
    figures = list(re.finditer(r"(?<![\d.\w-])\d+(?![\d.\w-])", last))
    if not figures:
        return False
    figure = figures[0]
    other = str(int(figure[0]) * 2 + 1)
    said = last[: figure.start()] + other + last[figure.end() :]
    if last.startswith("|"):
        columns = last.count("|") - 1
        lead = f"{lead}\n|{' --- |' * columns}"
    body = f"{lead}\n{said}" if lead else said
    trial.write("other/又一说.md", f"# 另一份文档\n\n## {heading[0]}\n\n{body}\n")
    return True


def same_file(trial: Trial, kept: Kept) -> bool:
    """Something else in the same file: a paragraph more, another section, another line edited."""
    one = cited(kept)
    text = trial.read(one.file_path)
    way = trial.rng.randrange(3)
    if way == 0:
        trial.write(one.file_path, f"{text.rstrip()}\n\n{FILLER}\n")
        return True
    if way == 1:
        trial.write(one.file_path, f"{text.rstrip()}\n\n## 另一节\n\n{FILLER}\n")
        return True
    passages = {
        line
        for each in trial.kept.values()
        for evidence in each.approved.evidence
        for line in evidence.citation.passage.splitlines()
    }
    lines = text.split("\n")
    free = [
        at
        for at, line in enumerate(lines)
        if len(line) > 12
        and not line.startswith(("#", "|", "-", "```", "---"))
        and not any(
            squashed(line) in squashed(p) or squashed(p) in squashed(line) for p in passages
        )
    ]
    if not free:
        return False
    at = trial.rng.choice(free)
    lines[at] += FILLER
    trial.write(one.file_path, "\n".join(lines))
    return True


def elsewhere(trial: Trial, kept: Kept) -> bool:  # noqa: ARG001 - every edit gets one
    """Another file: new, edited or deleted, that no answer rests on."""
    used = {name for one in trial.kept.values() for name in one.files}
    free = [p for p in texts_of(trial.docs) if p.relative_to(trial.docs).as_posix() not in used]
    way = trial.rng.randrange(3)
    if way == 0 or not free:
        trial.write("other/new.md", f"# 新\n\n{FILLER}\n")
        return True
    name = trial.rng.choice(free).relative_to(trial.docs).as_posix()
    trial.write(name, trial.read(name) + f"\n\n{FILLER}\n" if way == 1 else None)
    return True


EDITS: Mapping[str, Edit] = {
    "changed": changed,
    "moved": moved,
    "gone": gone,
    "superseded": superseded,
    "contradicted": contradicted,
    "same file": same_file,
    "elsewhere": elsewhere,
}


# ---------------------------------------------------------------- judging


@dataclass
class Score:
    """What came of the edits of one kind."""

    edits: int = 0
    right: int = 0
    flagged: int = 0
    must: int = 0
    false: int = 0
    examined: int = 0
    wrong: list[str] = field(default_factory=list)


def judge(trial: Trial, kind: str, target: Kept, report: Report, score: Score) -> None:
    """Compare what every answer is said to be with what must have become of it."""
    states = trial.states()
    score.edits += 1
    score.examined += report.examined
    expected = kind if kind in {*ALARMS, "moved"} else ""
    own = states[target.id]
    fine = own == expected if expected else own not in ALARMS
    score.right += fine
    if not fine:
        score.wrong.append(f"{kind}: {own}: {target.approved.question} {cited(target).chunk_id}")
    for answer_id, kept in trial.kept.items():
        must = _must(trial, kind, target, kept)
        alarmed = states[answer_id] in ALARMS
        score.must += must is True
        score.flagged += must is True and alarmed
        if alarmed and must is False:
            score.false += 1
            score.wrong.append(f"false alarm after {kind}: {kept.approved.question}")


def _must(trial: Trial, kind: str, target: Kept, kept: Kept) -> bool | None:
    """Whether an answer must be flagged; None: either will do."""
    if kind in ("changed", "gone"):
        if trial.here(kept):
            return kept.id == target.id
        return True if not trial.anywhere(kept) or kept.id == target.id else None
    same = {one.citation.file_path for one in kept.approved.evidence}
    if kind == "superseded":
        return cited(target).file_path in same
    if kind == "contradicted":
        passages = {one.citation.passage for one in kept.approved.evidence}
        return (
            True if kept.id == target.id else (None if cited(target).passage in passages else False)
        )
    return False


def play(trial: Trial, kinds: Sequence[tuple[str, int]] = KINDS) -> dict[str, Score]:
    """Make the edits, judge each, undo it."""
    scores: dict[str, Score] = {}
    for kind, count in kinds:
        score = scores[kind] = Score()
        targets = list(trial.kept.values())
        trial.rng.shuffle(targets)
        for target in targets * 2:
            if score.edits == count:
                break
            if EDITS[kind](trial, target):
                judge(trial, kind, target, trial.keep_up(), score)
            trial.undo()
            left = [state for state in trial.states().values() if state in ALARMS]
            assert not left, (kind, left)
    return scores


def make(folder: Path, sets: Sequence[tuple[Path, Path]], answers: int, seed: int) -> Trial:
    """A library of copies of the folders, with answers approved. `sets`: (questions, folder)."""
    docs = folder / "docs"
    for _, source in sets:
        if not (docs / source.name).exists():
            shutil.copytree(source, docs / source.name)
    library = Library([Root(docs)], folder / "index.db")
    library.sync()
    trial = Trial(docs, library, Approvals(folder / "approved.db", "d"), random.Random(seed))
    lines = [(json.loads(text), source) for path, source in sets for text in _lines(path)]
    for line, source in lines:
        if len(trial.kept) < answers and line.get("corpus", source.name) in (source.name, None):
            trial.approve(line, source.name)
    trial.keep_up()
    return trial


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line.strip()]


def table(scores: Mapping[str, Score]) -> str:
    """The figures, a row for each kind of edit."""
    rows = ["| edit | edits | right state | must be flagged | flagged | false alarms | looked at |"]
    rows.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    total = Score()
    for kind, one in scores.items():
        rows.append(_row(kind, one))
        for name in ("edits", "right", "must", "flagged", "false", "examined"):
            setattr(total, name, getattr(total, name) + getattr(one, name))
    return "\n".join([*rows, _row("all", total)])


def _row(kind: str, one: Score) -> str:
    looked = one.examined / (one.edits or 1)
    cells = (kind, one.edits, one.right, one.must, one.flagged, one.false, f"{looked:.1f}")
    return f"| {' | '.join(map(str, cells))} |"


# ---------------------------------------------------------------- speed


def speed(answers: int, files: int, rounds: int) -> None:
    """What looking again costs after one file's edit."""
    with tempfile.TemporaryDirectory() as name:
        trial = made(Path(name), answers, files)
        taken, cpu, examined, reads = [], [], [], []
        for round_ in range(rounds):
            path = f"册/{round_ % files}.md"
            text = trial.read(path).replace(f"项 {files + round_ % files} 的", "项 0 的")
            old = re.search(r"上限为 (\d+) 次", text)
            assert old
            trial.write(path, text.replace(old[0], f"上限为 {int(old[1]) + 1} 次", 1))
            trial.library.sync()
            began, used = time.perf_counter(), time.process_time()
            report = keep_up(trial.approvals, trial.library)
            taken.append(time.perf_counter() - began)
            cpu.append(time.process_time() - used)
            examined.append(report.examined)
            reads.append(report.reads)
        began = time.perf_counter()
        keep_up(trial.approvals, trial.library)
        idle = time.perf_counter() - began
        trial.library.close()
    print(
        f"{answers} answers, {files} files: median {median(taken) * 1000:.1f} ms, "
        f"most {max(taken) * 1000:.1f} ms, least {min(taken) * 1000:.1f} ms, "
        f"median of CPU {median(cpu) * 1000:.1f} ms; "
        f"looked at {median(examined):.0f} answers, {median(reads):.0f} chunks read; "
        f"nothing changed: {idle * 1000:.1f} ms"
    )


def made(folder: Path, answers: int, files: int) -> Trial:
    """Documents of ten sections, and answers spread over them."""
    docs = folder / "docs"
    sections = max(10, -(-answers // files))
    for number in range(files):
        parts = [f"# 第 {number} 册\n"]
        for section in range(sections):
            item = number * sections + section
            parts.append(
                f"\n## 事项 {item}\n\n本节说明事项 {item} 的办理。事项 {item} 的上限为 "
                f"{item + 100} 次，超过后由负责人另行处理。其余按一般规定执行。\n"
            )
        path = docs / "册" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(parts), encoding="utf-8")
    library = Library([Root(docs)], folder / "index.db")
    library.sync()
    trial = Trial(docs, library, Approvals(folder / "approved.db", "d"), random.Random(1))
    each = answers // files
    for number in range(files):
        for section in range(each):
            item = number * sections + section
            line = {
                "question": f"事项 {item} 的上限是多少？",
                "answer": f"{item + 100} 次。",
                "gold": [
                    {"file": f"{number}.md", "quote": f"事项 {item} 的上限为 {item + 100} 次"}
                ],
            }
            assert trial.approve(line, "册")
    return trial


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    states = commands.add_parser("states")
    states.add_argument("sets", nargs="+", help="QUESTIONS.jsonl:FOLDER")
    states.add_argument("--answers", type=int, default=50)
    states.add_argument("--seed", type=int, default=1)
    fast = commands.add_parser("speed")
    fast.add_argument("--answers", type=int, default=1000)
    fast.add_argument("--files", type=int, default=100)
    fast.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    if given.command == "speed":
        speed(given.answers, given.files, given.rounds)
        return
    sets = [(Path(a), Path(b)) for a, b in (one.split(":", 1) for one in given.sets)]
    with tempfile.TemporaryDirectory() as name:
        trial = make(Path(name), sets, given.answers, given.seed)
        scores = play(trial)
        counts = Counter(cited(one).file_path.split("/")[0] for one in trial.kept.values())
        print(f"{len(trial.kept)} answers ({dict(counts)}), {trial.forced} with figures beyond")
        print(table(scores))
        for score in scores.values():
            print("\n".join(score.wrong), end="\n" if score.wrong else "")
        trial.library.close()


if __name__ == "__main__":
    main()
