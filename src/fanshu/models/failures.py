"""From whatever an adapter raises to our errors, with nothing secret in the text."""

import re
from dataclasses import dataclass
from ssl import SSLCertVerificationError
from typing import Literal

from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    UnexpectedModelBehavior,
    UserError,
)

from fanshu.errors import (
    ContextTooLong,
    ModelBadReply,
    ModelError,
    ModelKeyMissing,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnauthorised,
    ModelUnreachable,
)

PASSING = {408, 425}  # refusals that are none: the request came too slowly, or too early
SHORTEST_SECRET = 8  # characters of a header's value; "docs" is the name of a team, not a secret
LONGEST_DETAIL = 300  # characters of a service's own words; some send whole pages of HTML

# How services that give no code say it: vLLM, llama.cpp, DashScope, Zhipu, Anthropic, Moonshot.
_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum context|too (?:long|large|many tokens)"
    r"|input length|exceed\w* .{0,40}(?:tokens|context)|token limit"
    r"|prompt 超长|超[出过长].{0,20}长度",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content[ _-]?(?:filter|policy|management)|data_?inspection|inappropriate content|moderation"
    r"|sensitive (?:content|information|word)|敏感|不安全",
    re.IGNORECASE,
)
# vLLM and FastAPI, Groq, Mistral, Google: a field of an earlier reply that came back to them.
_FIELD = re.compile(
    r"reasoning|thinking|extra (?:inputs|fields)|additional propert|unrecognized"
    r"|un(?:known|supported|expected) (?:field|name|property|parameter|argument)",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"(?i:bearer\s+)\S+|\b(?:sk|pk|key|gsk|xai)[-_][\w*.-]{12,}|\bAIza[\w-]{20,}|//[^/@\s]*@"
)


Part = Literal["choice", "fields", "tools", "format"]
# The first that fits; Ollama, vLLM, llama.cpp, DashScope, DeepSeek.
_PARTS: tuple[tuple[Part, re.Pattern[str]], ...] = (
    ("format", re.compile(r"response_format|json_schema|json_object|grammar", re.IGNORECASE)),
    (
        "tools",
        re.compile(
            r"enable-auto-tool-choice|(?:not|n't) support\w* (?:tools|function)"
            r"|tools? (?:use |calling )?(?:is|are|param\w*) (?:not|un)\s*support"
            r"|tools param requires --jinja",
            re.IGNORECASE,
        ),
    ),
    ("choice", re.compile(r"tool_?choice", re.IGNORECASE)),
    ("fields", _FIELD),
)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is known of a request beside the exception: shown in errors, or kept out of them."""

    model: str
    url: str
    seconds: float
    key: str | None = None
    headers: tuple[str, ...] = ()  # values of headers that somebody set; they may be secret
    elsewhere: str | None = None  # an address where a key refused here may be good

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no error may repeat."""
        long = (value for value in self.headers if len(value) >= SHORTEST_SECRET)
        return tuple(filter(None, (self.key, *long)))


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, and whether to go on.

    `again`: the same request may succeed a little later, after `pause` seconds where the
    service named them. `refused` is the part of the request that the service may have meant:
    the forced tool, a field that we gave back as it came, tools at all, a format of the reply.
    """

    error: ModelError
    again: bool = False
    pause: float | None = None
    refused: Part | None = None


def failure(cause: BaseException, at: Circumstances) -> Failure:
    """The failure behind an exception of the adapter or of anything beneath it."""
    detail = _detail(cause, at.secrets)
    match cause:
        case ModelError():
            return Failure(cause)
        case ModelTimeoutError() if cause.phase != "connect":
            return Failure(ModelTimeout(model=at.model, seconds=at.seconds))
        case TimeoutError() | ModelRequestTimeout():
            return Failure(ModelTimeout(model=at.model, seconds=at.seconds))
        case ModelConnectionError():
            root = _root(cause)
            why = _unreachable(root, at.secrets)
            again = not isinstance(root, SSLCertVerificationError)
            return Failure(ModelUnreachable(model=at.model, url=at.url, detail=why), again=again)
        case ModelAuthenticationError() if not (at.key or at.headers or _FILTERED.search(detail)):
            return Failure(ModelKeyMissing(model=at.model, variables="FANSHU_API_KEY"))
        case ModelAuthenticationError() if not _FILTERED.search(detail):
            return Failure(ModelUnauthorised(model=at.model, detail=_unauthorised(cause, at)))
        case ModelQuotaExceededError():
            return Failure(ModelRateLimited(model=at.model, detail=detail))
        case ModelRateLimitError():
            busy = ModelRateLimited(model=at.model, detail=_status(cause))
            return Failure(busy, again=True, pause=cause.retry_after)
        case ModelUnavailableError() | ModelServerError():
            broken = ModelError(model=at.model, detail=detail)
            # llama.cpp answers 500 where it was started without a template for tools.
            tools: Part | None = "tools" if _part(detail) == "tools" else None
            return Failure(broken, again=True, pause=cause.retry_after, refused=tools)
        case ModelHTTPError() if cause.status_code in PASSING:
            slow = ModelError(model=at.model, detail=detail)
            return Failure(slow, again=True, pause=cause.retry_after)
        case ModelNotFoundError():
            doubt = f"{detail}; the name, or the address {at.url}, may be wrong"
            return Failure(ModelError(model=at.model, detail=doubt))
        case ModelRequestRejectedError() | ModelHTTPError():
            return _rejected(cause, detail, at)
        case ContentFilterError():
            return Failure(ModelRefused(model=at.model, detail=detail))
        case UserError():
            return Failure(ModelError(model=at.model, detail=detail), refused=_part(detail))
        case (
            UnexpectedModelBehavior() | ModelAPIError() | LookupError() | ValueError() | TypeError()
        ):
            return Failure(ModelBadReply(model=at.model, detail=detail))
        case _:
            return Failure(ModelError(model=at.model, detail=detail))


def _rejected(cause: ModelAPIError, detail: str, at: Circumstances) -> Failure:
    """A request that was understood and not accepted: why, by the service's words."""
    code = f"{cause.provider_error_code} {cause.provider_error_type} {detail}"
    too_large = isinstance(cause, ModelHTTPError) and cause.status_code == 413
    too_long = isinstance(cause, ModelContextWindowExceededError) or too_large
    if _FILTERED.search(code):
        return Failure(ModelRefused(model=at.model, detail=detail))
    if too_long or _TOO_LONG.search(code):
        return Failure(ContextTooLong(model=at.model, detail=detail))
    return Failure(ModelError(model=at.model, detail=detail), refused=_part(detail))


