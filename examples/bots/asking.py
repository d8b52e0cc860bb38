"""The half of a bot that knows no platform: it asks a fanshu service and words what comes back.

Both bots use it, and so can one for any other platform: `Desk.answer` takes a question and gives
the texts to post, in order. Whatever goes wrong is such a text, too.
"""

import os
import re
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Any

import httpx

SECONDS = 900.0  # a question may take the service 600, and wait for its turn before
REMEMBERED = 3  # questions of a talk that a follow-up is asked with, as in fanshu's own chat
EARLIER, PLACES = 2_000, 20  # characters and sources of each; the service takes more, uses less
TALK_SECONDS = 900.0  # of silence; after that a question begins anew
MOST = 2_000  # talks, and messages known by their ids; the oldest are forgotten
PIECE = 1_800  # characters of a message: some screens of a phone, far below what platforms take
QUOTE = 200  # characters of a source's words; the rest stands in the document
RELATED = 3  # nearest places that are named when nothing was found

WORDS = {
    "thinking": ("正在翻书，请稍候……", "Reading, one moment …"),
    "no_text": ("请用一句话提问，我只看得懂文字。", "Please ask in words; I only read text."),
    "sources": ("来源（原文核对一致）", "Sources (quotes checked)"),
    "passages": (
        "没有语言模型，只摘录原文：",
        "No language model; this is what the documents say:",
    ),
    "partial": (
        "注意：这个回答不完整，或有内容没有核对上。",
        "Careful: this answer is incomplete, or not all of it was confirmed.",
    ),
    "unsupported": ("资料中没有依据：{0}", "Not found in the documents: {0}"),
    "not_found": ("资料里没有找到答案。", "The documents hold no answer to this."),
    "related": ("最接近的内容：", "Nearest to it:"),
    "newer": ("此文件有更新的版本：{0}", "there is a newer version: {0}"),
    "line": ("第 {0} 行", "line {0}"),
    "lines": ("第 {0}-{1} 行", "lines {0}-{1}"),
    "page": ("第 {0} 页", "page {0}"),
    "model": (
        "语言模型现在用不了，请稍后再问。",
        "The language model cannot be used just now. Please ask again later.",
    ),
    "unreachable": (
        "连不上文档服务，请稍后再问；如果一直这样，请告诉管理员。",
        "The document service cannot be reached. Please ask again later, or tell whoever runs me.",
    ),
    "token": (
        "文档服务不接受我的令牌，请告诉管理员。",
        "The document service does not accept my token. Please tell whoever runs me.",
    ),
    "nothing": (
        "我现在没有可以查的资料，请告诉管理员。",
        "There are no documents that I may read. Please tell whoever runs me.",
    ),
    "too_long": ("这个问题太长了，请说得短一些。", "This question is too long. Please shorten it."),
    "cost": ("本月的提问额度用完了。", "This month's allowance for questions is used up."),
    "busy": (
        "现在提问的人太多，请 {0} 秒后再问。",
        "Too many questions. Please ask again in {0} s.",
    ),
    "failed": (
        "出错了，没有得到答案，请稍后再问。",
        "Something went wrong and there is no answer. Please ask again later.",
    ),
}
BY_STATUS = {401: "token", 403: "token", 404: "nothing", 409: "nothing", 413: "too_long"}
BY_STATUS |= {422: "too_long", 502: "model", 503: "unreachable"}


def say(question: str, key: str, *values: object) -> str:
    """A sentence of the bot's own, in the language of the question."""
    chinese = not question.strip() or re.search(r"[\u3400-\u9fff]", question)
    return WORDS[key][0 if chinese else 1].format(*values)


def needed(name: str) -> str:
    """A variable that must be set."""
    return os.environ.get(name) or sys.exit(f"Set {name} first; README.md says where it is from.")


