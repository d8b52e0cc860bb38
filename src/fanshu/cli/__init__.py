"""The terminal: live steps on stderr, results on stdout."""

from fanshu.cli.program import main

__all__ = ["main"]
