"""What leaves this machine: which addresses are contacted, and what exactly is sent.

The commands run in processes of their own in which every connection, every look-up of a name
and every program started is written down, in child processes too. docs/privacy.md says what
these tests hold.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fanshu.agent import objections, prompts
from fanshu.agent.prompts import SYSTEM, tool_specs
from tests.cli.replies import answer, calls
from tests.models.fake_server import FakeServer
from tests.waiting import PATIENCE

PAGE = Path(__file__).resolve().parents[1] / "docs" / "privacy.md"
PDF = Path(__file__).parent / "cases" / "parsers" / "p01_outline_midpage_runhdr.pdf"
# Loaded by every Python that starts with this folder on its path, before anything else.
WATCH = """\
import os, sys

WATCHED = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto",
           "socket.sendmsg", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.system")

def heard(event, args):
    if event in WATCHED:
        what = args[0] if event not in ("socket.connect", "socket.sendto") else args[1]
        with open(os.environ["WATCHED"], "a", encoding="utf-8") as log:
            log.write(f"{event} {what!r} {args[1] if event == 'socket.getaddrinfo' else ''}\\n")

sys.addaudithook(heard)
"""
RUN = """\
import contextlib, io, json, sys
from fanshu.cli.program import run

codes = []
for command in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()):
        codes.append(run(command))
print(json.dumps(codes))
"""
SECRETS = {"FANSHU_API_KEY": "sk-very-secret", "AWS_SECRET_ACCESS_KEY": "aws-very-secret"}
OUTSIDE = ("_API_KEY", "_BASE_URL", "_PROXY", "_proxy", "_MODEL")  # not taken over from outside
# What the client library adds of its own accord; everything else is needed for the request.
HEADERS = {
    "host", "accept", "accept-encoding", "connection", "content-type", "content-length",
    "user-agent", "authorization",
}  # fmt: skip
CLIENT = "x-stainless-"

MANUAL = """\
# Gateway manual

## Timeouts

The write timeout of the gateway is 30 seconds.

## Zanzibar

Marmalade quagga sentinel: nobody asks for this section.
"""
OTHER = "# Canteen menu\n\n## Walrus\n\nBlancmange pemmican on Fridays.\n"
QUESTION = "What is the write timeout?"


@dataclass(frozen=True)
class Seen:
    codes: list[int]
    events: tuple[str, ...]

    @property
    def contacted(self) -> list[str]:
        return [one for one in self.events if one.startswith("socket.")]

    @property
    def started(self) -> set[str]:
        """The programs that were started."""
        return {
            one.split(" ", 1)[1].strip().strip("'")
            for one in self.events
            if not one.startswith("socket.")
        }


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return written(tmp_path / "docs")


def written(folder: Path) -> Path:
    """The documents; everything else that a test makes lies beside their folder."""
    folder.mkdir()
    (folder / "manual.md").write_text(MANUAL, encoding="utf-8")
    (folder / "other.md").write_text(OTHER, encoding="utf-8")
    shutil.copy(PDF, folder / "guide.pdf")
    return folder


def watched(docs: Path, *commands: tuple[str, ...], **environ: str) -> Seen:
    """Commands run in one process, and what it and its children did with the network.

    Who is asked for a line types the question.
    """
    folder = docs.parent / "watch"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    (folder / "commands.py").write_text(RUN, encoding="utf-8")
    log = docs.parent / "log"
    log.write_text("", encoding="utf-8")
    own = {"PYTHONPATH": str(folder), "WATCHED": str(log), "FANSHU_DOCS": str(docs)}
    own |= {"HOME": str(docs.parent), "LANG": "C.UTF-8"}
    own |= {f"XDG_{name}_HOME": str(docs.parent / name) for name in ("DATA", "CONFIG", "CACHE")}
    inherited = {k: v for k, v in os.environ.items() if not k.endswith(OUTSIDE)}
    done = subprocess.run(
        [sys.executable, str(folder / "commands.py"), json.dumps(commands)],
        env={**inherited, **environ, **own},
        input=QUESTION,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    codes = json.loads(done.stdout.splitlines()[-1])
    return Seen(codes, tuple(log.read_text("utf-8").splitlines()))


def test_the_watch_sees_connections_of_children_too(docs: Path) -> None:
    """The watch itself is tried, or its silence would mean nothing."""
    watched(docs)
    program = docs.parent / "watch" / "commands.py"
    program.write_text(
        "import contextlib, socket, subprocess, sys\n"
        "with contextlib.suppress(OSError): socket.create_connection(('127.0.0.1', 9))\n"
        "if sys.argv[1] != 'x': subprocess.run([sys.executable, __file__, 'x'])\n"
    )
    log = docs.parent / "log"
    given = {**os.environ, "PYTHONPATH": str(program.parent), "WATCHED": str(log)}
    subprocess.run([sys.executable, str(program), "parent"], env=given, check=True)
    events = log.read_text("utf-8").splitlines()
    assert len([one for one in events if one.startswith("socket.connect ('127.0.0.1', 9)")]) == 2


@pytest.mark.slow
def test_without_a_model_nothing_is_contacted(docs: Path) -> None:
    """Not even with a provider's key lying about, and with a PDF, which children read."""
    bare = {"OPENAI_API_KEY": "sk-bare", "ANTHROPIC_API_KEY": "sk-bare"}
    target = str(docs.parent / "audit.html")
    seen = watched(
        docs,
        ("index",), ("search", "timeout"), ("ask", QUESTION, "--explain"), ("outline",),
        ("read", "manual.md#2"), ("status",), ("doctor",), ("trace", "rescore", "--all"), ("chat",),
        ("trace", "replay", "last"), ("trace", "show", "last", "--html", target),
        **bare,
    )  # fmt: skip
    assert seen.codes == [0] * 11
    assert seen.contacted == []
    assert seen.started == {sys.executable}  # the reader of PDF, which is our own code


