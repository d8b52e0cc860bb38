"""The results of one system: one file for each pass, with its manifest beside it."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fanshu.errors import ConfigError
from fanshu.evals import manifest, results
from fanshu.evals.manifest import Manifest
from fanshu.evals.questions import Question
from fanshu.evals.results import Result
from fanshu.evals.summary import Case, cases

_PASS = re.compile(r"(?P<name>.+)\.(?P<number>\d+)")  # loop.2.jsonl: the second pass of loop


@dataclass(frozen=True, slots=True)
class Series:
    """What one system said in each of its `passes`, by id of the question."""

    name: str
    passes: tuple[Mapping[str, Result], ...]
    manifest: Manifest | None = None


def load(named: Sequence[str]) -> tuple[Series, ...]:
    """The results in files and folders, in that order; `NAME=FILE` gives a name.

    A series is called as its system where no other is of the same, else as its file.

    Raises: ConfigError — a file is missing or no results, or a folder holds none.
    """
    found: dict[tuple[Path | None, str], list[tuple[int, Path]]] = defaultdict(list)
    for text in named:
        given, paths = _paths(text)
        for path in paths:
            match = _PASS.fullmatch(path.stem)
            name, number = (match["name"], int(match["number"])) if match else (path.stem, 1)
            key = (None, given) if given else (path.parent, name)
            found[key].append((number, path))
    made = [_series(key[1], files) for key, files in found.items()]
    return _told_apart(made, list(found))


def measured(series: Series, questions: Sequence[Question] | None) -> list[Case]:
    """The questions with what came of them, those of each pass after the other."""
    return [one for each in series.passes for one in cases(each, questions)]


def answered_ids(series: Series) -> frozenset[str]:
    """Questions that some pass has a result for."""
    return frozenset(id_ for each in series.passes for id_ in each)


def only(series: Series, ids: frozenset[str]) -> Series:
    """The same series with no other questions."""
    kept = tuple({id_: row for id_, row in each.items() if id_ in ids} for each in series.passes)
    return replace(series, passes=kept)


def _paths(text: str) -> tuple[str, list[Path]]:
    """The name that was given, if any, and the files."""
    given, equals, rest = text.partition("=")
    if not equals or Path(text).exists():
        given, rest = "", text
    path = Path(rest)
    if not path.is_dir():
        return given, [path]
    files = [one for one in sorted(path.glob("*.jsonl")) if _holds_results(one)]
    if not files:
        raise ConfigError(name="results", detail=f"the folder {rest!r} holds no results (*.jsonl)")
    return given, files


def _holds_results(path: Path) -> bool:
    """Whether the first line is a result; questions and recordings may lie in the same folder."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            row = json.loads(file.readline())
    except (OSError, ValueError):
        return False
    return isinstance(row, dict) and "id" in row and not {"question", "replies"} & row.keys()


def _series(name: str, files: Sequence[tuple[int, Path]]) -> Series:
    ordered = [path for _, path in sorted(files)]
    return Series(name, tuple(map(results.load, ordered)), manifest.load(ordered[0]))


def _told_apart(
    made: Sequence[Series], keys: Sequence[tuple[Path | None, str]]
) -> tuple[Series, ...]:
    """Names by system where that says enough, by file where not, with the folder if need be."""
    systems = [_system(one) for one in made]
    stems = [key[1] for key in keys]
    names = []
    for one, (folder, stem), system in zip(made, keys, systems, strict=True):
        name = system if system and systems.count(system) == 1 and folder else stem
        if folder and name == stem and stems.count(stem) > 1:
            name = f"{folder.resolve().name}/{stem}"
        names.append(replace(one, name=name))
    return tuple(names)


def _system(series: Series) -> str | None:
    told = {str(row.get("system") or "") for each in series.passes for row in each.values()}
    return next(iter(told)) if len(told) == 1 and "" not in told else None