def _part(detail: str) -> Part | None:
    return next((part for part, words in _PARTS if words.search(detail)), None)


def _unauthorised(cause: ModelAPIError, at: Circumstances) -> str:
    """The status alone: services repeat the key in their words."""
    if at.elsewhere is None:
        return _status(cause)
    return f"{_status(cause)}; a key from mainland China is for --base-url {at.elsewhere}"


def _unreachable(root: BaseException, secrets: tuple[str, ...]) -> str:
    """Why there is no connection; for a certificate that nobody here trusts, what to do."""
    if isinstance(root, SSLCertVerificationError):
        return f"{root.verify_message}; the setting ca_file names whom else to trust"
    return _detail(root, secrets)


def _root(cause: BaseException) -> BaseException:
    """The first exception of a chain: "connection refused" beneath "connection error"."""
    beneath = cause.__cause__ or cause.__context__
    return _root(beneath) if beneath and str(beneath) else cause


def _status(cause: ModelAPIError) -> str:
    return f"HTTP {cause.status_code}" if isinstance(cause, ModelHTTPError) else "no status"


def _detail(cause: BaseException, secrets: tuple[str, ...]) -> str:
    """The service's own message where there is one, short, on one line, without secrets."""
    body = cause.body if isinstance(cause, ModelAPIError) else None
    if isinstance(body, dict):
        inner = body.get("error", body)
        inner = inner if isinstance(inner, dict) else {"message": inner}
        body = inner.get("message") or inner.get("detail") or inner
    words = body or (type(cause).__name__ if isinstance(cause, LookupError) else cause)
    text = " ".join(str(words).split()) or type(cause).__name__
    if isinstance(cause, ModelHTTPError) and body:
        text = f"HTTP {cause.status_code}: {text}"
    return without_secrets(text, secrets)[:LONGEST_DETAIL].rstrip(".")


def without_secrets(text: str, secrets: tuple[str, ...]) -> str:
    """The text with the secrets, and whatever looks like a key, blotted out."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return _SECRET.sub("***", text)
