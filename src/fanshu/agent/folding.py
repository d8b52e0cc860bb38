"""Keeping a conversation within the model's window: old results shrink to a line."""

from collections.abc import Iterable

from fanshu.agent.context import size, tokens
from fanshu.agent.seen import Given
from fanshu.agent.tools import Tools
from fanshu.models import Turn
from fanshu.types import Opening

FOLD_OVER = 60  # tokens; shorter results are about as long as the line in their place
FOLD_TO = 0.7  # of the room: every folding costs the provider's cache of all that follows it
FOLDING = ("search", "read", "next_chunk", "prev_chunk", "outline")  # notes always stay


def fit(turns: list[Turn], tools: Tools, *, room: int, sent: int) -> bool:
    """Fold results away, oldest first, until a request takes `room` tokens; whether it does.

    The first `sent` turns, which the model has had, go first. A result that it has not had
    goes only when it must, and then does not count as read.
    """
    if size(turns, tools.specs) <= room:
        return True
    _fold(turns, tools, range(sent), int(room * FOLD_TO), sent=True)
    _fold(turns, tools, range(sent, len(turns)), room, sent=False)
    return size(turns, tools.specs) <= room


def _fold(turns: list[Turn], tools: Tools, among: Iterable[int], room: int, *, sent: bool) -> None:
    for at in among:
        if size(turns, tools.specs) <= room:
            return
        turn = turns[at]
        folds = turn.tool in (*FOLDING, *tools.own) or isinstance(turn.data, Opening)
        if folds and tokens(turn.text) > FOLD_OVER:
            round_ = sum(earlier.role == "assistant" for earlier in turns[:at])
            turns[at] = tools.folded(turn, Given(round_, turn.call_id), sent=sent)
