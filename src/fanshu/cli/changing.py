"""A text changed by a person, in the editor of their choice."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

import typer

DEFAULT = "notepad" if os.name == "nt" else "vi"


def edited(text: str) -> str:
    """What somebody makes of a text. Raises: BadParameter — the editor failed."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or DEFAULT
    descriptor, name = tempfile.mkstemp(suffix=".md", text=True)  # readable by its owner alone
    path = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        subprocess.run([*shlex.split(command), name], check=True)
        return path.read_text("utf-8").strip()
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise typer.BadParameter(f"{command}: {error}", param_hint="--edit") from error
    finally:
        path.unlink(missing_ok=True)
