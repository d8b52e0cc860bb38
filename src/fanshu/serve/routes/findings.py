"""A check-up as the interface tells it: its objects, and an example."""

from typing import Any, Literal

from pydantic import BaseModel

from fanshu.checkup.findings import Kind

EXAMPLE_SIDE: dict[str, Any] = {
    "file_path": "manual.md",
    "chunk_id": "manual.md#2",
    "section_path": ["Gateway manual", "Timeouts"],
    "lines": [5, 5],
    "page": None,
    "text": "The default of `write_timeout` is 30 seconds.",
    "marked": [[34, 44]],
    "value": "30 seconds",
}
EXAMPLE: dict[str, Any] = {
    "library": "manuals",
    "at": "2026-03-01T10:15:00+00:00",
    "outdated": False,
    "working": None,
    "everything": True,
    "files": 15,
    "sections": 172,
    "seconds": 0.3,
    "total": 1,
    "ignored": 0,
    "unused_rules": [],
    "rules_failed": False,
    "kinds": [
        {
            "kind": "conflict",
            "title": "Different values for one thing",
            "title_zh": "同一事项数值不一致",
            "count": 1,
        }
    ],
    "folders": [],
    "findings": [
        {
            "id": "conflict-5f0d6c1e",
            "kind": "conflict",
            "code": "parameter",
            "sure": 0.9,
            "level": "high",
            "message": "write_timeout, default: 30 seconds / 60 s",
            "message_zh": "write_timeout 的默认值：30 seconds / 60 s",
            "term": "write_timeout",
            "values": {"found": "30 seconds / 60 s", "aspect": "default"},
            "sides": [
                EXAMPLE_SIDE,
                EXAMPLE_SIDE
                | {
                    "file_path": "notes.md",
                    "chunk_id": "notes.md#1",
                    "section_path": ["Notes"],
                    "text": "`write_timeout`: 60 s by default",
                    "marked": [[17, 21]],
                    "value": "60 s",
                },
            ],
            "more": 0,
            "verdict": None,
        }
    ],
}


class SideInfo(BaseModel):
    """A passage of a finding. `marked`: spans of `text` in code points; `value`: what it says.
    Without a chunk it is a whole file.
    """

    file_path: str
    chunk_id: str
    section_path: list[str]
    lines: list[int] | None
    page: int | None
    text: str
    marked: list[list[int]]
    value: str


class FindingInfo(BaseModel):
    """Something that is wrong, or looks wrong. `sure` is from 0 to 1, `level` the word for it.
    `id` stays the same while the same thing is wrong: what rules leave out by. `more`: passages
    that are not shown.
    """

    id: str
    kind: Kind
    code: str
    sure: float
    level: Literal["high", "medium", "low"]
    message: str
    message_zh: str
    term: str
    values: dict[str, str]
    sides: list[SideInfo]
    more: int
    verdict: dict[str, Any] | None


class KindInfo(BaseModel):
    """A kind of findings, and how many there are below `path`."""

    kind: Kind
    title: str
    title_zh: str
    count: int


class FolderCount(BaseModel):
    """A folder, and how many findings have a passage in it."""

    path: str
    count: int


class CheckupWorking(BaseModel):
    """A check-up on its way: `done` of `total` files. `waiting`: for another one to end."""

    state: Literal["working", "waiting"]
    done: int
    total: int


class Checkup(BaseModel):
    """What is wrong, the most important first. `at`: when it was made (ISO form, UTC).
    `outdated`: the documents have changed since. `working`: another one is on its way.
    `everything`: you may see the whole library; else only what you may see was compared.
    `total`: findings of that path and kind, of which `findings` are told. `ignored`: how many
    rules leave out; `unused_rules` match nothing any more; `rules_failed`: they cannot be read,
    and nothing was left out.
    """

    library: str
    at: str
    outdated: bool
    working: CheckupWorking | None
    everything: bool
    files: int
    sections: int
    seconds: float
    total: int
    ignored: int
    unused_rules: list[str]
    rules_failed: bool
    kinds: list[KindInfo]
    folders: list[FolderCount]
    findings: list[FindingInfo]
