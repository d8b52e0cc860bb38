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
        return f"<{self._marker}>\n{self.harmless(text)}\n</{self._marker}>"

    def beside(self, text: str) -> str:
        """A remark outside of the marks, on one line: names of files in it may hold anything."""
        return self.harmless(" ".join(text.split()))

    def harmless(self, text: str) -> str:
        """A text without anything that looks like a mark."""
        return _LOOKALIKE.sub("‹", text).replace(self._marker, "doc")
