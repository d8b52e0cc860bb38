"""Write docs/reports/library.html and .md: an example of `fanshu eval report`.

Systems without a model over the example library, so that anybody gets the same; only the times
differ from machine to machine.
"""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from fanshu.evals.questions import load
from fanshu.evals.report import page, plain
from fanshu.evals.report.account import Account, account
from fanshu.evals.running import Plan, run
from fanshu.evals.series import load as load_series
from fanshu.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "docs" / "reports"
RUNS: Mapping[str, tuple[str, Mapping[str, object]]] = {  # name → system, settings
    "extractive": ("extractive", {}),
    "one round": ("extractive", {"max_rounds": 1}),
    "two rounds": ("extractive", {"max_rounds": 2}),
    "one hit": ("extractive", {"hits": 1}),
    "search": ("search", {}),
}


def told(folder: Path) -> Account:
    """Run everything in an empty folder, and work out the report."""
    questions = load(ROOT / "examples" / "questions.jsonl")
    named = []
    for name, (system, chosen) in RUNS.items():
        settings = Settings(docs=(str(ROOT / "examples" / "library"),), trace=False, **chosen)
        out = folder / f"{name}.jsonl"
        run(Plan(questions, system, settings), out)
        named.append(f"{name}={out}")
    return account(load_series(named), questions, "en")


def main() -> None:
    """Write both forms."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        made = told(Path(folder))
    REPORTS.mkdir(exist_ok=True)
    (REPORTS / "library.html").write_text(page.page(made), encoding="utf-8")
    (REPORTS / "library.md").write_text(plain.markdown(made), encoding="utf-8")


if __name__ == "__main__":
    main()
