"""What the model's context holds: how large it is, what is folded away, what is fenced off."""

import re
import secrets
from collections.abc import Iterable, Sequence

from fanshu.library.terms import CJK
from fanshu.models import ToolSpec, Turn

# Measured over tokenizers of current models: Chinese text takes 0.6-0.8 tokens a character,
# English about one for four. An estimate that is a little high only folds a little early.
TOKENS_PER_CJK = 0.75
TOKENS_PER_CHAR = 0.25
TOKENS_PER_TURN = 4  # role and separators

_CJK = re.compile(f"[{CJK}]")
_LOOKALIKE = re.compile(r"<(?=/?\s*doc\b)", re.IGNORECASE)
# Narrow, because what matches is no evidence: manuals say "ignore values above 100", "System:
# Linux 6.1" and "you must reply to the customer".
_EARLIER = r"(?:above|previous|prior|earlier|preceding)"
_RULES = r"(?:instructions?|prompts?|rules|directions|guidelines)"
_BEFORE = r"(?:以上|上述|上面|之前|前面|先前)"
_ORDERS = re.compile(
    rf"(?<!not )\b(?:ignore|disregard|forget)\b[^.\n]{{0,30}}\b{_EARLIER}\b"
    rf"[^.\n]{{0,20}}\b{_RULES}\b"
    rf"|\b(?:ignore|disregard|forget) (?:all |everything )?(?:of )?(?:the )?{_EARLIER}"
    r"(?:\s*[,.;:!]|\s+and\b|\s*$)"
    rf"|\b(?:ignore|disregard|forget) (?:all |any )?(?:of )?your {_RULES}\b"
    rf"|(?<![不勿])(?<!不[得要能可应])(?<!可)(?<!可以)(?:忽略|无视|忘记|忘掉)(?:掉|了)?(?:你|所有|一切|全部|的)*{_BEFORE}"
    r"(?:.{0,8}?(?:指令|指示|规则|提示|设定)|的?(?:所有|一切|全部)?(?:内容|文字|话)?(?:[，。,.！!]|$))"
    r"|(?<![不勿])(?<!不[得要能可应])(?<!可)(?<!可以)(?:忽略|无视|忘记|忘掉)(?:你的|所有|一切|全部)+.{0,4}(?:指令|指示|提示词)"
    r"|(?:^|[>.。!！?？])[\s#*]*(?:system|assistant)\s*[:：][^\n]{0,20}?"
    r"(?:\b(?:answer|reply|respond|say|output|ignore|you (?:are|must))\b|回答|回复|输出|忽略|你)"
    r"|\b(?:reveal|print|show|repeat|output)\b.{0,20}\bsystem prompt"
    r"|(?:输出|泄露|重复|显示).{0,8}系统提示词"
    r"|\byou must (?:now )?(?:answer|reply|say)\b(?! (?:to|the|all|every|each|any|within|by)\b)"
    r"|你(?:必须|只能)(?:回答|回复|说)[^，。\n]{0,3}[\d“\"「]",
    re.IGNORECASE | re.MULTILINE,
)


def tokens(text: str) -> int:
    """About how many tokens a text takes: 0.75 a CJK character, 0.25 any other."""
    cjk = len(_CJK.findall(text))
    return round(cjk * TOKENS_PER_CJK + (len(text) - cjk) * TOKENS_PER_CHAR)


def size(turns: Iterable[Turn], tools: Sequence[ToolSpec] = ()) -> int:
    """About how many tokens a request takes."""
    texts = [turn.text for turn in turns]
    texts += [call.raw or str(dict(call.arguments or {})) for t in turns for call in t.calls]
    texts += [f"{tool.name}{tool.description}{tool.parameters}" for tool in tools]
    return sum(tokens(text) + TOKENS_PER_TURN for text in texts)


class Fence:
    """The marks around document text: nobody who wrote a document can know them.

    One per run. Whatever looks like such a mark inside loses its `<`.
    """

    def __init__(self, marker: str | None = None) -> None:
        self._marker = marker or f"doc-{secrets.token_hex(3)}"

    def around(self, text: str) -> str:
        """The text between marks."""
        return f"<{self._marker}>\n{self._harmless(text)}\n</{self._marker}>"

    def beside(self, text: str) -> str:
        """A remark outside of the marks, on one line: names of files in it may hold anything."""
        return self._harmless(" ".join(text.split()))

    def _harmless(self, text: str) -> str:
        return _LOOKALIKE.sub("‹", text).replace(self._marker, "doc")


def reads_like_orders(text: str) -> bool:
    """Whether a text talks to the model that reads it, as injected instructions do."""
    return bool(_ORDERS.search(text))
