"""The terminal: live steps on stderr, results on stdout."""

import sys


def main() -> None:
    """The command `fanshu`; loading it can be interrupted as well."""
    try:
        from fanshu.cli import program

        program.main()
    except KeyboardInterrupt:
        sys.exit(130)  # 128 + SIGINT, as shells count


__all__ = ["main"]
