"""What an examination finds: a code with its particulars, said elsewhere in any language."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Area = Literal["model", "index", "documents", "extras", "settings", "machine", "runs"]
Level = Literal["ok", "note", "attention"]
NAMED = 3  # files named in one finding; `fanshu status` has all


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    `attention`: somebody has to do something. `note`: worth knowing. `values` fill in the words
    for `code` (`fanshu.doctor.words`); `settings` are those that cure it.
    """

    area: Area
    code: str
    level: Level = "ok"
    values: Mapping[str, object] = field(default_factory=dict)
    settings: tuple[str, ...] = ()


def some(names: list[str]) -> str:
    """The first few of many names."""
    more = f" … +{len(names) - NAMED}" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
