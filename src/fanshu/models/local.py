"""A model in a file on this machine: llama.cpp in this process, through xllamacpp.

There is no server to start and nothing to fetch. The model answers in JSON under a grammar, so
that even a small one makes calls that can be read. Imported when such a model is asked for.
"""

import asyncio
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from fanshu import extras
from fanshu.errors import ConfigError, ContextTooLong, ModelBadReply, ModelError, ModelTimeout
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.models.json_mode import in_words, reply_of, response_format
from fanshu.types import Usage

PREFIX = "gguf:"
MAGIC = b"GGUF"  # the first bytes of every such file
REPLY_TOKENS = 1_024  # an answer with six quotes fits; a model that repeats itself is stopped
MOST_CONTEXT = 16_384  # tokens; its memory is taken at once, 0.5 to 2 GB for small models
TIMEOUT = 120.0  # seconds for one reply

Chunk = Mapping[str, Any]
Complete = Callable[[dict[str, object], Callable[[Chunk], bool]], object]
"""A chat completion as a stream: a request, and who hears each piece (True: stop)."""


def local(name: str, *, context_tokens: int, timeout: float = TIMEOUT) -> "LocalModel":
    """The model in the file that stands behind `gguf:`. It is loaded with the first question.

    `context_tokens`: of one request. `timeout`: seconds for one reply.

    Raises: ConfigError — no such file, not a model, or the package is not installed.
    """
    path = Path(name.removeprefix(PREFIX)).expanduser()
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        detail = f"the model {str(path)!r} cannot be read: {error.strerror}"
        raise ConfigError(name="model", detail=detail) from None
    if magic != MAGIC:
        raise ConfigError(name="model", detail=f"{str(path)!r} is no GGUF file")
    if find_spec("xllamacpp") is None:
        detail = f"{PREFIX} needs a package that is not installed: {extras.here().add('local')}"
        raise ConfigError(name="model", detail=detail)
    shown = f"{PREFIX}{path.name}"
    room = min(context_tokens, MOST_CONTEXT) + REPLY_TOKENS
    return LocalModel(shown, lambda: engine(path, shown, room), timeout=timeout)


def engine(path: Path, name: str, context: int) -> Complete:
    """Load a file. Raises: ModelError — llama.cpp cannot read it, or there is no memory for it."""
    # Waiting threads that spin make generation 5 to 20 times slower on a busy machine. Read by
    # the library when it is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    llama = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = str(path)
    params.n_ctx, params.n_parallel = context, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = len(_cpus())
    params.sampling.temp = 0.0
    params.offline, params.ui, params.warmup, params.verbosity = True, False, False, -1
    # It listens on loopback whether one wants it or not: nobody else gets in or sees prompts.
    params.api_keys, params.endpoint_slots = [secrets.token_hex(16)], False
    try:
        complete: Complete = llama.Server(params).handle_chat_completions
    except RuntimeError:
        detail = f"llama.cpp cannot load {str(path)!r}: it is damaged, too new, or too large"
        raise ModelError(model=name, detail=detail) from None
    return complete


def _cpus() -> Sequence[int] | set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return range(os.cpu_count() or 1)


class LocalModel:
    """A `Model` over a function that completes chats; made by `local`.

    `load` gives that function, once, when it is first needed.
    """

    def __init__(
        self, name: str, load: Callable[[], Complete], *, timeout: float = TIMEOUT
    ) -> None:
        self._name, self._load, self._timeout = name, load, timeout
        self._complete: Complete | None = None
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"LocalModel({self._name!r})"

    @property
    def name(self) -> str:
        return self._name

    @property
    def extractive(self) -> bool:
        return False

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        offered = [tool for tool in tools if force in (None, tool.name)]
        body: dict[str, object] = {
            "messages": [{"role": t.role, "content": t.text} for t in in_words(turns, tools)],
            "response_format": response_format("json_schema", offered, turns),
            "max_tokens": REPLY_TOKENS,
            "temperature": 0.0,
            "stream": True,
            "stream_options": {"include_usage": True},
            "chat_template_kwargs": {"enable_thinking": False},  # under a grammar it cannot think
        }
        stop = Event()
        try:
            async with asyncio.timeout(self._timeout):
                text, usage = await self._said(body, stop)
        except TimeoutError:
            raise ModelTimeout(model=self._name, seconds=self._timeout) from None
        finally:
            stop.set()
        return reply_of(text, turns, {tool.name for tool in tools}, usage)

    async def close(self) -> None:
        """Give back the memory."""
        self._complete = None

    def _said(self, body: dict[str, object], stop: Event) -> "asyncio.Future[tuple[str, Usage]]":
        """The reply, from a thread that nobody waits for at the end of the program.

        Reading a long prompt cannot be interrupted; what comes of it then is dropped.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[str, Usage]] = loop.create_future()

        def tell(result: tuple[str, Usage] | BaseException) -> None:
            if future.done():
                return
            if isinstance(result, BaseException):
                future.set_exception(result)
            else:
                future.set_result(result)

        def work() -> None:
            result: tuple[str, Usage] | BaseException
            try:
                result = self._generated(body, stop)
            except Exception as error:  # noqa: BLE001 — of a native library; goes to whoever waits
                result = error
            with suppress(RuntimeError):  # the loop has gone
                loop.call_soon_threadsafe(tell, result)

        Thread(target=work, daemon=True).start()
        return future

    def _generated(self, body: dict[str, object], stop: Event) -> tuple[str, Usage]:
        """Raises: ModelError."""
        with self._lock:  # one reply at a time, and one loading
            self._complete = complete = self._complete or self._load()
            pieces: list[Chunk] = []

            def hear(piece: Chunk) -> bool:
                pieces.append(piece)
                return stop.is_set()

            try:
                whole = complete(body, hear)
            except (RuntimeError, ValueError) as error:
                raise ModelBadReply(model=self._name, detail=_one_line(error)) from None
        return self._joined([*pieces, whole] if isinstance(whole, Mapping) else pieces)

    def _joined(self, pieces: Sequence[Chunk]) -> tuple[str, Usage]:
        text, usage = "", Usage()
        for piece in pieces:
            if error := piece.get("error"):
                raise self._error(error)
            for choice in piece.get("choices") or ():
                text += choice.get("delta", {}).get("content") or ""
            usage = _usage(piece.get("usage")) or usage
        return text, usage

    def _error(self, error: Mapping[str, object]) -> ModelError:
        detail = _one_line(error.get("message", error))
        if error.get("type") == "exceed_context_size_error":
            return ContextTooLong(model=self._name, detail=detail)
        return ModelError(model=self._name, detail=detail)


def _usage(told: Mapping[str, Any] | None) -> Usage | None:
    if not told:
        return None
    cached = (told.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    return Usage(told.get("prompt_tokens", 0), cached, told.get("completion_tokens", 0))


def _one_line(words: object) -> str:
    return " ".join(str(words).split()).rstrip(".")
