"""What was typed in `fanshu chat`, for the arrow keys of the next time: a private file."""

import json
import re
from contextlib import suppress
from pathlib import Path

from fanshu.keeping import make_private, write_private

MOST = 1_000  # lines; the arrow keys go no further back
ROOM = 200  # lines above `MOST` before the file is written anew, so that this is rare
_SECRETS = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|glpat|xox[abp]|AKIA|AIza)[-_]?[A-Za-z0-9_-]{12,}"  # of known services
    r"|\bBearer\s+\S{8,}"
    r"|(?:api[ _-]?key|secret|passwor[dt]|passwd|token|密钥|口令|密码)\s*(?:[=:：]|是|is)\s*\S{6,}"
    r"|\b(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9_-]{32,}\b",  # whatever looks random
    re.IGNORECASE,
)


def secret(text: str) -> bool:
    """Whether a line may hold a key or a password; such lines are not kept."""
    return bool(_SECRETS.search(text))


class History:
    """Lines in a file that only its owner may read; without a file, those of this process.

    Lines that begin with a space are not kept, as in shells, nor any that may hold a secret.
    A file that cannot be read or written is as good as none.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lines = _read(path)

    @property
    def lines(self) -> tuple[str, ...]:
        """What was typed, oldest first."""
        return tuple(self._lines)

    def add(self, text: str) -> None:
        """Keep a line, unless it is the one before again."""
        if not text.strip() or text.startswith((" ", "\u3000")) or secret(text):
            return
        if self._lines and self._lines[-1] == text:
            return
        self._lines.append(text)
        if self._path is not None:
            with suppress(OSError):
                self._write(self._path, text)

    def _write(self, path: Path, text: str) -> None:
        if len(self._lines) > MOST + ROOM:
            self._lines = self._lines[-MOST:]
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(path, b"".join(map(_row, self._lines)))
            return
        make_private(path)
        with path.open("ab") as file:
            file.write(_row(text))


def _row(text: str) -> bytes:
    """A line as JSON, since it may have several lines itself."""
    return (json.dumps(text, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _read(path: Path | None) -> list[str]:
    try:
        rows = path.read_bytes().splitlines() if path else []
    except OSError:
        return []
    found = []
    for row in rows:
        with suppress(ValueError):
            if isinstance(text := json.loads(row), str):
                found.append(text)
    return found[-MOST:]
