"""PDF → document, by a child process: a broken file may crash or hang the reader, not us."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import fanshu
from fanshu.types import Document, FileState, Section

SECONDS = 60.0  # per file; 2,566 pages of real files took 9
_MAGIC_WITHIN = 1024  # bytes before %PDF- that readers forgive


def parse_pdf(data: bytes, seconds: float = SECONDS) -> Document:
    """The document of a PDF. A crash, a hang and too much memory are states with a reason."""
    if b"%PDF-" not in data[:_MAGIC_WITHIN]:
        return _without_text("failed", "not_pdf")
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "fanshu.library.parsers.worker"],
            input=data,
            capture_output=True,
            timeout=seconds,
            env=_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _without_text("failed", f"timeout: not read within {seconds:.0f} seconds")
    if done.returncode < 0:
        return _without_text("failed", f"crashed: signal {-done.returncode}")
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return _without_text("failed", f"crashed: exit code {done.returncode} {last}"[:200])
    return document_of(json.loads(done.stdout))


def _environment() -> dict[str, str]:
    """The child finds the same package as we did, wherever it was imported from."""
    package = str(Path(fanshu.__file__).parents[1])
    paths = [package, os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def document_of(fields: dict[str, Any]) -> Document:
    """The document that the worker wrote as JSON."""
    sections = tuple(
        Section(tuple(item["trail"]), item["level"], item["start"], item["end"], page=item["page"])
        for item in fields["sections"]
    )
    return Document(
        text=fields["text"],
        sections=sections,
        title=fields["title"],
        state=fields["state"],
        reason=fields["reason"],
        first_line=None,
        pages=tuple(fields["pages"]),
        page_labels=tuple(fields["page_labels"]),
        metadata=fields["metadata"],
    )


def _without_text(state: FileState, reason: str) -> Document:
    return Document(text="", sections=(), state=state, reason=reason, first_line=None)
