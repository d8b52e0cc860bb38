"""Results: one JSON object a line, as runs write them and graders and reports read them.

A file holds one pass of one system: no id occurs twice, so that any grader can read it. What was
asked, of what, with which settings stands beside it, in its manifest (see `manifest`).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fanshu.agent.run import Run
from fanshu.errors import ConfigError, FanshuError
from fanshu.evals.questions import Question
from fanshu.evals.result_shapes import problem
from fanshu.types import Answer, Chunk, SearchResult

FOUND = ("answered", "partial", "passages")
READING = frozenset({"read", "next_chunk", "prev_chunk"})

RETRIEVED = "retrieved"  # status and reader of what only ranks texts and answers nothing
BRIEF = 400  # characters of an observation kept in a result; the whole stands in the trace

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A text that a ranking put before the model, and where it begins.

    `trail`, `page`: those of the section in which it begins. `text`: all of it.
    """

    file: str
    trail: tuple[str, ...]
    page: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a system made of one question, whatever it is inside.

    `run` holds its steps and what it read. `answer`: that of the run, with the id of its trace.
    `retrieved`: the texts that its first ranking gave, best first; none where nothing is ranked.
    `first_step`: seconds until the first thing to show somebody who waits; None: there was none.
    """

    answer: Answer
    run: Run
    retrieved: tuple[Retrieved, ...] = ()
    first_step: float | None = None


def result_line(
    question: Question, outcome: Outcome, *, system: str = "loop", repeat: int = 1
) -> dict[str, object]:
    """What is written down of an outcome.

    `tokens` counts what was sent and what came back, the repeated prefix in full. `searches` and
    `reads` are calls that the model made; `read` the chunks whose text it had, `shown` the lines
    of searches from other chunks. `retrieved` is the ranking before any model, `first_step` the
    seconds to the first thing to show, `steps` each round with its calls, tokens and seconds.
    `repeat`: the how manieth pass this is.
    """
    answer, run = outcome.answer, outcome.run
    usage = answer.usage
    line: dict[str, object] = {
        "id": question.id,
        "system": system,
        "repeat": repeat,
        "corpus": question.corpus,
        "kind": question.kind,
        "answer": answer.answer if answer.status in FOUND else "",
        "found": answer.status in FOUND,
        "citations": list(_citations(answer)),
        "loops": answer.rounds,
        "tokens": usage.prompt + usage.completion,
        "seconds": round(answer.seconds, 3),
        "first_step": None if outcome.first_step is None else round(outcome.first_step, 3),
        "model": answer.reader,
        "status": answer.status,
        "stop_reason": answer.stop_reason,
        "prompt_tokens": usage.prompt,
        "cached_tokens": usage.cached,
        "completion_tokens": usage.completion,
        "cost": usage.cost,
        "bounces": answer.bounces,
        "unsupported": list(answer.unsupported),
        "citations_rejected": answer.citations_rejected,
        "searches": sum(not one.ahead for one in answer.searches),
        "reads": sum(call.name in READING for step in run.steps for call in step.calls),
        "read": [_place(chunk) for chunk in run.read],
        "shown": list(_shown(run)),
        "retrieved": list(_retrieved(outcome.retrieved)),
        "steps": list(_steps(run)),
        "trace_id": answer.trace_id,
    }
    if answer.reader == RETRIEVED:
        line["status"] = RETRIEVED
    if answer.status == "error":
        line["error"] = answer.error or answer.stop_reason
    return line


def failed(
    question: Question, error: FanshuError, *, system: str = "loop", repeat: int = 1
) -> dict[str, object]:
    """The result of a question that could not be asked to its end."""
    line = {"id": question.id, "system": system, "repeat": repeat, "corpus": question.corpus}
    line |= {"kind": question.kind, "answer": "", "found": False}
    return line | {"citations": [], "error": str(error)}


def finished(path: Path) -> dict[str, Result]:
    """The results of a file that need not be asked for again; nothing where there is no file.

    A run that was killed may have left half a line, even half a character: it does not count.
    """
    if not path.exists():
        return {}
    lines = path.read_bytes().decode("utf-8", errors="replace").split("\n")
    rows = (_finished(line) for line in lines)
    return {row["id"]: row for row in rows if row is not None}


def _finished(line: str) -> Result | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    done = isinstance(row, dict) and isinstance(row.get("id"), str) and "error" not in row
    return row if done else None


def load(path: Path) -> dict[str, Result]:
    """The results of a file by id.

    Raises: ConfigError — the file cannot be read, or a line is no result (it is named).
    """
    try:
        # Not splitlines: an answer may hold U+2028 or U+0085, which JSON leaves as they are.
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(name="results", detail=f"{path}: {error}") from error
    rows = (_row(path, number, line) for number, line in enumerate(lines, 1) if line.strip())
    return {row["id"]: row for row in rows}


def cost(rows: Iterable[Result]) -> float:
    """What results have cost, in US dollars, as far as prices are known."""
    return sum(float(row.get("cost") or 0.0) for row in rows)


def status(result: Result) -> str:
    """How a question came out; other systems than ours write only `found`."""
    if "error" in result:
        return "error"
    told = result.get("status")
    return str(told or ("answered" if result.get("found", True) else "not_found"))


def _row(path: Path, number: int, line: str) -> Result:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            name="results", detail=f"{path}, line {number}: no JSON ({error})"
        ) from error
    if wrong := problem(row):
        raise ConfigError(name="results", detail=f"{path}, line {number}: {wrong}")
    return dict(row)


def _citations(answer: Answer) -> Iterator[dict[str, object]]:
    for citation in answer.citations:
        yield {
            "file": citation.file_path,
            "trail": list(citation.section_path),
            "page": citation.page,
            "text": citation.passage,
            "lines": citation.lines,
        }


def _retrieved(found: Iterable[Retrieved]) -> Iterator[dict[str, object]]:
    for one in found:
        yield {"file": one.file, "trail": list(one.trail), "page": one.page, "text": one.text}


def _steps(run: Run) -> Iterator[dict[str, object]]:
    for step in run.steps:
        told = {one.call_id: one for one in step.observations}
        yield {
            "round": step.round,
            "text": step.text[:BRIEF],
            "calls": [
                {
                    "tool": call.name,
                    "arguments": call.arguments if call.arguments is not None else call.raw[:BRIEF],
                    "result": told[call.id].text[:BRIEF] if call.id in told else "",
                    "error": call.id in told and told[call.id].error,
                }
                for call in step.calls
            ],
            "tokens": step.usage.prompt + step.usage.completion,
            "seconds": round(step.seconds, 3),
        }


def _place(chunk: Chunk) -> dict[str, object]:
    return {
        "chunk_id": chunk.chunk_id,
        "file": chunk.file_path,
        "trail": list(chunk.section_path),
        "page": chunk.page,
    }


def _shown(run: Run) -> Iterator[dict[str, object]]:
    """The lines of every search, once each."""
    found = [step.data for one in run.steps for step in one.observations]
    read = {chunk.chunk_id for chunk in run.read}
    told: set[tuple[str, str]] = set()
    for data in (run.opening.search if run.opening else None, *found):
        for hit in data.hits if isinstance(data, SearchResult) else ():
            for text in filter(None, (hit.snippet, hit.second)):
                if hit.chunk_id not in read and (hit.chunk_id, text) not in told:
                    told.add((hit.chunk_id, text))
                    yield {"chunk_id": hit.chunk_id, "file": hit.file_path, "text": text}
