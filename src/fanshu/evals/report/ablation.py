"""Series that differ in one setting alone, as a line of points."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fanshu.evals.series import Series

FEWEST = 2  # points of a line


@dataclass(frozen=True, slots=True)
class Line:
    """A setting of a system, and which series has which value of it, in order."""

    system: str
    setting: str
    points: tuple[tuple[str, str], ...]  # value, name of the series


def lines(series: Sequence[Series]) -> tuple[Line, ...]:
    """Every setting that alone tells some series from the others of its system.

    The value of a setting that most series have is the usual one; a series is on the line of a
    setting when all its other settings are usual.
    """
    groups: dict[str, list[tuple[str, Mapping[str, str]]]] = defaultdict(list)
    for one in series:
        if one.manifest:
            groups[str(one.manifest.get("system"))].append((one.name, _chosen(one.manifest)))
    return tuple(line for system, group in groups.items() for line in _lines(system, group))


def _chosen(manifest: Mapping[str, object]) -> dict[str, str]:
    """Settings, options and model as texts, by name."""
    parts = [manifest.get("settings"), manifest.get("options"), {"model": manifest.get("model")}]
    found = {k: v for part in parts if isinstance(part, dict) for k, v in part.items()}
    return {str(key): _text(value) for key, value in found.items()}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _lines(system: str, group: Sequence[tuple[str, Mapping[str, str]]]) -> Iterator[Line]:
    keys = sorted({key for _, chosen in group for key in chosen})
    usual = {
        key: Counter(chosen.get(key, "") for _, chosen in group).most_common(1)[0][0]
        for key in keys
    }
    for key in keys:
        points: dict[str, str] = {}
        for name, chosen in group:
            if all(chosen.get(other, "") == usual[other] for other in keys if other != key):
                points.setdefault(chosen.get(key, ""), name)
        if len(points) >= FEWEST:
            yield Line(system, key, tuple(sorted(points.items(), key=_order)))


def _order(point: tuple[str, str]) -> tuple[int, float, str]:
    try:
        return 0, float(point[0]), ""
    except ValueError:
        return 1, 0.0, point[0]
