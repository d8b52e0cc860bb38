"""What is made of results: `fanshu eval report`, `compare`, `grade`."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fanshu.cli import figures
from fanshu.cli.helping import Verb
from fanshu.cli.messages import Texts
from fanshu.cli.options import Call, with_settings
from fanshu.cli.screen import line
from fanshu.errors import ConfigError

if TYPE_CHECKING:
    from fanshu.evals.comparing import Comparison
    from fanshu.evals.questions import Question
    from fanshu.evals.report.account import Account
    from fanshu.evals.series import Series

WORSE, UNTESTED = 1, 2
MOST_NAMED = 5  # ids in an error

Compared = list[tuple[str, "Comparison"]]


def add(evals: typer.Typer, texts: Texts) -> None:
    """Put these verbs beside `run`."""
    gold: Any = typer.Option("--questions", "-q", metavar="FILE", help=texts("help.gold"))
    common: Any = typer.Option("--common", help=texts("help.common"), show_default=False)

    def verb(name: str, example: str) -> dict[str, Any]:
        told = f"{texts(f'help.eval_{name}')}\n\n{texts('help.example', example=example)}"
        return {"name": name, "cls": Verb, "help": told}

    @evals.command(**verb("report", "fanshu eval report results/ -q q.jsonl --html report.html"))
    @with_settings(texts=texts)
    def report(
        call: Call,
        results: Annotated[
            list[str], typer.Argument(metavar="RESULTS...", help=texts("help.results"))
        ],
        questions: Annotated[Path | None, gold] = None,
        html: Annotated[
            Path | None, typer.Option("--html", metavar="FILE", help=texts("help.html"))
        ] = None,
        markdown: Annotated[
            Path | None, typer.Option("--markdown", metavar="FILE", help=texts("help.markdown"))
        ] = None,
        common_only: Annotated[bool, common] = False,
    ) -> None:
        _report(call, _account(call, results, questions, common=common_only), html, markdown)

    @evals.command(
        **verb("compare", "fanshu eval compare before.jsonl after.jsonl --questions q.jsonl")
    )
    @with_settings(texts=texts)
    def compare(
        call: Call,
        before: Annotated[str, typer.Argument(metavar="A", help=texts("help.results"))],
        after: Annotated[str, typer.Argument(metavar="B", help=texts("help.results"))],
        questions: Annotated[Path | None, gold] = None,
        common_only: Annotated[bool, common] = False,
    ) -> int:
        return _compare(call, _compared(before, after, _gold(questions), common=common_only))

    @evals.command(
        **verb("grade", "fanshu eval grade results.jsonl --questions q.jsonl --out grades.jsonl")
    )
    @with_settings(texts=texts)
    def grade(
        call: Call,
        results: Annotated[Path, typer.Argument(metavar="RESULTS", help=texts("help.results"))],
        questions: Annotated[Path, gold],
        out: Annotated[Path, typer.Option("--out", metavar="FILE", help=texts("help.grades"))],
    ) -> None:
        _grade(call, results, questions, out)


def _gold(path: Path | None) -> "Sequence[Question] | None":
    from fanshu.evals.questions import load

    return load(path) if path else None


# ---------------------------------------------------------------- report


def _account(
    call: Call, named: Sequence[str], questions: Path | None, *, common: bool
) -> "Account":
    from fanshu.evals.report.account import account
    from fanshu.evals.series import answered_ids, load, only

    series, asked = load(named), _gold(questions)
    if common:
        ids = frozenset.intersection(*map(answered_ids, series))
        if not ids:
            raise ConfigError(name="results", detail="they have no question in common")
        series = tuple(only(one, ids) for one in series)
        asked = [one for one in asked if one.id in ids] if asked else None
    return account(series, asked, call.screen.texts.language)


def _report(call: Call, told: "Account", html: Path | None, markdown: Path | None) -> None:
    from fanshu.evals.report import page, plain

    if html:
        _write(html, page.page(told))
    if markdown:
        _write(markdown, plain.markdown(told))
    if call.json:
        call.screen.json({"systems": told.systems, "pairs": told.pairs})
    elif not html and not markdown:
        call.screen.raw(plain.figures(told))
    for path in filter(None, (html, markdown)):
        call.screen.say(call.screen.texts("eval.report", out=path))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(name="report", detail=f"{path}: {error}") from error


# ---------------------------------------------------------------- compare


def _compared(
    before: str, after: str, questions: "Sequence[Question] | None", *, common: bool
) -> Compared:
    """Each system of both, compared. Raises: ConfigError — they are about different questions."""
    from fanshu.evals.comparing import compare
    from fanshu.evals.series import load, measured

    found = []
    for one, other in _pairs(load([before]), load([after])):
        told = compare(measured(one, questions), measured(other, questions))
        if (told.only_before or told.only_after or not told.paired) and not common:
            raise _different(one.name, told)
        found.append((other.name, told))
    return found


def _pairs(
    before: "Sequence[Series]", after: "Sequence[Series]"
) -> "Iterator[tuple[Series, Series]]":
    """The same system of both sides; where each has one alone, these."""
    if len(before) == len(after) == 1:
        yield before[0], after[0]
        return
    named = {one.name: one for one in after}
    missing = [one.name for one in before if one.name not in named]
    if missing:
        detail = f"B has no results of {', '.join(missing)}, which A has"
        raise ConfigError(name="results", detail=detail)
    yield from ((one, named[one.name]) for one in before)


def _different(name: str, told: "Comparison") -> ConfigError:
    sides = [("A", told.only_before), ("B", told.only_after)]
    parts = [f"only in {side}: {_ids(ids)}" for side, ids in sides if ids]
    detail = f"{name}: A and B are about different questions ({'; '.join(parts)}); --common"
    return ConfigError(name="results", detail=f"{detail} compares what both have")


def _ids(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
    return f"{', '.join(ids[:MOST_NAMED])}{more}"


def _compare(call: Call, found: Compared) -> int:
    """Show what changed; the exit code tells whether any system is significantly worse."""
    texts = call.screen.texts
    if call.json:
        told = [
            {"system": name, "worse": it.worse, "graded": it.graded, "comparison": it}
            for name, it in found
        ]
        call.screen.json(told[0] if len(told) == 1 else told)
    else:
        for name, one in found:
            if len(found) > 1:
                call.screen.raw(f"## {name}\n\n")
            for text in figures.compared(texts, one):
                call.screen.raw(f"{text}\n")
    for name, one in found:
        key = ("worse" if one.worse else "held") if one.graded else "ungraded"
        measures = ", ".join(texts(f"column.{measure}") for measure in one.worse)
        call.screen.warn(f"compare.{key}", name=name, measures=measures)
    if any(one.worse for _, one in found):
        return WORSE
    return 0 if all(one.graded for _, one in found) else UNTESTED


# ---------------------------------------------------------------- grade


def _grade(call: Call, path: Path, questions: Path, out: Path) -> None:
    from fanshu.evals import results
    from fanshu.evals.grade_lines import grade_line
    from fanshu.evals.summary import cases

    found = cases(results.load(path), _gold(questions))
    lines = [
        grade_line(one.result, one.grade, one.ranking) for one in found if one.grade and one.result
    ]
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in lines)
    _write(out, text)
    if call.json:
        call.screen.json({"grades": len(lines), "out": str(out)})
    else:
        told = call.screen.texts("eval.grades", count=len(lines), out=out)
        call.screen.show([line(told)])
