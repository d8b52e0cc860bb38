"""A model on loopback that is none: it searches, quotes what it is shown, and takes its time.

    python benchmarks/reading_model.py [--port 0] [--seconds 1.0] [--sigma 0.5]

OpenAI's chat completions, as far as fanshu asks for them. How many rounds a question takes and how
long each lasts follow from the question's text alone: 1 to 3 rounds, lognormal seconds with the
given median. `GET /spent` gives {question: seconds that were slept for it}. Prints its port.
"""

import argparse
import asyncio
import json
import random
import re
import sys
from collections import defaultdict
from typing import Any

ROUNDS = ((1, 0.55), (2, 0.30), (3, 0.15))  # mean 1.6: between those of dev (1.38) and hard (1.85)
_QUESTION = re.compile(r"(?:Question: |问题：)(.*)")
_FILE = re.compile(r"^(\S.*?)(?: · .*)?$")
_HIT = re.compile(r"^  #(\d+) [^:：\n]*?[:：] ?(.+)$")


def said(body: dict[str, Any]) -> str:
    """Everything that documents say in a conversation, the question's round first."""
    return "\n".join(
        str(one["content"]) for one in body["messages"] if one["role"] in ("user", "tool")
    )


def passages(text: str) -> list[tuple[str, str]]:
    """(chunk id, a piece to quote) of the hits that a conversation shows."""
    found, file = [], ""
    for line in text.splitlines():
        if hit := _HIT.match(line):
            if file:
                quote = hit[2].removesuffix("…").strip()
                found.append((f"{file}#{hit[1]}", quote[:120]))
        elif named := _FILE.match(line):
            file = named[1]
    return found


class Reading:
    """Decides what is said, and after how long."""

    def __init__(self, seconds: float, sigma: float) -> None:
        self._seconds, self._sigma = seconds, sigma
        self.spent: dict[str, float] = defaultdict(float)

    def reply(self, body: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        text = said(body)
        asked = _QUESTION.search(text)
        question = asked[1] if asked else ""
        done = sum(one["role"] == "assistant" for one in body["messages"])
        draw = random.Random(question)
        rounds = draw.choices([one for one, _ in ROUNDS], [share for _, share in ROUNDS])[0]
        draw = random.Random(f"{question} {done}")
        delay = self._seconds * draw.lognormvariate(0, self._sigma)
        self.spent[question] += delay
        return delay, self._call(question, passages(text), last=done + 1 >= rounds)

    def _call(self, question: str, seen: list[tuple[str, str]], *, last: bool) -> dict[str, Any]:
        if last:
            citations = [{"chunk_id": seen[0][0], "quote": seen[0][1]}] if seen else []
            told = {"response": seen[0][1] if seen else "", "citations": citations,
                    "found": bool(seen), "question_summary": question[:60]}  # fmt: skip
            return {"answer": told}
        words = " ".join((seen[-1][1] if seen else question).split()[:2])[:20]
        calls: dict[str, Any] = {"search": {"keyword": words}}
        if seen:
            calls["read"] = {"chunk_id": seen[0][0]}
        return calls


def completion(calls: dict[str, Any]) -> dict[str, Any]:
    made = [
        {
            "id": f"call-{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given, ensure_ascii=False)},
        }
        for number, (name, given) in enumerate(calls.items())
    ]
    message = {"role": "assistant", "content": None, "tool_calls": made}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "reading",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 1_800, "completion_tokens": 120, "total_tokens": 1_920},
    }  # fmt: skip


async def serve(port: int, model: Reading) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                size = re.search(rb"(?i)content-length: *(\d+)", head)
                body = await reader.readexactly(int(size[1])) if size else b""
                if head.startswith(b"GET"):
                    data = json.dumps(model.spent, ensure_ascii=False).encode()
                else:
                    delay, calls = model.reply(json.loads(body))
                    await asyncio.sleep(delay)
                    data = json.dumps(completion(calls), ensure_ascii=False).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n%b" % (len(data), data)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", port, limit=2**20, backlog=1_024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1.0, help="median of a reply")
    parser.add_argument("--sigma", type=float, default=0.5, help="of its logarithm; 0: always so")
    given = parser.parse_args()
    asyncio.run(serve(given.port, Reading(given.seconds, given.sigma)))


if __name__ == "__main__":
    sys.exit(main())