@pytest.mark.slow
def test_with_a_model_only_its_address_is_contacted(docs: Path) -> None:
    """Also where proxies are set: what runs on this machine is reached without them."""
    quote = "The write timeout of the gateway is 30 seconds."
    right = answer("30 seconds.", quote, "manual.md#2")
    proxies = {"HTTPS_PROXY": "http://127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:1"}
    with FakeServer(right, right, calls(("ready", {}))) as server:
        model = ("--model", "m", "--base-url", server.url)
        # The second time the answer comes from the cache: the script has no reply for it.
        ask, chat = ("ask", QUESTION, *model), ("chat", "--no-cache", *model)
        seen = watched(docs, ask, ask, chat, ("doctor", *model), **SECRETS, **proxies)
    port = server.url.rpartition(":")[2].partition("/")[0]
    assert seen.codes == [0] * 4
    assert len(server.requests) == 3
    connected = {one for one in seen.contacted if one.startswith("socket.connect")}
    assert {one.strip() for one in connected} == {f"socket.connect ('127.0.0.1', {port})"}
    looked_up = {one.strip() for one in seen.contacted if one not in connected}
    assert looked_up <= {f"socket.getaddrinfo '127.0.0.1' {port}"}
    # The client library asks `uname` for the kind of processor.
    assert seen.started <= {sys.executable, "uname"}


def test_doctor_offline_contacts_nobody(docs: Path) -> None:
    model = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    seen = watched(docs, ("doctor", *model, "--offline"))
    assert (seen.codes, seen.contacted) == ([0], [])


# ---------------------------------------------------------------- what is sent


@dataclass(frozen=True)
class Sent:
    requests: list[dict[str, Any]]
    headers: list[dict[str, str]]
    trace: dict[str, Any]
    docs: Path

    @property
    def everything(self) -> str:
        return json.dumps([self.requests, self.headers], ensure_ascii=False)


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Sent:
    """A run that searches, reads, is sent back once and answers."""
    docs = written(tmp_path_factory.mktemp("privacy") / "docs")
    quote = "The write timeout of the gateway is 30 seconds."
    script = (
        calls(("search", {"keyword": "gateway timeout"}), ("outline", {"path": "manual.md"})),
        calls(("read", {"chunk_id": "manual.md#2"}), ("read", {"chunk_id": "manual.md#9"})),
        answer("It is 45 seconds.", quote, "manual.md#2"),
        answer("It is 30 seconds.", quote, "manual.md#2"),
    )
    with FakeServer(*script) as server:
        model = ("--model", "m", "--base-url", server.url)
        asked = watched(docs, ("ask", QUESTION, *model), **SECRETS)
    assert asked.codes == [0]
    headers = [{k.lower(): v for k, v in one.items()} for one in server.headers]
    (kept,) = docs.parent.rglob("traces/*.json")
    trace = json.loads(kept.read_text("utf-8"))
    return Sent(server.requests, headers, trace, docs)


