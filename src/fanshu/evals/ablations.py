"""Ablations: one setting at a time changed, all else as it is, one results file for each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from fanshu.errors import ConfigError
from fanshu.evals import results
from fanshu.evals.grading import gold
from fanshu.evals.pacing import rest
from fanshu.evals.questions import Question
from fanshu.evals.retrieval import CUTS, Ranking, ranking
from fanshu.evals.running import OnResult, Plan, run
from fanshu.evals.summary import Summary, cases, summaries

# M34: what the loop is made of, a setting and the values tried. A value that is in force anyway is
# the base line and is run once.
VARIED: Mapping[str, tuple[object, ...]] = {
    "max_rounds": (4, 6, 8, 10),
    "hits": (3, 5, 8, 10),
    "directory_summary": (True, False),
    "first_search": (True, False),
    "text_ahead": (True, False),
    "search_path": (True, False),
    "summarize": ("auto", "always", "never"),
    "part_chars": (400, 800, 1500),
    "tool_mode": ("native", "json"),
}
# Without a model there is nobody to tell of folders, or to ask for notes.
WITHOUT_MODEL = ("max_rounds", "hits", "first_search", "part_chars")
OF_RANKING = ("part_chars",)
BASE = "base"


@dataclass(frozen=True, slots=True)
class Variant:
    """One run: the `setting` that differs and its `value`; the base line differs in none."""

    setting: str
    value: object

    @property
    def name(self) -> str:
        """What its file is called."""
        return f"{self.setting}={self.value}" if self.setting else BASE


@dataclass(frozen=True, slots=True)
class Row:
    """A variant with what came of it; `ranking`: means over the questions that have places."""

    variant: Variant
    summary: Summary
    ranking: Ranking | None


def variants(plan: Plan, settings: Sequence[str] = ()) -> tuple[Variant, ...]:
    """The base line, then every other value of each setting that can matter to the system.

    Raises: ConfigError — a setting that is none of these.
    """
    if unknown := [name for name in settings if name not in VARIED]:
        raise ConfigError(name="ablate", detail=f"{unknown[0]!r} is none of {', '.join(VARIED)}")
    usual = {"loop": tuple(VARIED), "extractive": WITHOUT_MODEL}.get(plan.system, OF_RANKING)
    chosen = [name for name in usual if not settings or name in settings]
    if not chosen:
        detail = f"{plan.system} does not depend on {', '.join(settings)}"
        raise ConfigError(name="ablate", detail=detail)
    others = (
        Variant(name, value)
        for name in chosen
        for value in VARIED[name]
        if value != getattr(plan.settings, name)
    )
    return Variant("", None), *others


def ablate(
    plan: Plan, found: Sequence[Variant], folder: Path, on_result: OnResult | None = None
) -> Iterator[Row]:
    """Run each variant, a file each in a folder; what is there already is not run again.

    `max_spend` of the plan holds for all of them together.
    Raises: ConfigError, LibraryError, ModelNotConfigured.
    """
    folder.mkdir(parents=True, exist_ok=True)
    spent = 0.0
    for variant in found:
        changed = {variant.setting: variant.value} if variant.setting else {}
        settings = plan.settings.model_copy(update=changed)
        out = folder / f"{variant.name}.jsonl"
        run(replace(plan, settings=settings, max_spend=rest(plan.max_spend, spent)), out, on_result)
        spent += results.cost(results.load(out).values())
        yield _row(variant, out, plan.questions)


def _row(variant: Variant, out: Path, questions: Sequence[Question]) -> Row:
    rows = results.load(out)
    return Row(variant, summaries(cases(rows, questions))[0], mean_ranking(rows, questions))


def mean_ranking(
    rows: Mapping[str, results.Result], questions: Sequence[Question]
) -> Ranking | None:
    """The means of what rankings reach, over the questions that have places."""
    judged = []
    for one in questions:
        right, row = gold(one), rows.get(one.id)
        found = ranking(right, row.get("retrieved") or ()) if right and row else None
        judged += [found] if found else []
    if not judged:
        return None
    recall = tuple(fmean(one.recall[at] for one in judged) for at in range(len(CUTS)))
    return Ranking(recall, fmean(one.mrr for one in judged), fmean(one.ndcg for one in judged))
