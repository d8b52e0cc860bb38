"""What results were made with: versions, settings, model, questions. No keys, no paths."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fanshu import __version__, app
from fanshu.agent.prompts import PROMPT_VERSION
from fanshu.errors import ConfigError
from fanshu.evals.questions import Question
from fanshu.settings import Settings

Manifest = Mapping[str, Any]

# Settings that name places on this machine; the documents are told by name instead.
PATHS = frozenset({"docs", "index", "synonyms", "ca_file", "parsers"})
# What may differ between two sittings of one run.
MAY_DIFFER = frozenset({"began", "versions", "questions"})


def beside(out: Path) -> Path:
    """Where the manifest of a file of results stands."""
    return out.with_name(f"{out.stem}.manifest.json")


def made_of(
    settings: Settings,
    questions: Sequence[Question],
    *,
    system: str,
    repeat: int,
    model: str,
    corpora: Mapping[str, str],
    options: Mapping[str, object],
) -> Manifest:
    """The manifest of a run. `corpora`: a digest of each set of documents by its name."""
    shown = app.public(settings)
    kept = {k: v for k, v in shown.items() if k not in app.NO_MATTER | PATHS}
    asked = "\n".join(f"{one.id} {one.question}" for one in questions)
    return {
        "system": system,
        "repeat": repeat,
        "model": model,
        "settings": kept,
        "options": dict(options),
        "corpora": dict(corpora),
        "questions": {"count": len(questions), "sha256": _digest(asked)},
        "versions": {
            "fanshu": __version__,
            "prompt": PROMPT_VERSION,
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def write(out: Path, manifest: Manifest) -> None:
    """Write the manifest beside a file of results."""
    text = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True)
    beside(out).write_text(f"{text}\n", encoding="utf-8")


def load(out: Path) -> Manifest | None:
    """The manifest beside a file of results; None when there is none that can be read."""
    try:
        found = json.loads(beside(out).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def require_same(out: Path, now: Manifest) -> None:
    """Results of different settings must not end up in one file.

    Raises: ConfigError — what differs is named.
    """
    before = load(out)
    if before is None:
        return
    differ = list(_differences(before, now))
    if differ:
        detail = f"{out} holds results made otherwise ({'; '.join(differ[:3])}); name another file"
        raise ConfigError(name="out", detail=detail)


def _differences(before: Manifest, now: Manifest) -> "list[str]":
    found = []
    for key in sorted({*before, *now} - MAY_DIFFER):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            # A setting that only one of two versions knows is no other setting.
            names = old.keys() & new.keys() if key == "settings" else {*old, *new}
            changed = [name for name in names if old.get(name) != new.get(name)]
            found += [f"{name}: {old.get(name)} → {new.get(name)}" for name in sorted(changed)]
        elif old != new:
            found.append(f"{key}: {old} → {new}")
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
