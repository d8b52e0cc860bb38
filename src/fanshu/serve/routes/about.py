"""The service itself: whether it lives, what it measures, who you are."""

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter, Response
from pydantic import BaseModel

from fanshu.errors import StoreError
from fanshu.serve.access import Person
from fanshu.serve.gate import demands_login
from fanshu.serve.libraries import Shelf
from fanshu.serve.measures import MEDIA_TYPE
from fanshu.serve.responses import Json, described
from fanshu.serve.routes.told import problems, shown
from fanshu.serve.service import Here, Service, Who

router = APIRouter(tags=["service"])

REACH_SECONDS = 3.0  # in which the store has to say something


class LibraryInfo(BaseModel):
    """A library that you may see. `reader`: the model that answers, or `extractive`."""

    name: str
    title: str
    reader: str
    extractive: bool
    ready: bool
    writable: bool
    documents: int
    everything: bool


class LimitInfo(BaseModel):
    """How much you may ask."""

    requests_per_minute: int | None
    runs_at_once: int
    runs_waiting: int
    month_cost: float | None
    month_spent: float


class Me(BaseModel):
    """Who you are and what you may do. `login`: whether the service demands one."""

    name: str
    kind: str
    login: bool
    writes: bool
    keeps: bool
    approves: bool
    libraries: list[LibraryInfo]
    limits: LimitInfo


class Health(BaseModel):
    """Whether the service lives, or is ready."""

    status: str
    libraries: dict[str, str] = {}


TOLD = (Health, Me)


@router.get(
    "/v1/me",
    summary="Who you are, your libraries and limits",
    response_class=Response,
    responses={200: shown("Me", "You"), **problems()},
)
async def me(service: Here, person: Who) -> Response:
    """Whoever asks."""
    names = person.libraries(service.libraries.all)
    told = [await _library(service.libraries.all[name], person) for name in names]
    return Json(
        {
            "name": person.name,
            "kind": person.kind,
            "login": demands_login(service.settings),
            "writes": person.writes,
            "keeps": person.keeps,
            "approves": person.approves,
            "libraries": told,
            "limits": await asyncio.to_thread(_limits, service, person),
        }
    )


async def _library(shelf: Shelf, person: Person) -> Mapping[str, object]:
    scope = person.scope(shelf.name)
    titles = await asyncio.to_thread(shelf.library.titles, scope=scope) if shelf.ready else ()
    return {
        "name": shelf.name,
        "title": shelf.planned.title,
        "reader": shelf.model.name,
        "extractive": shelf.model.extractive,
        "ready": shelf.ready,
        "writable": shelf.planned.writable and person.writes,
        "documents": len(titles),
        "everything": scope.everything,
    }


def _limits(service: Service, person: Person) -> Mapping[str, object]:
    settings, local = service.settings, person.kind == "local"
    return {
        "requests_per_minute": None if local else settings.requests_per_minute,
        "runs_at_once": settings.runs if local else settings.runs_each,
        "runs_waiting": settings.waiting_each,
        "month_cost": person.cost or settings.month_cost_each,
        "month_spent": service.register.cost(person.key),
    }


@router.get(
    "/healthz",
    summary="Whether the service lives",
    response_class=Response,
    responses={200: shown("Health", "It does"), **problems()},
)
async def healthz() -> Response:
    """Always `ok` while it can say so."""
    return Json({"status": "ok"})


@router.get(
    "/readyz",
    summary="Whether every library has been read",
    response_class=Response,
    responses={200: shown("Health", "All are"), **problems(503)},
)
async def readyz(service: Here) -> Response:
    """Ready for questions; not before the first reading, nor without its store, nor while it is
    being stopped.
    """
    if service.asking.leaving or service.asking.ending:
        return described("service_ending", "The service is being stopped.", 503)
    try:
        async with asyncio.timeout(REACH_SECONDS):
            await service.state.call(service.state.reachable)
    except (StoreError, TimeoutError):
        detail = "The store cannot be reached."
        return described("not_ready", detail, 503, {"Retry-After": "2"})
    reading = sum(not shelf.ready for shelf in service.libraries.all.values())
    if reading:
        detail = f"{reading} libraries are being read, or cannot be."
        return described("not_ready", detail, 503, {"Retry-After": "2"})
    return Json({"status": "ready"})


@router.get(
    "/metrics",
    summary="What the service measures, for Prometheus",
    response_class=Response,
    responses={200: {"description": "Figures", "content": {"text/plain": {}}}, **problems()},
)
async def metrics(service: Here, person: Who) -> Response:
    """No names of people, no words of questions, nothing of libraries that are not yours."""
    turns, libraries = service.asking.turns, person.libraries(service.libraries.all)
    figures = service.measures.shown(turns.running, turns.waiting, libraries)
    return Response(figures, media_type=MEDIA_TYPE)
