"""An answer as the Markdown of a chat message: its text with numbers, and under it its sources.

What stands under the text begins with a line that `without_footnotes` knows: when the client sends
the message back as history, the model is told the answer alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from fanshu.agent.prompts import language_of
from fanshu.approved.words import approved_by, waits_for_review
from fanshu.library.naming import visible
from fanshu.serve.chat.marks import WRITTEN, Mark, Source, marked, sources_of
from fanshu.serve.chat.plaintext import code, harmless, literal
from fanshu.serve.chat.words import WORDS, say
from fanshu.types import Answer, Citation, Language

TRAIL = " › "
RULE = "\n\n---\n\n"  # between the text and what stands under it
QUOTE_CHARS = 600  # of one passage; the whole stands in the extension, and behind the link
SEARCHES = 6  # that are named when nothing was found
LINK_QUOTE_CHARS = 120  # of a quote in an address, to find it by
TURNS_KEPT = 20_000  # characters of an earlier message that are looked at
_STATUSES = tuple(said for key, both in WORDS.items() if key[:7] == "status." for said in both)
_NUMBER = re.compile(f" ?{WRITTEN.pattern}")
_PLACE = re.compile(r"(?m)^\[\d{1,2}\] .* · `([^`\n]+#\d+)`")
_THOUGHTS = re.compile(r"(?is)\A\s*(?:<think>.*?</think>|<details type=\"reasoning\".*?</details>)")


@dataclass(frozen=True, slots=True)
class Message:
    """A chat message. `links`: for each number that leads somewhere, its title and address."""

    text: str
    links: tuple[tuple[Mark, str, str], ...] = ()


def message(answer: Answer, library: str, base: str | None, *, left_out: bool = False) -> Message:
    """What a chat client shows of an answer.

    `base`: address of the page, None when it is not known to people. `left_out`: the question
    came with pictures or files.
    """
    language = language_of(answer.question)
    sources = sources_of(answer)
    said = "" if answer.status == "passages" else harmless(answer.answer.strip())
    text, marks = marked(said, sources) if said else ("", ())
    under = list(_under(answer, sources, language, library, base))
    if left_out:
        under.append(f"*{say(language, 'left_out')}*")
    content = (text + RULE if text else "") + "\n\n".join(under)
    marks = marks or tuple(_numbers_under(content, len(sources)))
    links = ((mark, sources[mark.number - 1]) for mark in marks if base)
    return Message(
        content,
        tuple(
            (mark, _name(source, language), link(base or "", library, source[0]))
            for mark, source in links
        ),
    )


def _numbers_under(content: str, count: int) -> Iterator[Mark]:
    """The numbers of sources below a text that has none, or where there is no text at all."""
    for one in re.finditer(r"(?m)^\[(\d{1,2})\](?= )", content):
        if int(one[1]) <= count:
            yield Mark(int(one[1]), one.start(), one.end())


def link(base: str, library: str, cited: Citation) -> str:
    """Where the page shows a citation."""
    words = " ".join(cited.quote.split())[:LINK_QUOTE_CHARS]
    parts = (library, cited.chunk_id, words)
    return f"{base.rstrip('/')}/#/place/{'/'.join(quote(part, safe='') for part in parts)}"


def without_footnotes(text: str) -> tuple[str, tuple[str, ...]]:
    """An earlier message without its thoughts, numbers and sources; and the ids that it cites."""
    text = _THOUGHTS.sub("", text[-TURNS_KEPT:], count=1)
    said, places = text, tuple[str, ...]()
    for at in reversed([one.start() for one in re.finditer(r"(?m)^\*\*", text)]):
        if text.startswith(_STATUSES, at + 2):
            said, places = text[:at], tuple(_PLACE.findall(text, at))
            break
    said = said.rstrip().removesuffix("---").rstrip()
    numbers = range(1, len(places) + 1)
    said = _NUMBER.sub(lambda one: "" if int(one[1]) in numbers else one[0], said)
    return said.strip(), places


# ---------------------------------------------------------------- under the text


def _under(
    answer: Answer,
    sources: Sequence[Source],
    language: Language,
    library: str,
    base: str | None,
) -> Iterator[str]:
    yield f"**{_status(answer, language)}**"
    if remarks := list(_remarks(answer, language)):
        yield "\n".join(f"- {literal(one)}" for one in remarks)
    for number, source in enumerate(sources, 1):
        yield _source(number, source, language, library, base)
    if answer.status in ("not_found", "partial"):
        yield from _nearest(answer, language)


def _status(answer: Answer, language: Language) -> str:
    unfinished = answer.status == "partial" and not answer.citations
    said = [say(language, "status.unfinished" if unfinished else f"status.{answer.status}")]
    if answer.stop_reason not in ("answered", "not_found"):
        said.append(say(language, f"stop.{answer.stop_reason}"))
    if answer.cached:
        said.append(say(language, "cached"))
    if answer.approved:
        said.append(approved_by(answer.approved, language))
    return " · ".join(said)


def _remarks(answer: Answer, language: Language) -> Iterator[str]:
    for one in answer.derived:
        yield say(language, "derived", figure=one.figure, arithmetic=one.arithmetic)
    for item in answer.unsupported:
        yield say(language, "unsupported", item=item)
    if answer.citations_rejected:
        yield say(language, "rejected", count=answer.citations_rejected)
    if answer.under_review:
        yield waits_for_review(answer.under_review, language)
    yield from answer.warnings
    yield from answer.note.splitlines()


def _source(number: int, source: Source, language: Language, library: str, base: str | None) -> str:
    first = source[0]
    name = literal(_name(source, language))
    where = f"[{name}]({link(base, library, first)})" if base else name
    told = [f"[{number}] {where} · {code(visible(first.chunk_id))}"]
    if any(one.verified == "located" for one in source):
        told[0] += f" · {say(language, 'located')}"
    told += [f"> {row}" for row in _rows(source)]
    if first.newer_version:
        told.append(f"\n*{literal(say(language, 'newer', path=visible(first.newer_version)))}*")
    return "\n".join(told[:1]) + "\n\n" + "\n".join(told[1:])


def _rows(source: Source) -> Iterator[str]:
    """The passages, each line of them once; a hard break at the end of all but the last."""
    passages = "\n".join(one.passage or one.quote for one in source)
    if len(passages) > QUOTE_CHARS:
        passages = f"{passages[:QUOTE_CHARS].rstrip()}…"
    rows = dict.fromkeys(literal(row) for row in passages.split("\n") if row.strip())
    yield from (f"{row}  " for row in list(rows)[:-1])
    yield from list(rows)[-1:]


def _name(source: Source, language: Language) -> str:
    """File › headings, lines or page."""
    first = source[0]
    lines = [one.lines for one in source if one.lines]
    spot = ""
    if lines:
        a, b = min(one[0] for one in lines), max(one[1] for one in lines)
        spot = say(language, "line", a=a) if a == b else say(language, "lines", a=a, b=b)
    elif first.page is not None:
        spot = say(language, "page", page=first.page)
    trail = TRAIL.join((visible(first.file_path), *first.section_path))
    return ", ".join(filter(None, (trail, spot)))


def _nearest(answer: Answer, language: Language) -> Iterator[str]:
    if answer.related:
        rows = [
            f"- {literal(TRAIL.join((visible(one.file_path), *one.section_path)))}: "
            f"{literal(one.text[:QUOTE_CHARS])}"
            for one in answer.related
        ]
        yield "\n".join((say(language, "related"), "", *rows))
    words = list(dict.fromkeys(one.keyword for one in answer.searches if one.keyword))[:SEARCHES]
    if words:
        yield literal(say(language, "searched", words=" · ".join(words)))
