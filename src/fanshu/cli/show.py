"""Results as lines for people. Nothing here prints."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_args

from fanshu.agent.render import render_chunk, render_search
from fanshu.approved.words import approved_by, waits_for_review
from fanshu.cli.messages import Texts
from fanshu.cli.screen import FAINT, HEAD, QUOTE, WARNING, Line, line
from fanshu.library.naming import visible
from fanshu.types import (
    Answer,
    Chunk,
    Citation,
    FileState,
    FileStatus,
    LibraryStatus,
    Lines,
    Outline,
    RootStatus,
    ScanReport,
    SearchResult,
    Suggestion,
    SyncReport,
)

TRAIL = " › "
OUTLINE_LINES = 400  # more than that is searched, or written to a file with --json
STATES = get_args(FileState)  # in the order in which they are counted


def place(
    texts: Texts, file_path: str, section_path: Sequence[str], lines: Lines | None, page: int | None
) -> str:
    """Where something stands: file › headings, lines or page."""
    spot = ""
    if lines is not None:
        a, b = lines
        spot = texts("place.line", a=a) if a == b else texts("place.lines", a=a, b=b)
    elif page is not None:
        spot = texts("place.page", page=page)
    return ", ".join(filter(None, (trail(file_path, section_path), spot)))


def trail(file_path: str, section_path: Sequence[str]) -> str:
    """File › heading › heading"""
    return TRAIL.join((visible(file_path), *section_path))


def answer(texts: Texts, result: Answer) -> Iterator[Line]:
    """The answer, its status, its numbered citations and whatever else must be said."""
    passages = result.status == "passages"
    if result.answer and not passages:
        yield line(result.answer)
        yield line()
    yield _status(texts, result)
    for number, cited in enumerate(_blocks(result.citations, together=passages), 1):
        yield line()
        yield from _citation(texts, number, cited)
    yield from _remarks(texts, result)
    if result.status in ("not_found", "partial", "error"):
        yield from _related(texts, result)
    if result.unverified_text:
        yield line()
        yield line(texts("answer.unverified"), WARNING)
        yield line(result.unverified_text, FAINT)
    if passages:
        yield line()
        yield line(texts("answer.add_model"), FAINT)


def _status(texts: Texts, result: Answer) -> Line:
    said = [label(texts, result.status, told=bool(result.citations))]
    if result.stop_reason not in ("answered", "not_found"):
        said.append(texts(f"stop.{result.stop_reason}"))
    if result.cached:
        said.append(texts("answer.cached"))
    if result.as_of:
        said.append(texts("answer.as_of", time=result.as_of))
    if result.approved:
        said.append(approved_by(result.approved, texts.language))
    style = "green" if result.status == "answered" else WARNING
    return line("[" + " · ".join(said) + "]", style)


def label(texts: Texts, status: str, *, told: bool) -> str:
    """The status in words; `told`: whether there is a text of an answer that it is about."""
    unfinished = status == "partial" and not told
    return texts.known("status.unfinished" if unfinished else f"status.{status}", status)


def _blocks(citations: Sequence[Citation], *, together: bool) -> Iterator[tuple[Citation, ...]]:
    """What stands under one number: each citation, or neighbours of one chunk `together`."""
    block: tuple[Citation, ...] = ()
    for citation in citations:
        if block and not (together and block[-1].chunk_id == citation.chunk_id):
            yield block
            block = ()
        block += (citation,)
    if block:
        yield block


def _citation(texts: Texts, number: int, cited: Sequence[Citation]) -> Iterator[Line]:
    first = cited[0]
    lines = [one.lines for one in cited if one.lines]
    span = (min(a for a, _ in lines), max(b for _, b in lines)) if lines else None
    where = place(texts, first.file_path, first.section_path, span, first.page)
    yield ((f"[{number}] {where}", HEAD), (f"  {visible(first.chunk_id)}", FAINT))
    shown: set[str] = set()
    for one in cited:
        for row in _quoted(one.passage or one.quote, one.quote):
            text = "".join(span for span, _ in row)
            if text not in shown:
                yield row
            shown.add(text)
    pictures = dict.fromkeys(
        image for one in cited for image in one.images if "#page=" not in image
    )
    if pictures:
        yield line("    " + texts("answer.pictures", names=" · ".join(pictures)), FAINT)
    if first.newer_version:
        yield line("    ! " + texts("answer.newer", path=visible(first.newer_version)), WARNING)


def _quoted(passage: str, quote: str) -> Iterator[Line]:
    """The passage, indented, with the quote in it marked; both stand as in the document."""
    start = passage.find(quote) if quote.strip() != passage.strip() else -1
    offset = 0
    for row in passage.split("\n"):
        if row.strip():
            a, b = (_within(at - offset, row) for at in (start, start + len(quote)))
            spans = (row[:a], ""), (row[a:b], QUOTE), (row[b:], "")
            whole = ((row, ""),) if start < 0 else tuple(span for span in spans if span[0])
            yield (("    ", ""), *whole)
        offset += len(row) + 1


def _within(at: int, row: str) -> int:
    return min(max(at, 0), len(row))


def _remarks(texts: Texts, result: Answer) -> Iterator[Line]:
    said = [
        texts("answer.derived", figure=d.figure, arithmetic=d.arithmetic) for d in result.derived
    ]
    said += [texts("answer.unsupported", item=item) for item in result.unsupported]
    if result.citations_rejected:
        said.append(texts("answer.rejected", count=result.citations_rejected))
    said += map(texts.detail, result.warnings)
    if result.under_review:
        said.append(waits_for_review(result.under_review, texts.language))
    said += result.note.splitlines()
    if result.stop_reason == "bad_calls":
        said.append(texts("answer.no_calls"))
    if said:
        yield line()
    for item in said:
        yield line("! " + " ".join(item.split()), WARNING)


def _related(texts: Texts, result: Answer) -> Iterator[Line]:
    words = dict.fromkeys(search.keyword for search in result.searches if search.keyword)
    if words:
        yield line()
        yield line(texts("answer.searched", words=" · ".join(words)), FAINT)
    if result.related:
        yield line()
        yield line(texts("answer.related"))
    for item in result.related:
        where = trail(item.file_path, item.section_path)
        yield (("  " + where, HEAD), (f"  {visible(item.chunk_id)}", FAINT))
        yield line("    " + " ".join(item.text.split()))


def stats(texts: Texts, result: Answer) -> Line:
    """What a run took."""
    reader = texts("stats.no_model") if result.reader == "extractive" else result.reader
    said = [reader, texts("stats.rounds", rounds=result.rounds)]
    tokens = result.usage.prompt + result.usage.completion
    if tokens:
        said.append(texts("stats.tokens", tokens=f"{tokens:,}"))
    if result.usage.cost is not None:
        said.append(f"${result.usage.cost:.4f}")
    said.append(texts("stats.seconds", seconds=result.seconds))
    if result.trace_id:
        said.append(texts("stats.trace", trace_id=result.trace_id))
    return line(" · ".join(filter(None, said)), FAINT)


def search(texts: Texts, result: SearchResult) -> Iterator[Line]:
    """Hits as a model is shown them."""
    files = {visible(hit.file_path) for hit in result.hits}
    for told in render_search(result, language=texts.language).splitlines():
        row = texts.detail(told) if told in result.warnings else told
        yield line(row, HEAD if row.partition(" · ")[0] in files else "")


def suggestions(texts: Texts, found: Sequence[Suggestion]) -> Iterator[Line]:
    """Searches to try, a line each, with what they are made of."""
    for one in found:
        made_of = texts(f"suggest.{one.kind}", source=visible(one.source))
        about = f"{texts('suggest.places', places=one.places)} · {made_of}"
        yield ((one.words, HEAD), (f"  {about}", FAINT))


def chunk(texts: Texts, read: Chunk, around: tuple[Chunk | None, Chunk | None]) -> Iterator[Line]:
    """A chunk whole, under where it stands, and the names of its neighbours."""
    before, after = around
    rows = render_chunk(read, language=texts.language, before=before, after=after).splitlines()
    for number, row in enumerate(rows):
        yield line(row, HEAD if number == 0 else FAINT if number == len(rows) - 1 else "")


def outline(texts: Texts, told: Outline) -> Iterator[Line]:
    """Headings with their numbers, each file once."""
    files = {visible(file.file_path) for file in told.files}
    from fanshu.agent.budget import lines_of  # only an outline needs these: start-up is felt
    from fanshu.agent.outlines import render_outline

    budget = lines_of(OUTLINE_LINES)
    for row in render_outline(told, language=texts.language, budget=budget).splitlines():
        yield line(row, HEAD if row.partition(" · ")[0] in files else "")


def synced(texts: Texts, report: SyncReport) -> Line:
    """What a comparison of folder and index did."""
    return line(
        texts(
            "index.done",
            parsed=report.parsed,
            unchanged=report.unchanged,
            removed=report.removed,
            renamed=report.renamed,
            seconds=report.seconds,
        )
    )


def scanned(texts: Texts, report: ScanReport) -> Iterator[Line]:
    """What OCR did, if anything."""
    if report.pages or report.failed:
        yield line(
            texts(
                "ocr.done",
                pages=report.pages,
                files=report.files,
                failed=report.failed,
                seconds=report.seconds,
            )
        )


def totals(texts: Texts, library: LibraryStatus) -> Line:
    """How many files there are, and in which states."""
    states = Counter(file.state for file in library.files)
    told = [f"{states[state]} {texts(f'state.{state}')}" for state in STATES if states[state]]
    return line(" · ".join([texts("status.files", files=len(library.files)), *told]))


def status(texts: Texts, library: LibraryStatus, files: Sequence[FileStatus]) -> Iterator[Line]:
    """Totals, then the files given, each with its state."""
    yield totals(texts, library)
    yield line(
        texts(
            "status.text",
            chunks=library.chunks,
            characters=f"{library.characters:,}",
        )
    )
    yield line(texts("status.index", index=library.index, mb=library.index_bytes / 1e6), FAINT)
    yield from roots(texts, library.shared)
    if files:
        yield line()
    for file in files:
        yield _file(texts, file)


def roots(texts: Texts, known: Sequence[RootStatus]) -> Iterator[Line]:
    """The roots of a library that several machines fill, and who indexes them."""
    for one in known:
        compared = one.compared or texts("store.never")
        about = texts(
            "store.root",
            name=one.name or "-",
            path=visible(one.path) or "-",
            host=one.host or "-",
            compared=compared,
        )
        holder = f"; {texts('store.holder', holder=one.holder)}" if one.holder else ""
        yield line(f"  {about}{holder}", FAINT)


def _file(texts: Texts, file: FileStatus) -> Line:
    state = texts(f"state.{file.state}")
    reason = texts.detail(file.reason) if file.reason else ""
    newer = texts("answer.newer", path=visible(file.newer_version)) if file.newer_version else ""
    about = ", ".join(filter(None, (reason, file.encoding, newer)))
    style = "" if file.state == "ok" else WARNING
    return (
        (f"  {state}  ", style),
        (visible(file.file_path), ""),
        (f"  {about}" if about else "", FAINT),
    )
