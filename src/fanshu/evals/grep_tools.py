"""The tools of an agent that greps: glob, grep and read_file, over the texts of a library.

They work as those of coding agents do. Every document is a text file under its own name, PDF,
Word and HTML as the text our parsers extract, so that the agent is not crippled by formats.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from fanshu.evals.rag.pieces import Text
from fanshu.models import ToolSpec
from fanshu.types import Chunk, ToolCall

MOST_PATHS = 100
MOST_LINES = 40  # of one grep; with more, a narrower pattern is asked for
LINE_CHARS = 300
READ_LINES, READ_CHARS = 200, 8_000  # of one read
MOST_CONTEXT = 5
WORDINGS = 64  # that the braces of one glob may stand for
GREP_SECONDS = 10.0  # a pattern that takes longer is told to be simpler


def _spec(name: str, text: str, needed: Sequence[str], **parameters: str) -> ToolSpec:
    kinds = {"offset": "integer", "limit": "integer", "context": "integer", "files_only": "boolean"}
    properties = {
        one: {"type": kinds.get(one, "string"), "description": said}
        for one, said in parameters.items()
    }
    return ToolSpec(
        name, text, {"type": "object", "properties": properties, "required": list(needed)}
    )


_TEXT = {"type": "string"}
SPECS = (
    _spec(
        "glob",
        "Paths that match a pattern such as **/*timeout*.",
        ["pattern"],
        pattern="glob pattern over whole paths",
    ),
    _spec(
        "grep",
        "Lines that match a regular expression, with file and line number.",
        ["pattern"],
        pattern="regular expression (Python), case does not count; a|b for several wordings",
        path="only this file or folder",
        glob="only files that match this pattern",
        context="lines around each match, 0 to 5",
        files_only="only names of files, with their counts",
    ),
    _spec(
        "read_file",
        "Lines of a file, numbered.",
        ["file"],
        file="path of the file",
        offset="first line, from 1",
        limit="number of lines, 200 at most",
    ),
    ToolSpec(
        "answer",
        "Give the answer and end.",
        {
            "type": "object",
            "properties": {
                "response": _TEXT,
                "citations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"file": _TEXT, "quote": _TEXT},
                        "required": ["file", "quote"],
                    },
                },
                "found": {"type": "boolean"},
            },
            "required": ["response", "citations", "found"],
        },
    ),
)


class Misused(Exception):
    """A call that cannot be made; its text says why."""


@dataclass(frozen=True)
class File:
    """A document by lines."""

    of: Text

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its lines without their ends."""
        return tuple(self.of.text.splitlines())

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The offset at which each line begins."""
        found, at = [], 0
        for line in self.of.text.splitlines(keepends=True):
            found.append(at)
            at += len(line)
        return tuple(found)

    def chunks(self, first: int, last: int) -> tuple[Chunk, ...]:
        """The sections that hold lines, counted from 1."""
        if not self.lines:
            return ()
        ends = (*self.starts[1:], len(self.of.text))
        return self.of.within(self.starts[first - 1], ends[last - 1])


@dataclass
class Folder:
    """The documents as one agent sees them, and what it has seen of them.

    `read`: sections of which it had lines before it, read or found. `touched`: their files.
    """

    files: Mapping[str, File]
    read: dict[str, Chunk] = field(default_factory=dict)
    touched: dict[str, None] = field(default_factory=dict)

    def run(self, call: ToolCall) -> str:
        """What a call gives, in words; so are its mistakes."""
        given = call.arguments
        if given is None:
            return "error: the arguments are no JSON object"
        tools: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
            "glob": self._glob,
            "grep": self._grep,
            "read_file": self._read,
        }
        if call.name not in tools:
            known = ", ".join(spec.name for spec in SPECS)
            return f"error: there is no tool {call.name!r}; there are {known}"
        try:
            return tools[call.name](given)
        except Misused as error:
            return f"error: {error}"

    def _glob(self, given: Mapping[str, Any]) -> str:
        pattern = _text(given, "pattern")
        found = [path for path in self.files if _matches(path, pattern)]
        shown = found[:MOST_PATHS]
        more = [f"… and {len(found) - len(shown)} more"] if len(found) > len(shown) else []
        return "\n".join((*shown, *more)) or "no file matches"

    def _grep(self, given: Mapping[str, Any]) -> str:
        pattern = _pattern(_text(given, "pattern"))
        files = self._chosen(str(given.get("path") or ""), str(given.get("glob") or ""))
        matches = dict(_matching(files, pattern))
        total = sum(map(len, matches.values()))
        if not total:
            return f"no line matches, in {len(files)} files"
        if given.get("files_only") in (True, "true"):
            rows = [f"{path}: {len(at)}" for path, at in matches.items()]
            more = [f"… and {len(rows) - MOST_PATHS} more files"] if len(rows) > MOST_PATHS else []
            return "\n".join((*rows[:MOST_PATHS], *more))
        around = min(max(_number(given, "context", 0), 0), MOST_CONTEXT)
        lines = list(self._shown(matches, pattern, around))
        if total > MOST_LINES:
            told = (
                f"… {total} lines in {len(matches)} files match; the first {MOST_LINES} are shown"
            )
            lines.append(told)
        return "\n".join(lines)

    def _shown(
        self, matches: Mapping[str, Sequence[int]], pattern: re.Pattern[str], around: int
    ) -> Iterator[str]:
        left = MOST_LINES
        for path, at in matches.items():
            if not left:
                return
            file, shown = self.files[path], at[:left]
            left -= len(shown)
            self.touched[path] = None
            yield path
            last = 0
            for number in shown:
                first = max(number - around, last + 1)
                last = max(min(number + around, len(file.lines)), last)
                for near in range(first, last + 1):
                    mark = ":" if near in at else "-"
                    yield f"  {near}{mark} {_clipped(file.lines[near - 1], pattern)}"
                if first <= last:
                    self._saw(file, first, last)

    def _saw(self, file: File, first: int, last: int) -> None:
        self.read |= {chunk.chunk_id: chunk for chunk in file.chunks(first, last)}

    def _read(self, given: Mapping[str, Any]) -> str:
        path = _text(given, "file").removeprefix("./")
        if path not in self.files:
            near = [one for one in self.files if one.endswith(path.rpartition("/")[2])][:5]
            hint = f"; did you mean {', '.join(near)}" if near else ""
            raise Misused(f"there is no file {path!r}{hint}")
        file = self.files[path]
        first = max(_number(given, "offset", 1), 1)
        most = min(max(_number(given, "limit", READ_LINES), 1), READ_LINES)
        rows: list[str] = []
        size = 0
        for number, line in enumerate(file.lines[first - 1 : first - 1 + most], first):
            size += len(line) + 1
            if size > READ_CHARS and rows:
                break
            rows.append(f"{number}\t{line[:READ_CHARS]}")
        if not rows:
            raise Misused(f"{path} has {len(file.lines)} lines")
        last = first + len(rows) - 1
        self.touched[path] = None
        self._saw(file, first, last)
        rest = len(file.lines) - last
        return "\n".join((*rows, f"… {rest} more lines" if rest else "(end of file)"))

    def _chosen(self, path: str, pattern: str) -> dict[str, File]:
        path = path.removeprefix("./").strip("/")
        path = "" if path == "." else path
        found = {
            name: file
            for name, file in self.files.items()
            if (not path or name == path or name.startswith(f"{path}/"))
            and (not pattern or _matches(name, pattern))
        }
        if not found:
            raise Misused("no file there")
        return found


def _clipped(line: str, pattern: re.Pattern[str]) -> str:
    """A long line cut around its first match, with a mark where something is left out."""
    line = line.rstrip()
    if len(line) <= LINE_CHARS:
        return line
    found = pattern.search(line)
    begin = max(min((found.start() if found else 0) - LINE_CHARS // 3, len(line) - LINE_CHARS), 0)
    end = begin + LINE_CHARS
    return f"{'…' if begin else ''}{line[begin:end]}{'…' if end < len(line) else ''}"


def _matches(path: str, pattern: str) -> bool:
    return any(_matches_one(path, wording) for wording in _wordings(pattern))


def _wordings(pattern: str) -> list[str]:
    """What braces stand for, as in `*.{md,txt}`; some of them where they are very many."""
    whole: list[str] = []
    open_ones = [pattern]
    while open_ones and len(whole) < WORDINGS:
        one = open_ones.pop()
        braces = re.search(r"\{([^{}]*)\}", one)
        if braces is None:
            whole.append(one)
            continue
        before, after = one[: braces.start()], one[braces.end() :]
        open_ones += [f"{before}{part}{after}" for part in braces[1].split(",")[:WORDINGS]]
    return whole


def _matches_one(path: str, pattern: str) -> bool:
    """A pattern without a folder is looked for in any; `**/` stands for none, too."""
    pattern = pattern.removeprefix("./")
    wide = pattern.replace("**/", "*") if "**/" in pattern else pattern
    name = path.rpartition("/")[2]
    return fnmatchcase(path, wide) or ("/" not in pattern and fnmatchcase(name, pattern))


def _matching(
    files: Mapping[str, File], pattern: "re.Pattern[str]"
) -> Iterator[tuple[str, list[int]]]:
    end = time.monotonic() + GREP_SECONDS
    for path, file in files.items():
        found = [n for n, line in enumerate(file.lines, 1) if pattern.search(line)]
        if found:
            yield path, found
        if time.monotonic() > end:
            raise Misused("the pattern takes too long; make it simpler")


def _pattern(text: str) -> "re.Pattern[str]":
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise Misused(f"no regular expression ({error})") from error


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value:
        raise Misused(f"{name} is missing or no text")
    return value


def _number(given: Mapping[str, Any], name: str, usual: int) -> int:
    value = given.get(name)
    try:
        return usual if value in (None, "") else int(str(value))
    except ValueError:
        raise Misused(f"{name} is no number") from None
