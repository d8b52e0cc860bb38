"""What the service answers with: JSON as the command line gives it, and problems (RFC 9457)."""

import json
import logging
from collections.abc import Mapping
from typing import Any

from fastapi import Response
from fastapi.responses import JSONResponse

from fanshu.errors import (
    AccountError,
    ApprovalMissing,
    ApprovalRefused,
    ApprovalsUnusable,
    ApprovalUnchecked,
    ChunkChanged,
    ConfigError,
    CostReached,
    FanshuError,
    FolderMissing,
    FolderUnreadable,
    IndexBusy,
    IndexUnwritable,
    LoginNeeded,
    ModelError,
    NoDocuments,
    NoLibrary,
    NotAllowed,
    RequestRefused,
    RootElsewhere,
    RunMissing,
    ServiceEnding,
    StoreRefused,
    StoreUnreachable,
    TooMany,
    TraceMissing,
    UnknownChunk,
    UnknownLibrary,
    UnknownPath,
)
from fanshu.types import plain

log = logging.getLogger("fanshu.serve")

PROBLEM = "application/problem+json"
STATUS: Mapping[type[FanshuError], int] = {
    UnknownChunk: 404,
    UnknownPath: 404,
    UnknownLibrary: 404,
    RunMissing: 404,
    TraceMissing: 404,
    ApprovalMissing: 404,
    ApprovalRefused: 409,
    ApprovalUnchecked: 409,
    ApprovalsUnusable: 503,
    ChunkChanged: 409,
    NoDocuments: 409,
    LoginNeeded: 401,
    NotAllowed: 403,
    AccountError: 503,
    TooMany: 429,
    CostReached: 429,
    ServiceEnding: 503,
    IndexBusy: 503,
    IndexUnwritable: 503,
    RootElsewhere: 503,
    StoreUnreachable: 503,
    StoreRefused: 503,
    NoLibrary: 503,
    FolderMissing: 503,
    FolderUnreadable: 503,
    ModelError: 502,
    ConfigError: 500,
}

STORE_SECONDS = 5  # after which a store that does not answer may be asked again

# Their texts name folders of this machine, which are for its log.
INSIDE = (
    AccountError,
    ApprovalsUnusable,
    IndexBusy,
    IndexUnwritable,
    RootElsewhere,
    NoLibrary,
    StoreRefused,
    StoreUnreachable,
    FolderMissing,
    FolderUnreadable,
    ConfigError,
)


class Json(JSONResponse):
    """Any of our objects as JSON. Characters that UTF-8 cannot hold are written as escapes."""

    def render(self, content: Any) -> bytes:
        data = plain(content)
        try:
            return json.dumps(data, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            return json.dumps(data).encode("ascii")


class Problem(Json):
    media_type = PROBLEM


def status_of(error: FanshuError) -> int:
    """The HTTP status of an error."""
    if isinstance(error, RequestRefused):
        return int(str(error.fields.get("status", 400)))
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)


def problem(error: FanshuError) -> Response:
    """An error as whoever asked is told of it."""
    status = status_of(error)
    headers = {}
    if seconds := error.fields.get("seconds"):
        headers["Retry-After"] = str(max(1, round(float(str(seconds)))))
    elif isinstance(error, StoreUnreachable):
        headers["Retry-After"] = str(STORE_SECONDS)
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="fanshu"'
    return described(error.code, explained(error), status, headers)


def explained(error: FanshuError) -> str:
    """What people elsewhere are told of an error."""
    if isinstance(error, INSIDE):
        log.warning("%s", error)
        return "That cannot be used just now; the log of the service says why."
    return str(error)


def described(
    code: str, detail: str, status: int, headers: Mapping[str, str] | None = None, **more: object
) -> Response:
    """A problem by its code."""
    title = code.replace("_", " ")
    content = {"type": f"urn:fanshu:{code}", "title": title, "status": status, "detail": detail}
    return Problem({**content, "code": code, **more}, status, dict(headers or {}))
