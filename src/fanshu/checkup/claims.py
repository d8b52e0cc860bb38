"""What a chunk claims: that something has a value. The facts that the check-up compares.

Three forms. A *parameter* has a name (`read_timeout`, 最大连接数) and an aspect of it (its
default, its maximum) in a table, in `name: value` or in a sentence. A *statement* is a figure in
a sentence and the words around it. A *contact* is a phone number or address with its label.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fanshu.agent.amounts import Figure
from fanshu.checkup.contacts import contacts
from fanshu.checkup.parameters import parameters
from fanshu.checkup.qualifiers import is_example, is_past, qualifiers_in
from fanshu.checkup.tokens import Tokens, features, may_hold_figures, tokens, weight, words_of
from fanshu.library.passages import Passage, Span, passages
from fanshu.types import Chunk

Form = Literal["parameter", "statement", "contact"]
MOST_CLAIMS = 500  # of one chunk; more is a table of data
LEAST_WORDS = 8  # weight; a statement of fewer words says too little to be compared
NO_TOKENS = Tokens((), (), ())
NOTHING = Figure("", 0, 0, "number")

# 该接口, 本办法, this page: what is meant stands elsewhere, and is another thing in another place.
_POINTING = re.compile(
    r"[该此]|本(?!地|次投|身|人|周|月|年)|这|上述|前款|前条|上表|下表|如下|以下"
    r"|\b(?:this|these|that|it|its|they|such|above|below|following)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"如果|假如|倘若|若|当[^，。]{1,20}时|\b(?:if|when|unless)\b", re.IGNORECASE)
_LOG = re.compile(
    r"release|change-?log|what-?s-?new|版本说明|发布说明|更新(?:日志|记录)|变更记录|修订记录|历史版本",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"(?<=\])\([^()\s]{1,300}\)|!\[[^\]\n]{0,200}\]\([^()\s]{1,300}\)|https?://\S+"
)
_CODE = re.compile(r"`([^`\n]{0,400})`|\$\{[^}\n]{0,200}\}")
_SIMPLE = re.compile(r"[\w./-]+(?: ?[A-Za-z%]+)?|[A-Z]+ /[\w./{}-]+|\"[^\"]+\"")  # a name, a value
_OWN_DATE = re.compile(
    r"发布|公布|颁布|通过|施行|修订|修正|批准|印发|生效|©|copyright", re.IGNORECASE
)
_ANNOUNCES = ("：", ":")  # ends a sentence whose figures belong to the example that follows


@dataclass(frozen=True, slots=True)
class Claim:
    """A value and what it is the value of.

    `subject` and `aspect` are folded names, empty for statements; `tokens` and `at`, the number
    of the figure among its figures, belong to statements. `qualifiers` is what it holds for.
    `passage` is the span in the chunk's text, `value` the figure as it stands there. `specific`:
    the subject is the name of one thing only. `lead`: words of what announces the list that an
    item belongs to.
    """

    form: Form
    chunk_id: str
    file_path: str
    section_path: tuple[str, ...]
    title: str
    subject: str
    aspect: str
    value: Figure
    qualifiers: frozenset[str]
    passage: Span
    specific: bool = False
    tokens: Tokens = NO_TOKENS
    at: int = 0
    lead: frozenset[str] = frozenset()

    @property
    def keys(self) -> frozenset[str]:
        """Claims that may contradict each other share one of these."""
        if self.form == "statement":
            return features(self.tokens.words)
        return frozenset({f"{self.form} {self.subject} {self.aspect}"})


def claims_of(chunk: Chunk) -> tuple[Claim, ...]:
    """Every claim of a chunk, in order. Depends on the chunk alone, so it can be kept by its hash.

    Examples, history and what a chunk tells of changes are no claims.
    """
    if is_past(chunk.file_path) or is_log(chunk):  # whatever an archive says was so
        return ()
    found: list[Claim] = []
    for passage in passages(chunk.text):
        if len(found) >= MOST_CLAIMS:
            break
        found.extend(_of_passage(chunk, passage))
    return tuple(found[:MOST_CLAIMS])


def is_log(chunk: Chunk) -> bool:
    """Whether a chunk tells what changed in each version."""
    return bool(_LOG.search(chunk.file_path) or _LOG.search(" ".join(chunk.section_path)))


def _readable(text: str) -> str:
    """A passage without what is no text: targets of links, commands. Places stay as they are."""
    text = _TARGET.sub(lambda match: " " * len(match[0]), text)
    return _CODE.sub(_without_commands, text)


def _without_commands(code: re.Match[str]) -> str:
    return code[0] if code[1] and _SIMPLE.fullmatch(code[1]) else " " * len(code[0])


def _of_passage(chunk: Chunk, passage: Passage) -> Sequence[Claim]:
    text = chunk.text[passage.start : passage.end]
    if passage.kind == "heading":
        return ()
    text = _readable(text) if passage.kind != "code" else text
    lead = chunk.text[slice(*passage.lead)] if passage.lead else chunk.carried
    found = list(_claims(_blank(chunk, passage), text, passage, lead))
    if not found:
        return ()
    scope = qualifiers_in(" ".join((chunk.file_path, *chunk.section_path)))
    scope |= qualifiers_in(text) | ({"if"} if _IF.search(text) else frozenset())
    return [replace(one, qualifiers=one.qualifiers | scope) for one in found]


def _blank(chunk: Chunk, passage: Passage) -> Claim:
    return Claim(
        form="statement",
        chunk_id=chunk.chunk_id,
        file_path=chunk.file_path,
        section_path=chunk.section_path,
        title=chunk.title,
        subject="",
        aspect="",
        value=NOTHING,
        qualifiers=frozenset(),
        passage=(passage.start, passage.end),
    )


def _claims(blank: Claim, text: str, passage: Passage, lead: str) -> Iterator[Claim]:
    for contact in contacts(text):
        yield replace(
            blank,
            form="contact",
            subject=contact.label,
            value=contact.value,
            specific=contact.specific,
        )
    if not may_hold_figures(text) or is_example(text):
        return
    for one in parameters(text, passage.kind, lead, blank.section_path):
        yield replace(
            blank,
            form="parameter",
            subject=one.subject,
            aspect=one.aspect,
            value=one.value,
            specific=one.specific,
            qualifiers=one.qualifiers,
        )
    if passage.kind in ("sentence", "item") and not text.endswith(_ANNOUNCES):
        announced = features([*words_of(lead)]) if passage.lead else frozenset()
        yield from _statements(replace(blank, lead=announced), text)


def _statements(blank: Claim, text: str) -> Iterator[Claim]:
    if _POINTING.search(text) or is_past(text):
        return
    said = tokens(text)
    if weight(said.words) < LEAST_WORDS:
        return
    own_date = bool(_OWN_DATE.search(text)) and "《" not in text
    for at, figure in enumerate(said.figures):
        if own_date and figure.kind == "date":
            continue  # of the document itself
        if figure.kind == "version" and figure.text.lower() in blank.file_path.lower():
            continue
        yield replace(blank, value=figure, tokens=said, at=at)
