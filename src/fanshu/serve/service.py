"""The one place where the service keeps its state, and how routes come by it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Annotated, ParamSpec, TypeVar

from fastapi import Depends, Query, Request

from fanshu.errors import FanshuError
from fanshu.library.library import Library
from fanshu.serve.access import Person
from fanshu.serve.accounts import AccountBook
from fanshu.serve.asking import Asking
from fanshu.serve.checking import Checkups
from fanshu.serve.libraries import Libraries, Shelf
from fanshu.serve.measures import Measures
from fanshu.serve.register import RunRegister
from fanshu.serve.settings import ServiceSettings
from fanshu.serve.state import State
from fanshu.serve.webhook import Webhook
from fanshu.types import Scope

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class Service:
    """What a running service consists of. `failure`: why it could not begin."""

    settings: ServiceSettings
    libraries: Libraries
    state: State
    asking: Asking
    measures: Measures
    webhook: Webhook
    checkups: Checkups
    failure: FanshuError | None = None

    @property
    def accounts(self) -> AccountBook:
        """Users and tokens."""
        return self.state.accounts

    @property
    def register(self) -> RunRegister:
        """What was asked, and who is logged in."""
        return self.state.register


@dataclass(frozen=True, slots=True)
class Door:
    """A library as whoever asks may see it. Every read of documents goes through one."""

    shelf: Shelf
    scope: Scope

    @property
    def library(self) -> Library:
        return self.shelf.library

    async def call(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Do something in one of the threads that read documents."""
        return await asyncio.to_thread(work, *args, **named)


def service_of(request: Request) -> Service:
    """The service that a request has come to."""
    service: Service = request.app.state.service
    return service


def person_of(request: Request) -> Person:
    """Who sends a request; the gate has found out."""
    person: Person = request.scope["state"]["person"]
    return person


Here = Annotated[Service, Depends(service_of)]
Who = Annotated[Person, Depends(person_of)]
LibraryName = Annotated[
    str | None,
    Query(
        alias="library",
        max_length=64,
        description="Name of a library; by default the first that you may see.",
        examples=["manuals"],
    ),
]


async def _door(service: Here, person: Who, name: LibraryName = None) -> AsyncIterator[Door]:
    shelf = service.libraries.find(name, person.libraries(service.libraries.all))
    async with service.libraries.using(shelf):
        yield Door(shelf, person.scope(shelf.name))


Through = Annotated[Door, Depends(_door)]