class Desk:
    """Where all questions of a bot go. Its methods may be called from several threads.

    BOT_SERVICE is the address of the service, BOT_TOKEN a token of it, BOT_LIBRARY the library.
    """

    def __init__(self) -> None:
        token = os.environ.get("BOT_TOKEN")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = os.environ.get("BOT_SERVICE", "http://127.0.0.1:8765")
        self._http = httpx.Client(base_url=url, headers=headers, timeout=SECONDS)
        self._library = os.environ.get("BOT_LIBRARY")
        self._lock = threading.Lock()
        self._taken: OrderedDict[str, None] = OrderedDict()
        self._talks: OrderedDict[str, tuple[float, deque[dict[str, Any]]]] = OrderedDict()

    def takes(self, message_id: str) -> bool:
        """Whether a message is new: platforms deliver one again when in doubt."""
        with self._lock:
            new = message_id not in self._taken
            self._taken[message_id] = None
            _shorten(self._taken)
        return new

    def answer(self, talk: str, question: str) -> list[str]:
        """The messages that answer a question; `talk` names the conversation it belongs to."""
        if not question.strip():
            return [say(question, "no_text")]
        try:
            told = self._ask(question, self._earlier(talk))
            if told.status_code != 200:
                return [_trouble(question, told)]
            answer = told.json()
            if answer["status"] != "error":
                self._remember(talk, answer)
            return pieces("\n".join(worded(answer)))
        except httpx.HTTPError:
            return [say(question, "unreachable")]
        except (ValueError, KeyError, TypeError):  # something else listens at that address
            return [say(question, "failed")]

    def _ask(self, question: str, earlier: list[dict[str, Any]]) -> httpx.Response:
        body = {"question": question, "earlier": earlier}
        if self._library:
            body["library"] = self._library
        return self._http.post("/v1/ask", json=body)

    def _earlier(self, talk: str) -> list[dict[str, Any]]:
        with self._lock:
            last, earlier = self._talks.get(talk, (0.0, deque()))
            return list(earlier) if time.monotonic() - last < TALK_SECONDS else []

    def _remember(self, talk: str, answer: dict[str, Any]) -> None:
        places = list(dict.fromkeys(cited["chunk_id"] for cited in answer["citations"]))
        told = answer["answer"][:EARLIER]
        one = {"question": answer["question"], "answer": told, "places": places[:PLACES]}
        earlier = self._earlier(talk)
        with self._lock:
            self._talks[talk] = time.monotonic(), deque([*earlier, one], REMEMBERED)
            self._talks.move_to_end(talk)
            _shorten(self._talks)


def _shorten(known: OrderedDict[str, Any]) -> None:
    while len(known) > MOST:
        known.popitem(last=False)


def _trouble(question: str, told: httpx.Response) -> str:
    if told.status_code == 429:
        cost = told.json().get("code") == "cost_reached"
        return say(question, "cost" if cost else "busy", told.headers.get("Retry-After", "60"))
    return say(question, BY_STATUS.get(told.status_code, "failed"))


# ---------------------------------------------------------------- what people read


def worded(answer: dict[str, Any]) -> Iterator[str]:
    """An answer of the service as lines: what it says, how far it is checked, its sources."""
    question, status = answer["question"], answer["status"]
    if status == "error":
        yield say(question, "model")
        return
    if status in ("passages", "not_found"):
        yield say(question, status)
    if answer["answer"] and status != "passages":
        yield harmless(answer["answer"])
    if status == "partial":
        yield say(question, "partial")
    yield from (say(question, "unsupported", harmless(one)) for one in answer["unsupported"])
    yield from _sources(question, answer["citations"], named=status != "passages")
    if status == "not_found" and answer["related"]:
        yield say(question, "related")
        for one in answer["related"][:RELATED]:
            yield f"· {_place(question, one)}"
            yield f"  “{_short(one['text'])}”"


def _sources(question: str, citations: list[dict[str, Any]], *, named: bool) -> Iterator[str]:
    if citations and named:
        yield ""
        yield say(question, "sources")
    for number, cited in enumerate(citations, 1):
        yield f"[{number}] {_place(question, cited)}"
        yield f"    “{_short(cited['passage'] or cited['quote'])}”"
        if cited["newer_version"]:
            yield f"    ! {say(question, 'newer', harmless(cited['newer_version']))}"


def _place(question: str, cited: dict[str, Any]) -> str:
    spot = ""
    if cited.get("lines"):
        first, last = cited["lines"]
        spot = say(question, "line" if first == last else "lines", first, last)
    elif cited.get("page"):
        spot = say(question, "page", cited["page"])
    trail = " › ".join([cited["file_path"], *cited["section_path"]])
    return harmless(f"{trail} · {spot}" if spot else trail)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return harmless(line if len(line) <= QUOTE else f"{line[: QUOTE - 1]}…")


def harmless(text: str) -> str:
    """Text of documents that calls nobody: in Feishu `<at user_id="all">` is everybody."""
    return re.sub(r"<(?=\s*/?\s*at\b)", "＜", text, flags=re.IGNORECASE)


def pieces(text: str) -> list[str]:
    """A long text as several messages, cut between paragraphs or lines where there are any."""
    cut: list[str] = []
    while len(text) > PIECE:
        ends = (text.rfind(mark, PIECE // 2, PIECE) + 1 for mark in ("\n\n", "\n", "。", " "))
        at = next((end for end in ends if end), PIECE)
        cut.append(text[:at].strip())
        text = text[at:].lstrip("\n")
    return [*cut, text.strip()]
