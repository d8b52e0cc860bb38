"""Problems in the form of OpenAI's interface, on its paths.

The gate and the application say what is wrong in one way, whatever is asked. Here the answer is
put into the other form on its way out, so that nothing can come in the wrong one.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders

from fanshu.serve.responses import PROBLEM

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

COMPLETIONS = "/v1/chat/completions"
MODELS = "/v1/models"
STATUSES = {422: 400}  # where OpenAI says otherwise
CODES: Mapping[str, str] = {
    "login_needed": "invalid_api_key",
    "unknown_library": "model_not_found",
    "too_many": "rate_limit_exceeded",
    "cost_reached": "insufficient_quota",
    "invalid": "invalid_value",
}
# Clients of OpenAI try again by themselves after 409, 429 and 5xx. Here it would not help, or the
# service has done so already and each attempt is a run.
FINAL = frozenset({"cost_reached", "no_documents", "model_error"})


def speaks_openai(path: str) -> bool:
    """Whether a path belongs to OpenAI's interface."""
    return path in (COMPLETIONS, MODELS) or path.startswith(f"{MODELS}/")


def error_of(problem: Mapping[str, Any], status: int) -> dict[str, Any]:
    """A problem as OpenAI's interface tells it."""
    code = str(problem.get("code", "internal"))
    wrong = problem.get("errors") or [{}]
    param = str(wrong[0].get("at", "")).removeprefix("body.") or None
    return {
        "error": {
            "message": problem.get("detail", ""),
            "type": _kind(code, status),
            "param": param,
            "code": CODES.get(code, code),
        }
    }


def _kind(code: str, status: int) -> str:
    if code == "cost_reached":
        return "insufficient_quota"
    if status == 429:
        return "rate_limit_error"
    return "server_error" if status >= 500 else "invalid_request_error"


def in_form_of(path: str, send: Send) -> Send:
    """`send`, or on OpenAI's paths one that puts problems into the other form."""
    return _Rewritten(send) if speaks_openai(path) else send


class _Rewritten:
    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_problem(message):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._rewrite(self._start)

    async def _rewrite(self, start: Message) -> None:
        problem = json.loads(self._body or b"{}")
        status = int(start["status"])
        status = STATUSES.get(status, status)
        body = json.dumps(error_of(problem, status), ensure_ascii=False).encode("utf-8", "replace")
        start["status"] = status
        headers = MutableHeaders(scope=start)
        headers["content-type"] = "application/json"
        headers["content-length"] = str(len(body))
        if problem.get("code") in FINAL:
            headers["x-should-retry"] = "false"
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


def _is_problem(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith(PROBLEM)
