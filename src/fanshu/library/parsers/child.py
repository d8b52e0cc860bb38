"""A file read by a child process: one that crashes, hangs or eats memory harms nobody else."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fanshu
from fanshu.types import Document, FileState, Image, Lines, Section


def read_apart(
    kind: str, data: bytes, seconds: float, *arguments: str, paths: Sequence[str] = ()
) -> Document:
    """The document of a file of this kind. Crash, hang and too much memory are its states.

    `kind` is one that the worker knows, and `arguments` what it takes for that kind; `seconds`
    of wall time are allowed. `paths`: where else it finds modules.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "fanshu.library.parsers.worker", kind, *arguments],
            input=data,
            capture_output=True,
            timeout=seconds,
            env=environment(paths),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _without_text("failed", f"timeout: not read within {seconds:.0f} seconds")
    if done.returncode < 0:
        return _without_text("failed", f"crashed: signal {-done.returncode}")
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return _without_text("failed", f"crashed: exit code {done.returncode} {last}"[:200])
    if not done.stdout:  # what it ran has ended the process, and said that all is well
        return _without_text("failed", "crashed: it ended without an answer")
    return _document_of(json.loads(done.stdout))


def environment(paths: Sequence[str] = ()) -> dict[str, str]:
    """The child finds the same package as we did, wherever it was imported from."""
    package = str(Path(fanshu.__file__).parents[1])
    all_paths = [package, *paths, os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, all_paths))}


def _document_of(fields: dict[str, Any]) -> Document:
    """The document that the worker wrote as JSON."""
    sections = tuple(
        Section(**{**item, "trail": tuple(item["trail"]), "lines": _lines(item["lines"])})
        for item in fields["sections"]
    )
    return Document(
        text=fields["text"],
        sections=sections,
        title=fields["title"],
        state=fields["state"],
        reason=fields["reason"],
        first_line=fields["first_line"],
        pages=tuple(fields["pages"]),
        page_labels=tuple(fields["page_labels"]),
        metadata=fields["metadata"],
        images=tuple(Image(**item) for item in fields["images"]),
    )


def _lines(pair: list[int] | None) -> Lines | None:
    return (pair[0], pair[1]) if pair else None


def _without_text(state: FileState, reason: str) -> Document:
    return Document(text="", sections=(), state=state, reason=reason, first_line=None)
