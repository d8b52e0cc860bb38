"""Rules that leave findings out, each with its reason: `.fanshu/check-ignore.toml` in a folder.

```toml
[[ignore]]
kind = "link"            # at least one of id, kind, path, term; all that are given must match
path = "archive/*"       # every passage of the finding lies there
reason = "kept as it was published"
```
"""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from fanshu.checkup.findings import KINDS, Finding, Ignored
from fanshu.errors import ConfigError
from fanshu.library.terms import fold

FILE = ".fanshu/check-ignore.toml"
MAX_BYTES = 1_000_000
_FIELDS = ("id", "kind", "path", "term")


@dataclass(frozen=True, slots=True)
class Rule:
    """What is left out, and why. `path` and `term` are patterns (`*`); empty: anything."""

    reason: str
    id: str = ""
    kind: str = ""
    path: str = ""
    term: str = ""

    def __str__(self) -> str:
        named = (f"{name} = {getattr(self, name)!r}" for name in _FIELDS if getattr(self, name))
        return ", ".join(named)

    def matches(self, finding: Finding) -> bool:
        """Whether a finding is left out by this rule."""
        return (
            self.id in ("", finding.id)
            and self.kind in ("", finding.kind)
            and (not self.path or all(fnmatchcase(s.file_path, self.path) for s in finding.sides))
            and (not self.term or fnmatchcase(fold(finding.term), fold(self.term)))
        )


def rules_below(roots: Iterable[Path]) -> tuple[Rule, ...]:
    """The rules of all folders that have any.

    Raises: ConfigError — a file is no TOML, or a rule names nothing or gives no reason.
    """
    files = (root / FILE for root in roots)
    return tuple(rule for file in files if file.is_file() for rule in read_rules(file))


def read_rules(file: Path) -> Iterator[Rule]:
    """The rules of a file. Raises: ConfigError."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise ConfigError(name=FILE, detail=f"it is larger than {MAX_BYTES:,} bytes")
        held = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise ConfigError(name=FILE, detail=f"{file}: {error}") from error
    rules = held.get("ignore", [])
    if not isinstance(rules, list):
        raise ConfigError(name=FILE, detail="write [[ignore]], one table for each rule")
    for number, rule in enumerate(rules, 1):
        yield _rule(number, rule)


def _rule(number: int, given: object) -> Rule:
    where = f"rule {number}"
    if not isinstance(given, dict) or not all(isinstance(one, str) for one in given.values()):
        raise ConfigError(name=FILE, detail=f"{where}: every value is a text in quotation marks")
    if unknown := set(given) - {*_FIELDS, "reason"}:
        known = ", ".join((*_FIELDS, "reason"))
        raise ConfigError(name=FILE, detail=f"{where}: unknown {sorted(unknown)}; known: {known}")
    if not given.get("reason", "").strip():
        raise ConfigError(name=FILE, detail=f"{where}: give a reason")
    if not any(given.get(name) for name in _FIELDS):
        raise ConfigError(name=FILE, detail=f"{where}: name an id, a kind, a path or a term")
    if given.get("kind") and given["kind"] not in KINDS:
        raise ConfigError(
            name=FILE, detail=f"{where}: unknown kind {given['kind']!r}; known: {', '.join(KINDS)}"
        )
    return Rule(**given)


def sifted(
    findings: Iterable[Finding], rules: Sequence[Rule]
) -> tuple[list[Finding], list[Ignored], list[str]]:
    """(findings that stay, those left out, rules that matched nothing)."""
    kept: list[Finding] = []
    ignored: list[Ignored] = []
    used: set[int] = set()
    for finding in findings:
        matching = [at for at, rule in enumerate(rules) if rule.matches(finding)]
        used.update(matching)
        if matching:
            ignored.append(Ignored(finding, rules[matching[0]].reason))
        else:
            kept.append(finding)
    return kept, ignored, [str(rule) for at, rule in enumerate(rules) if at not in used]
