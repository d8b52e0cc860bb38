"""The check-up of a library: what is wrong in the documents that somebody may see."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os.path import commonpath
from pathlib import PurePosixPath
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from fanshu.checkup.findings import KINDS, Finding, Kind
from fanshu.checkup.ignoring import Rule, rules_below, sifted
from fanshu.checkup.messages import said
from fanshu.checkup.plainly import finding_json
from fanshu.errors import ConfigError, ServiceEnding
from fanshu.library.naming import meant
from fanshu.serve.checking import Checked, Found, Working
from fanshu.serve.responses import Json
from fanshu.serve.routes.findings import EXAMPLE, Checkup, CheckupWorking
from fanshu.serve.routes.reading import Path
from fanshu.serve.routes.told import problems, shown
from fanshu.serve.service import Door, Here, Through
from fanshu.serve.streaming import left

log = logging.getLogger("fanshu.serve")

router = APIRouter(tags=["check-up"])

MOST_FINDINGS = 500  # told at once
USUAL_FINDINGS = 100
MOST_WAIT, USUAL_WAIT = 30.0, 2.0  # seconds
AGAIN_SECONDS = 1  # after which it is worth looking how far a check-up is

TOLD = (Checkup, CheckupWorking)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which findings, and how many of them."""

    kinds: Sequence[Kind]
    path: str | None
    limit: int
    offset: int


@router.get(
    "/v1/check",
    summary="Check-up: what is wrong in the documents",
    description="Different values for one thing, references and links that lead nowhere, "
    "superseded versions, sections that say nothing, and more, found by code alone. Only what you "
    "may see is looked at and compared. It is made once and kept until a document changes; while "
    "it is on its way the answer is 202, how far it is: ask again. Whoever asks no more lets it "
    "end. Rules of `.fanshu/check-ignore.toml` leave findings out.",
    response_class=Response,
    responses={
        200: shown("Checkup", "What was found", EXAMPLE),
        202: shown(
            "CheckupWorking",
            "It is on its way",
            {"state": "working", "done": 120, "total": 1212},
        ),
        **problems(404, 503),
    },
)
async def check_up(
    request: Request,
    service: Here,
    door: Through,
    kind: Annotated[
        list[Kind] | None, Query(max_length=len(KINDS), description="Only these kinds.")
    ] = None,
    path: Path = None,
    limit: Annotated[int, Query(ge=0, le=MOST_FINDINGS, description="Findings to be told.")] = (
        USUAL_FINDINGS
    ),
    offset: Annotated[int, Query(ge=0, le=1_000_000, description="Findings left out first.")] = 0,
    wait: Annotated[
        float, Query(ge=0, le=MOST_WAIT, description="Seconds that a first check-up is waited for.")
    ] = USUAL_WAIT,
    fresh: Annotated[
        bool, Query(description="Make another one, soon after the last one at the earliest.")
    ] = False,
) -> Response:
    """The findings, or how far the check-up is."""
    gone = asyncio.create_task(left(request))
    try:
        found = await service.checkups.of(
            door.shelf, door.scope, fresh=fresh, seconds=wait, gone=gone
        )
    finally:
        gone.cancel()
    if found.checked is None:
        return _on_its_way(found.working)
    wanted = Wanted(kind or (), path, limit, offset)
    return Json(await door.call(_told, door, found, found.checked, wanted))


def _on_its_way(working: Working | None) -> Response:
    if working is None:  # it was given up just now, which happens when the service ends
        raise ServiceEnding(seconds=AGAIN_SECONDS)
    return Json(_progress(working), 202, headers={"Retry-After": str(AGAIN_SECONDS)})


def _progress(working: Working) -> dict[str, object]:
    progress = working.progress
    if progress is None:
        return {"state": "waiting", "done": 0, "total": 0}
    return {"state": "working", "done": progress.done, "total": progress.total}


# ---------------------------------------------------------------- in threads


def _told(door: Door, found: Found, checked: Checked, wanted: Wanted) -> dict[str, object]:
    """A check-up as the interface tells it. Raises: UnknownPath."""
    rules, failed = _rules(door)
    kept, ignored, unused = sifted(checked.report.findings, rules)
    below = _below(door, kept, wanted.path)
    chosen = [one for one in below if not wanted.kinds or one.kind in wanted.kinds]
    report = checked.report
    return {
        "library": door.shelf.name,
        "at": checked.at,
        "outdated": found.outdated,
        "working": _progress(found.working) if found.working else None,
        "everything": door.scope.everything,
        "files": report.files,
        "sections": report.sections,
        "seconds": report.seconds,
        "total": len(chosen),
        "ignored": len(ignored),
        "unused_rules": unused if door.scope.everything else [],  # they name files
        "rules_failed": failed,
        "kinds": _kinds(below),
        "folders": _folders(kept),
        "findings": [_info(one) for one in chosen[wanted.offset :][: wanted.limit]],
    }


def _rules(door: Door) -> tuple[Sequence[Rule], bool]:
    """The rules as they stand now, and whether they cannot be read."""
    try:
        return rules_below(root.path for root in door.library.roots), False
    except ConfigError as error:
        log.warning("library %s: %s", door.shelf.name, error)
        return (), True


def _below(door: Door, findings: Sequence[Finding], path: str | None) -> Sequence[Finding]:
    if not path:
        return findings
    inside = set(meant(door.library.view(door.scope).documents, path))
    return [one for one in findings if any(side.file_path in inside for side in one.sides)]


def _info(one: Finding) -> dict[str, object]:
    return finding_json(one) | {"message_zh": one.message("zh")}


def _kinds(findings: Iterable[Finding]) -> list[dict[str, object]]:
    counts = Counter(one.kind for one in findings)
    return [
        {
            "kind": kind,
            "title": said("en", f"kind.{kind}"),
            "title_zh": said("zh", f"kind.{kind}"),
            "count": counts[kind],
        }
        for kind in KINDS
        if counts[kind]
    ]


def _folders(findings: Sequence[Finding]) -> list[dict[str, object]]:
    """The folders below the one that all findings share, with counts."""
    holding = [{_folder(side.file_path) for side in one.sides} for one in findings]
    every = frozenset().union(*holding)
    shared = commonpath(every) if every and "" not in every else ""
    top = len(PurePosixPath(shared).parts)
    found = Counter(
        name
        for folders in holding
        for name in {"/".join(PurePosixPath(one).parts[: top + 1]) for one in folders if one}
    )
    return [{"path": path, "count": count} for path, count in sorted(found.items())]


def _folder(file_path: str) -> str:
    return file_path.rpartition("/")[0]
