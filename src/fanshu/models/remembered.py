"""What endpoints have shown of themselves, kept over runs in one small file.

A server whose tool calls never parse costs two wasted requests to find out; it is found out
once. Losing the file does no harm: the same is learned again.
"""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fanshu.models.json_mode import WAYS, Habits
from fanshu.models.providers import Endpoint, shown

FILE = "endpoints.json"
DAYS = 7.0  # then an endpoint is tried afresh: servers are upgraded, and native calls are better
MOST = 200  # endpoints; the oldest go first
DAY = 86_400.0  # seconds


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one endpoint, and since when (seconds since 1970)."""

    endpoint: str
    habits: Habits
    since: float


@dataclass(frozen=True, slots=True)
class Memory:
    """The file at `path`, read and written for one endpoint; without a path it forgets."""

    path: Path | None = None
    endpoint: str = ""

    def recall(self) -> Habits | None:
        """What was learned of the endpoint in the last `DAYS` days, if anything."""
        if self.path is None:
            return None
        found = (known for known in remembered(self.path) if known.endpoint == self.endpoint)
        return next((known.habits for known in found), None)

    def keep(self, habits: Habits) -> None:
        """Write down what was learned; where that cannot be done, it is learned again."""
        if self.path is None:
            return
        others = [known for known in remembered(self.path) if known.endpoint != self.endpoint]
        kept = sorted([*others, Known(self.endpoint, habits, time.time())], key=_since)[-MOST:]
        with suppress(OSError):
            _write(self.path, kept)


def memory_of(place: Endpoint, path: Path | None) -> Memory:
    """The memory of one model at one address, which is written without anything secret."""
    provider = place.provider.id if place.provider else ""
    return Memory(path, f"{provider}:{place.model} {shown(place.base_url or '')}".strip())


def remembered(path: Path) -> tuple[Known, ...]:
    """Everything in the file that has not expired; a broken or missing file holds nothing."""
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        entries = written["endpoints"].items()
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return ()
    known = [_known(name, entry) for name, entry in entries]
    oldest = time.time() - DAYS * DAY
    return tuple(one for one in known if one and oldest < one.since <= time.time() + DAY)


def _since(known: Known) -> float:
    return known.since


def _known(name: str, entry: Any) -> Known | None:
    if not isinstance(entry, Mapping) or entry.get("way") not in WAYS:
        return None
    since, choice, fields = entry.get("since"), entry.get("choice"), entry.get("fields")
    if not isinstance(since, int | float):
        return None
    return Known(name, Habits(entry["way"], choice is not False, fields is not False), since)


def _write(path: Path, kept: list[Known]) -> None:
    """All of it at once, so that a reader never meets half a file."""
    entries = {
        known.endpoint: {
            "way": known.habits.way,
            "choice": known.habits.choice,
            "fields": known.habits.fields,
            "since": known.since,
        }
        for known in kept
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}.tmp")
    fresh.write_text(json.dumps({"endpoints": entries}, ensure_ascii=False), encoding="utf-8")
    fresh.replace(path)