@pytest.mark.slow
def test_nothing_of_this_machine_is_sent(sent: Sent) -> None:
    own = {str(sent.docs.parent), str(Path.home()), platform.node(), *SECRETS.values()}
    bodies = json.dumps(sent.requests, ensure_ascii=False)
    assert not [one for one in own if one and one in bodies]


@pytest.mark.slow
def test_nothing_of_documents_is_sent_that_was_not_found_or_read(sent: Sent) -> None:
    for word in ("Marmalade", "quagga", "sentinel", "Blancmange", "pemmican", "Fridays"):
        assert word not in sent.everything
    assert "The write timeout of the gateway is 30 seconds." in sent.everything


@pytest.mark.slow
def test_a_request_holds_the_rules_the_question_and_what_was_looked_up(sent: Sent) -> None:
    """Message by message: nothing else stands in it than what the trace has on record."""
    trace = sent.trace
    given = {
        one["call_id"]: one["text"] for step in trace["rounds"] for one in step["observations"]
    }
    called = [call["arguments"] for step in trace["rounds"] for call in step["calls"]]
    for request in sent.requests:
        assert set(request) == {"model", "messages", "tools", "tool_choice", "stream"}
        assert request["tools"] == [
            {"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters}}
            for tool in tool_specs("en")
        ]  # fmt: skip
        system, first, *rest = request["messages"]
        assert system["content"] == SYSTEM["en"]
        assert first["content"] == trace["first_message"]
        for message in rest:
            if message["role"] == "tool":
                more = message["content"].removeprefix(given[message["tool_call_id"]])
                assert re.fullmatch(r"(\n(\[[^\]]+\])+)?", more)  # remarks of the loop
            else:
                assert message["role"] == "assistant"
                for call in message["tool_calls"]:
                    assert json.loads(call["function"]["arguments"]) in called


@pytest.mark.slow
def test_every_word_sent_comes_from_somewhere_the_page_names(sent: Sent) -> None:
    names = "manual md other guide pdf Gateway Canteen menu"  # files and titles: the directory
    known = [QUESTION, names, SYSTEM["en"], "gateway timeout It is 45 30 seconds doc"]
    known += [Path(str(room.__file__)).read_text("utf-8") for room in (prompts, objections)]
    known += _headings_and_found(sent.trace)
    allowed = set(re.findall(r"[a-z]+", " ".join(known).lower()))
    for message in (one for request in sent.requests for one in request["messages"]):
        text = re.sub(r"</?doc-[0-9a-f]+>", "", message.get("content") or "")
        assert set(re.findall(r"[a-z]+", text.lower())) - allowed == set()


def _headings_and_found(trace: object) -> list[str]:
    """Headings, and the texts of hits and chunks, wherever a trace holds them as data."""
    if isinstance(trace, list):
        return [text for one in trace for text in _headings_and_found(one)]
    if not isinstance(trace, dict):
        return []
    own = [str(trace[name]) for name in ("section_path", "beginning", "title") if name in trace]
    own += [str(trace["snippet"])] if "snippet" in trace else []
    own += [str(trace["text"])] if "hash" in trace and "part" in trace else []
    return own + [text for one in trace.values() for text in _headings_and_found(one)]


@pytest.mark.slow
def test_headers_are_those_that_the_page_names(sent: Sent) -> None:
    page = PAGE.read_text("utf-8").lower()
    for headers in sent.headers:
        own = {name for name in headers if not name.startswith(CLIENT)}
        assert own <= HEADERS
        assert headers["authorization"] == f"Bearer {SECRETS['FANSHU_API_KEY']}"
    assert all(name in page for name in HEADERS)
    assert CLIENT in page
    for words in (*SECRETS.values(), str(Path.home())):
        kept = [{k: v for k, v in one.items() if k != "authorization"} for one in sent.headers]
        assert words not in json.dumps(kept)
