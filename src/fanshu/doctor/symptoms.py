"""What the last runs suffered from, told from their traces, and which settings cure it.

A symptom is a test of one trace. Some are facts (a time-out); some are signs (a passage that
shares no word with its question), which only say where to look.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fanshu.agent.prompts import language_of
from fanshu.doctor.findings import Finding
from fanshu.errors import ContextTooLong, ModelTimeout
from fanshu.library.terms import terms

Document = Mapping[str, Any]

LAST = 20  # runs looked at: enough for a share, few enough to be about how things are now
OFTEN = 0.2  # of these runs; what happens more rarely is worth knowing, not worth acting on
NEARLY_FULL = 0.8  # of context_tokens: the estimate folds from there on
FEW_ROUNDS = 2  # a limit this low is used up by plain questions too
SEVERAL = re.compile(
    r"[?？].*[?？]|分别|各是|各有|以及|哪些|\b(?:respectively|each|both|as well as)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Symptom:
    """A trouble that shows in a trace; `settings` are those that cure it, the best one first."""

    code: str
    shows: Callable[[Document], bool]
    settings: tuple[str, ...]


def symptoms_of(documents: Sequence[Document]) -> Iterator[Finding]:
    """What the runs show, newest first: a finding for every symptom that occurred."""
    runs = documents[:LAST]
    for symptom in SYMPTOMS:
        ill = [one for one in runs if _shows(symptom, one)]
        if ill:
            yield Finding(
                "runs",
                symptom.code,
                "attention" if len(ill) >= OFTEN * len(runs) else "note",
                {"count": len(ill), "runs": len(runs), "trace": ill[0]["trace_id"]},
                symptom.settings,
            )


def _shows(symptom: Symptom, document: Document) -> bool:
    """Whether a trace has a symptom; one that is not as it was written has none."""
    try:
        return symptom.shows(document)
    except (LookupError, TypeError, AttributeError):
        return False


# ---------------------------------------------------------------- the tests


def _by_model(document: Document) -> bool:
    return bool(document["answer"]["reader"] != "extractive")


def _many_rounds(document: Document) -> bool:
    """All rounds were used, whether or not an answer came of it."""
    answer = document["answer"]
    limit = document["settings"].get("max_rounds", 0)
    if answer["stop_reason"] == "max_rounds":
        return True
    return bool(limit > FEW_ROUNDS and answer["rounds"] >= limit + answer["bounces"])


def _irrelevant(document: Document) -> bool:
    """Half of the citations, or more, share no word with a question in their language."""
    asked = _words(document["question"])
    language = language_of(document["question"])
    every = document["answer"]["citations"]
    cited = [one for one in every if language_of(one["passage"]) == language]
    strange = [one for one in cited if not asked & _words(_place_and_text(one))]
    return bool(asked and cited and 2 * len(strange) >= len(cited))


def _words(text: str) -> set[str]:
    """The terms of a text that say something: pairs of Chinese characters, words, numbers."""
    return {term for term in terms(text) if len(term) > 1}


def _place_and_text(citation: Document) -> str:
    return "\n".join((citation["file_path"], *citation["section_path"], citation["passage"]))


def _brief(document: Document) -> bool:
    """A question of several parts is answered from a single place."""
    answer = document["answer"]
    one_place = answer["status"] == "answered" and len(answer["citations"]) == 1
    return _by_model(document) and one_place and bool(SEVERAL.search(document["question"]))


def _missed(document: Document) -> bool:
    """The answer was "not found", though a search found all its words in one place."""
    answer = document["answer"]
    hits = [one for one in answer["searches"] if one["level"] in ("phrase", "all")]
    return answer["status"] == "not_found" and bool(hits)


def _context(document: Document) -> bool:
    """A request was larger than 80 % of what may be sent, or was refused as too long."""
    full = document["answer"]["stop_reason"] == "budget" and not _limited(document)
    if full or _failed_by(document, ContextTooLong):
        return True
    limit = document["settings"].get("context_tokens", 0)
    sent = [step["usage"]["prompt"] for step in document["rounds"]]
    return bool(limit and sent and max(sent) > NEARLY_FULL * limit)


def _limited(document: Document) -> bool:
    """Whether somebody set a limit for the tokens or the cost of a question."""
    settings = document["settings"]
    return bool(settings.get("max_tokens") or settings.get("max_cost"))


def _budget(document: Document) -> bool:
    """The limit for the tokens or the cost of one question was reached."""
    return document["answer"]["stop_reason"] == "budget" and _limited(document)


def _failed_by(document: Document, error: type[ContextTooLong] | type[ModelTimeout]) -> bool:
    """Whether a run ended with an error of this kind, which a trace holds as its sentence."""
    said = re.split(r"\{[^}]*\}", error.message)
    return all(part in (document["answer"]["error"] or "") for part in said)


def _bounced(document: Document) -> bool:
    """An answer was sent back once."""
    return bool(document["answer"]["bounces"])


def _rejected(document: Document) -> bool:
    """A citation was removed, since its quote does not stand in what was read."""
    return bool(document["answer"]["citations_rejected"])


def _slow(document: Document) -> bool:
    """The time was up, for one reply or for the whole question."""
    return document["answer"]["stop_reason"] == "deadline" or _failed_by(document, ModelTimeout)


def _repeats(document: Document) -> bool:
    """The model made a call again whose result it still had in view."""
    given = [one for step in document["rounds"] for one in step["observations"]]
    return document["answer"]["stop_reason"] == "loop" or any(map(_is_repeat, given))


def _is_repeat(observation: Document) -> bool:
    data = observation["data"]
    return isinstance(data, Mapping) and data.keys() == {"round"}


def _bad_calls(document: Document) -> bool:
    """Three rounds in a row held no call that could be used."""
    return bool(document["answer"]["stop_reason"] == "bad_calls")


def _model_failed(document: Document) -> bool:
    """The model's service failed in another way than by its time or the size of a request."""
    failed = document["answer"]["stop_reason"] == "model_error"
    return failed and not _slow(document) and not _context(document)


def _outdated(document: Document) -> bool:
    """An older version of a document was cited."""
    return any(one.get("newer_version") for one in document["answer"]["citations"])


SYMPTOMS: tuple[Symptom, ...] = (
    Symptom("many_rounds", _many_rounds, ("synonyms", "hits", "max_rounds", "model")),
    Symptom("irrelevant", _irrelevant, ("exclude", "synonyms", "model")),
    Symptom("brief", _brief, ("summarize", "max_rounds", "hits", "model")),
    Symptom("missed", _missed, ("synonyms", "hits", "max_rounds", "exclude")),
    Symptom("context", _context, ("context_tokens", "hits", "part_chars")),
    Symptom("budget", _budget, ("max_tokens", "max_cost", "hits")),
    Symptom("bounced", _bounced, ("model", "part_chars")),
    Symptom("rejected", _rejected, ("model", "tool_mode", "part_chars")),
    Symptom("slow", _slow, ("timeout", "deadline", "max_rounds", "model")),
    Symptom("repeats", _repeats, ("model", "synonyms", "context_tokens")),
    Symptom("bad_calls", _bad_calls, ("tool_mode", "model")),
    Symptom("model_failed", _model_failed, ("base_url", "api_key", "model")),
    Symptom("outdated", _outdated, ("exclude",)),
)
