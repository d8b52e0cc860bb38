"""Telling another program that approved answers wait for review.

One POST of JSON for each library and look, from a thread of its own: nobody waits for it, and
when the other side does not listen, it is tried a few times and given up. Only `https`, or `http`
on this machine; redirects are not followed. Of the documents it sends places, and the passages
only where that is set.
"""

import logging
import queue
import threading
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from fanshu.approved.approval import Kept
from fanshu.approved.opening import open_approvals
from fanshu.errors import ApprovalsUnusable, ConfigError
from fanshu.library.library import Library
from fanshu.serve.settings import LOOPBACK

log = logging.getLogger("fanshu.serve")

SECONDS = 10.0  # for one attempt
PAUSES = (1.0, 5.0, 30.0)  # before another attempt; then it is given up
MOST_WAITING = 100  # messages; more are dropped, since the review list has them all
EVENT = "approved.review"


class Webhook:
    """Whom new states of approved answers are told; nobody, without an address.

    Raises: ConfigError — an address that must not be used.
    """

    def __init__(
        self, url: str | None, *, passages: bool = False, pauses: Sequence[float] = PAUSES
    ) -> None:
        if url is not None:
            _must_be_safe(url)
        self._url, self._passages, self._pauses = url, passages, tuple(pauses)
        self._messages: queue.Queue[dict[str, object] | None] = queue.Queue(MOST_WAITING)
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def review(self, name: str, library: Library) -> None:
        """Tell of the answers of a library that wait since they were last told of."""
        if self._url is None or not (approvals := open_approvals(library)):
            return
        with suppress(ApprovalsUnusable):
            if kept := approvals.untold():
                self._put(_message(name, kept, passages=self._passages))

    def close(self) -> None:
        """Take no more; what is being sent may finish."""
        self._end.set()
        with suppress(queue.Full):
            self._messages.put_nowait(None)

    def _put(self, message: dict[str, object]) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="webhook", daemon=True)
            self._thread.start()
        try:
            self._messages.put_nowait(message)
        except queue.Full:
            log.warning("the webhook does not keep up; a message is left out")

    def _work(self) -> None:
        while not self._end.is_set():
            message = self._messages.get()
            if message is not None:
                self._send(message)

    def _send(self, message: dict[str, object]) -> None:
        import httpx

        for pause in (*self._pauses, None):
            try:
                with httpx.stream("POST", str(self._url), json=message, timeout=SECONDS) as reply:
                    if reply.is_success:  # what it says beside that may have no end: not read
                        return
                    why = f"it answered {reply.status_code}"
            except httpx.HTTPError as error:
                why = type(error).__name__
            if pause is None or self._end.wait(pause):
                log.warning("the webhook for approved answers could not be reached: %s", why)
                return


def _must_be_safe(url: str) -> None:
    """Raises: ConfigError."""
    parts = urlsplit(url)
    here = parts.scheme == "http" and parts.hostname in LOOPBACK
    if not parts.hostname or not (parts.scheme == "https" or here):
        detail = "it must be an address with https, or http on this machine"
        raise ConfigError(name="serve.review_webhook", detail=detail)


def _message(name: str, kept: Sequence[Kept], *, passages: bool) -> dict[str, object]:
    return {
        "event": EVENT,
        "library": name,
        "answers": [_about(one, passages=passages) for one in kept],
    }


def _about(kept: Kept, *, passages: bool) -> dict[str, object]:
    one = kept.approved
    return {
        "id": kept.id,
        "question": one.question,
        "state": kept.examined.state,
        "by": one.by,
        "at": one.at,
        "evidence": [
            {
                "state": standing.state,
                "place": standing.chunk_id,
                "now": standing.now,
                "newer_version": standing.newer_version,
            }
            | ({"then": standing.passage, "reads": standing.passage_now} if passages else {})
            for standing in kept.examined.standings
        ],
        "contradicted_by": [against.chunk_id for against in kept.examined.contradictions],
    }
