"""The terminal: live steps on stderr, results on stdout."""

import contextlib
import sys


def main() -> None:
    """The command `fanshu`; loading it can be interrupted as well."""
    try:
        if sys.argv[1:2] == ["__complete"]:
            return _complete()
        from fanshu.cli import program

        return program.main()
    except KeyboardInterrupt:
        sys.exit(130)  # 128 + SIGINT, as shells count


def _complete() -> None:
    """What a shell asks while somebody types; nothing that goes wrong may be seen there."""
    with contextlib.suppress(Exception):
        from fanshu.cli.completing import answer

        answer(sys.argv[2:])


__all__ = ["main"]
