"""Logging in with name and password, and out."""

import asyncio
from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from fanshu.serve.logins import COOKIE, SECURE_COOKIE, cookie_of, digest, new_cookie
from fanshu.serve.rates import RateLimit
from fanshu.serve.responses import Json, described
from fanshu.serve.routes.told import problems
from fanshu.serve.service import Here, Service

router = APIRouter(tags=["login"])

FAILURES_PER_MINUTE = 20.0  # of one name, and of one address: five at once, then one in 3 seconds
MOST_FIELDS = 10
FORM = "application/x-www-form-urlencoded"
SCHEMA = {
    "requestBody": {
        "required": True,
        "content": {
            FORM: {
                "schema": {
                    "type": "object",
                    "required": ["name", "password"],
                    "properties": {
                        "name": {"type": "string", "minLength": 1},
                        "password": {"type": "string", "minLength": 1, "format": "password"},
                    },
                }
            }
        },
    }
}


@router.post(
    "/login",
    summary="Log in",
    description="The form of the page: `name`, `password`. The answer sets a cookie. Browsers "
    "that ask for HTML are led back to the page.",
    response_class=Response,
    openapi_extra=SCHEMA,
    responses={
        200: {"description": "You are in", "content": {"application/json": {"schema": {}}}},
        303: {"description": "The same for a browser: to the page"},
        **problems(415),
    },
)
async def log_in(request: Request, service: Here) -> Response:
    """Name and password for a cookie."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        return described("request_refused", f"A login is sent as {FORM}.", 415)
    name, password = _filled_in(await request.body())
    if not name or not password:
        return described("request_refused", "A login has a name and a password.", 422)
    failures: RateLimit = request.app.state.failures
    keys = f"name:{name[:64]}", f"from:{_address(request, service)}"
    hashing: asyncio.Semaphore = request.app.state.hashing
    async with hashing:  # whoever tries many at once has failed often when their turn comes
        for key in keys:
            await service.state.call(failures.check, key)
        account = await asyncio.to_thread(service.accounts.by_password, name, password)
    if account is None:
        for key in keys:
            await service.state.call(failures.take, key)
        if _is_browser(request):
            return RedirectResponse("/?login=failed", 303)
        return described("login_failed", "Name or password is wrong.", 401)
    value = new_cookie()
    seconds = service.settings.session_hours * 3_600
    register = service.register
    await asyncio.to_thread(register.log_in, digest(value), account.name, account.stamp, seconds)
    answer = _after(request, {"name": account.name})
    _set(answer, value, int(seconds), secure=_is_secure(request, service))
    return answer


@router.post(
    "/logout",
    summary="Log out",
    response_class=Response,
    responses={
        200: {"description": "You are out", "content": {"application/json": {"schema": {}}}},
        303: {"description": "The same for a browser: to the page"},
        **problems(),
    },
)
async def log_out(request: Request, service: Here) -> Response:
    """The cookie counts no more."""
    if value := cookie_of(request.headers):
        await asyncio.to_thread(service.register.log_out, digest(value))
    answer = _after(request, {"name": None})
    for name in (COOKIE, SECURE_COOKIE):
        answer.delete_cookie(
            name, path="/", secure=name == SECURE_COOKIE, httponly=True, samesite="strict"
        )
    return answer


def _filled_in(body: bytes) -> tuple[str, str]:
    """Name and password of a form, empty where it has none."""
    try:
        form = parse_qs(body.decode("utf-8", "replace"), max_num_fields=MOST_FIELDS)
    except ValueError:  # too many
        form = {}
    return form.get("name", [""])[0], form.get("password", [""])[0]


def _after(request: Request, content: dict[str, object]) -> Response:
    return RedirectResponse("/", 303) if _is_browser(request) else Json(content)


def _is_browser(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _address(request: Request, service: Service) -> str:
    """Where a request comes from; of one through a proxy that is believed, where it came to it."""
    host = request.client.host if request.client else ""
    forwarded = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    return forwarded or host if host in service.settings.proxies else host


def _is_secure(request: Request, service: Service) -> bool:
    """Whether the browser's side of the connection is encrypted, as far as it can be told."""
    proxied = request.client is not None and request.client.host in service.settings.proxies
    forwarded = proxied and request.headers.get("x-forwarded-proto") == "https"
    return request.url.scheme == "https" or forwarded


def _set(answer: Response, value: str, seconds: int, *, secure: bool) -> None:
    answer.set_cookie(
        SECURE_COOKIE if secure else COOKIE,
        value,
        max_age=seconds,
        path="/",
        secure=secure,
        httponly=True,
        samesite="strict",
    )
