"""Where a secret comes from when it is not written down as a setting: a file, or a command.

Key stores hand out keys by a command (`pass show llm`, `az account get-access-token …`). What
such a command prints is never shown, nor what it complains of: both may hold secrets.
"""

import shlex
import subprocess
from pathlib import Path

from fanshu.errors import ConfigError

COMMAND_SECONDS = 30.0  # for a key store that has to ask its server, or its owner


def key_from_file(file: str, name: str = "api_key_file") -> str:
    """The first line of a file, a key of printable ASCII.

    `name`: the setting that names the file. Raises: ConfigError — it cannot be read, or holds none.
    """
    return _key(name, _from_file(name, file))


def password_from_file(file: str, name: str) -> str:
    """The first line of a file, whatever it is made of. Raises: ConfigError."""
    return _from_file(name, file)


def _from_file(name: str, file: str) -> str:
    try:
        text = Path(file).expanduser().read_text(encoding="utf-8-sig")
    except OSError as error:
        detail = f"{file!r} cannot be read: {error.strerror}"
        raise ConfigError(name=name, detail=detail) from None
    except ValueError:
        raise ConfigError(name=name, detail=f"{file!r} is no text") from None
    return _first_line(name, text, f"{file!r} is empty")


def key_from_command(
    command: str, seconds: float = COMMAND_SECONDS, name: str = "api_key_command"
) -> str:
    """The first line that a command prints, a key of printable ASCII.

    It is run as it stands, without a shell.

    Raises: ConfigError — it cannot be run, fails, takes longer than `seconds`, or prints nothing.
    """
    return _key(name, _from_command(name, command, seconds))


def password_from_command(command: str, name: str, seconds: float = COMMAND_SECONDS) -> str:
    """The first line that a command prints, whatever it is made of. Raises: ConfigError."""
    return _from_command(name, command, seconds)


def _from_command(name: str, command: str, seconds: float) -> str:
    try:
        words = shlex.split(command)
    except ValueError:
        raise ConfigError(name=name, detail="it has a quote that is not closed") from None
    program = words[0] if words else ""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        detail = f"{program!r} took more than {seconds:g} seconds"
        raise ConfigError(name=name, detail=detail) from None
    except (OSError, ValueError, IndexError) as error:
        why = getattr(error, "strerror", None) or "it cannot be run"
        raise ConfigError(name=name, detail=f"{program!r}: {why}") from None
    if done.returncode:
        detail = f"{program!r} ended with exit code {done.returncode}; try it by hand"
        raise ConfigError(name=name, detail=detail)
    text = done.stdout.decode("utf-8", "replace")
    return _first_line(name, text, f"{program!r} printed nothing")


def _first_line(name: str, text: str, otherwise: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if not line:
        raise ConfigError(name=name, detail=otherwise)
    return line


def _key(name: str, key: str) -> str:
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError(name=name, detail="its first line is no key")
    return key
