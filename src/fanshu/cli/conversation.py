"""A conversation on the terminal: questions, and commands that begin with a slash."""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING

from fanshu.cli import show
from fanshu.cli.candidates import Candidate, places
from fanshu.cli.options import Call
from fanshu.cli.paths import document_path
from fanshu.cli.screen import line
from fanshu.cli.wrapping import beside
from fanshu.errors import FanshuError
from fanshu.types import Answer, Chunk

if TYPE_CHECKING:
    from asyncio import Runner

    from fanshu.agent.session import Session
    from fanshu.cli.history import History
    from fanshu.cli.steps import Steps
    from fanshu.library.library import Library
    from fanshu.models import Model

HITS = 5  # as `fanshu search`
HELP_LEFT = 18  # columns of the names of commands
MOST_EARLIER = 20  # questions that Tab offers
_COMMAND = re.compile(r"(/[a-z]*)(?:\s+(.*))?", re.DOTALL)
COMMANDS = ("search", "read", "next", "prev", "outline", "sources", "new", "help", "quit")
WITH_WORDS = frozenset({"search", "read", "outline"})
SAME = {"exit": "quit", "q": "quit"}


@dataclass(slots=True)
class Conversation:
    """What was said so far. `failed`: some question ended in an error; `at`: the section read."""

    call: Call
    steps: "Steps"
    library: "Library"
    model: "Model"
    session: "Session"
    runner: "Runner"
    history: "History"
    answers: list[Answer] = field(default_factory=list)
    failed: bool = False
    at: str = ""

    @property
    def cut_off(self) -> bool:
        """Whether somebody stopped a pipe: nobody types there who could go on."""
        stopped = self.answers and self.answers[-1].stop_reason == "interrupted"
        return bool(stopped) and not sys.stdin.isatty()

    def take(self, typed: str) -> bool:
        """Do what a line asks; False: leave."""
        name, words = _command(typed)
        if name == "quit":
            return False
        if not name:
            self._ask(typed)
        elif name not in COMMANDS:
            self._unknown(name)
        else:
            with suppress(KeyboardInterrupt):
                self._do(name, words)
        return True

    def complete(self, typed: str) -> tuple[str, Iterable[Candidate]]:
        """What the end of a line may become, and how much of it that is."""
        if not typed.startswith("/"):
            return typed, self._earlier(typed)
        name, space, words = typed.partition(" ")
        if not space:
            return typed, self._commands(typed)
        if name in ("/read", "/outline"):
            return words, places(self.library, words)
        return "", ()

    # ------------------------------------------------------------ questions

    def _ask(self, question: str) -> None:
        """Ask, and show what came of it; an error ends the question, not the conversation."""
        try:
            result = self._answer(question)
        except FanshuError as error:
            self.call.screen.say(self.call.screen.texts.error(error))
            self.failed = True
            return
        except KeyboardInterrupt:  # beside the run, which tells what it found
            if not sys.stdin.isatty():
                raise
            self.call.screen.warn("failure.interrupted")
            return
        self.session.remember(result)
        self.answers.append(result)
        self.failed |= result.status == "error"
        with suppress(KeyboardInterrupt):
            self._show(result)

    def _answer(self, question: str) -> Answer:
        """One run over the files as they are now. Ctrl-C makes its answer a partial one."""
        from fanshu import app

        with self.steps:
            if self.answers:
                app.up_to_date(self.library)
            asking = app.answer(
                question,
                self.call.settings,
                self.library,
                self.model,
                earlier=self.session.earlier,
                on_event=self.steps,
            )
            return self.runner.run(asking)

    def _show(self, result: Answer) -> None:
        screen = self.call.screen
        if result.error:
            screen.say(screen.texts.sentence(result.error))
        if not self.call.json:
            screen.show([*show.answer(screen.texts, result), line()])
        screen.note(show.stats(screen.texts, result))

    # ------------------------------------------------------------ commands

    def _do(self, name: str, words: str) -> None:
        texts = self.call.screen.texts
        if name in WITH_WORDS - {"outline"} and not words:
            self.call.screen.say(texts(f"chat.help.{name}"))
            return
        try:
            match name:
                case "search":
                    self._search(words)
                case "read":
                    self._read(document_path(self.library.roots, words))
                case "next" | "prev":
                    self._turn(getattr(self.library, name))
                case "outline":
                    self._outline(words)
                case "sources":
                    self._sources()
                case "new":
                    self.session.forget()
                    self.call.screen.say(texts("chat.new"))
                case "help":
                    self._help()
        except FanshuError as error:
            self.call.screen.say(texts.error(error))

    def _unknown(self, name: str) -> None:
        near = get_close_matches(name, COMMANDS, n=1)
        key = "chat.closest" if near else "chat.unknown"
        self.call.screen.warn(key, command=f"/{name}", closest=f"/{''.join(near)}")

    def _search(self, words: str) -> None:
        result = self.library.search(words, k=HITS)
        self._put([*show.search(self.call.screen.texts, result), line()])

    def _read(self, chunk_id: str, text_hash: str | None = None) -> None:
        self._chunk(self.library.read(chunk_id, expect=text_hash))

    def _turn(self, turned: Callable[[str], Chunk | None]) -> None:
        """The section after or before the one that was read last."""
        if not self.at:
            self.call.screen.warn("chat.nowhere")
        elif (found := turned(self.at)) is None:
            self.call.screen.warn("read.end")
        else:
            self._chunk(found)

    def _chunk(self, found: Chunk) -> None:
        self.at = found.chunk_id
        around = self.library.prev(found.chunk_id), self.library.next(found.chunk_id)
        self._put([*show.chunk(self.call.screen.texts, found, around), line()])

    def _outline(self, path: str) -> None:
        from fanshu.agent.outlines import MOST_ENTRIES

        place = document_path(self.library.roots, path) if path else None
        told = self.library.contents(place, at_most=MOST_ENTRIES)
        self._put([*show.outline(self.call.screen.texts, told), line()])

    def _sources(self) -> None:
        """The sections that the last answer cites, as they are now."""
        texts = self.call.screen.texts
        cited = (
            {one.chunk_id: one.hash for one in self.answers[-1].citations} if self.answers else {}
        )
        if not cited:
            self.call.screen.warn("chat.no_sources")
        for chunk_id, text_hash in cited.items():
            try:
                self._read(chunk_id, text_hash)
            except FanshuError as error:
                self.call.screen.say(texts.error(error))

    def _help(self) -> None:
        """The commands; not a part of the result, so on stderr."""
        for name in COMMANDS:
            written, meaning = self._said(name)
            for row in beside(written, meaning, self.call.screen.width, HELP_LEFT):
                sys.stderr.write(row + "\n")

    def _said(self, name: str) -> tuple[str, str]:
        """How a command is written, and what it does."""
        written, _, meaning = self.call.screen.texts(f"chat.help.{name}").partition("  ")
        return written, meaning

    def _put(self, shown: Iterable[tuple[tuple[str, str], ...]]) -> None:
        if not self.call.json:
            self.call.screen.show(shown)

    # ------------------------------------------------------------ what may be meant

    def _commands(self, typed: str) -> Iterable[Candidate]:
        for name in COMMANDS:
            if f"/{name}".startswith(typed):
                yield Candidate(f"/{name}" + " " * (name in WITH_WORDS), self._said(name)[1])

    def _earlier(self, typed: str) -> Iterable[Candidate]:
        """Earlier questions that hold what is typed, the latest first."""
        words = typed.strip()
        found = [one for one in dict.fromkeys(reversed(self.history.lines)) if words in one]
        if words:
            for one in sorted(found, key=lambda one: not one.startswith(words))[:MOST_EARLIER]:
                yield Candidate(one)


def _command(typed: str) -> tuple[str, str]:
    """The name of a command and its words; no name: it is a question, such as /etc/hosts."""
    made = _COMMAND.fullmatch(unicodedata.normalize("NFKC", typed))
    if not made:
        return "", typed
    name, words = made[1][1:], (made[2] or "").strip()
    name = SAME.get(name, name)
    if words and name not in WITH_WORDS and not get_close_matches(name, COMMANDS, n=1):
        return "", typed  # a path, and what is asked of it
    if words:
        words = re.split(r"\s+", typed.strip(), maxsplit=1)[-1]  # as it was typed
    return name or "help", words
