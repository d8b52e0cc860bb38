"""How to add what an extra brings to this installation, whatever installed it.

fanshu comes from a folder, an address or a wheel that somebody built, and is on no index: there
its name may be nobody's, or somebody else's. So the commands name the packages of the extra.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

NAME = "fanshu"


@dataclass(frozen=True, slots=True)
class Installation:
    """Where fanshu runs: the interpreter, its environment, and what the package says it requires.

    `requires` as the metadata has it: requirements with the extra in their markers.
    """

    python: str
    environment: Path
    has_pip: bool
    requires: tuple[str, ...] = ()

    def add(self, extra: str) -> str:
        """The command that adds an extra to exactly this installation."""
        return self.install(*self.packages(extra)) or _from_checkout(extra)

    def add_shortly(self, extra: str) -> str:
        """The command without a path: for texts that are kept, or sent to somebody elsewhere."""
        wanted = self.packages(extra)
        return f"{self._where()} {_quoted(wanted)}" if wanted else _from_checkout(extra)

    def install(self, *packages: str) -> str:
        """The command that adds packages to this installation; empty for none."""
        if not packages:
            return ""
        python = f'"{self.python}"' if " " in self.python else self.python
        if self._is("pipx_metadata.json"):
            how = self._where()
        elif self.has_pip:
            how = f"{python} -m pip install"
        else:
            how = f"uv pip install --python {python}"
        return f"{how} {_quoted(packages)}"

    def packages(self, extra: str) -> tuple[str, ...]:
        """What an extra brings, as requirements; nothing when the metadata lacks it."""
        return tuple(_of_extra(self.requires, extra))

    def _where(self) -> str:
        if self._is("uv-receipt.toml"):  # of `uv tool`: no pip within, and no name but a folder
            return f'uv pip install --python "$(uv tool dir)/{self.environment.name}"'
        if self._is("pipx_metadata.json"):
            return f"pipx inject {self.environment.name}"
        return "pip install" if self.has_pip else "uv pip install"

    def _is(self, receipt: str) -> bool:
        return (self.environment / receipt).is_file()


@cache
def here() -> Installation:
    """The installation that runs now."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        wanted = requires(NAME)
    except PackageNotFoundError:  # run from a folder of source
        wanted = None
    has_pip = find_spec("pip") is not None
    return Installation(sys.executable, Path(sys.prefix), has_pip, tuple(wanted or ()))


def _of_extra(requires: Iterable[str], extra: str) -> Iterator[str]:
    for requirement in requires:
        package, _, marker = requirement.partition(";")
        for mark in (f"extra == '{extra}'", f'extra == "{extra}"'):
            if mark in marker:
                system = marker.replace(mark, "").strip().removesuffix("and").strip()
                yield f"{package.strip()}; {system}" if system else package.strip()


def _quoted(packages: Iterable[str]) -> str:
    return " ".join('"{}"'.format(package.replace('"', "'")) for package in packages)


def _from_checkout(extra: str) -> str:
    return f'pip install ".[{extra}]" in a checkout of {NAME}'
