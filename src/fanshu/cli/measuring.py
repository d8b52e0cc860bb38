"""The verb eval: put questions with known answers to a system, and sum up what it says."""

import typer

from fanshu.cli import (
    measuring_judge,
    measuring_reports,
    measuring_runs,
    measuring_sets,
    measuring_variants,
)
from fanshu.cli.helping import Verbs
from fanshu.cli.messages import Texts


def add(app: typer.Typer, texts: Texts) -> None:
    """Put this verb on the program."""
    evals = typer.Typer(
        cls=Verbs, rich_markup_mode=None, no_args_is_help=True, help=texts("help.eval")
    )
    app.add_typer(evals, name="eval", rich_help_panel=texts("help.more"))
    measuring_runs.add(evals, texts)
    measuring_sets.add(evals, texts)
    measuring_variants.add(evals, texts)
    measuring_reports.add(evals, texts)
    measuring_judge.add(evals, texts)
