"""Results as lines for people. Nothing here prints."""

from collections.abc import Iterator, Sequence

from fanshu.agent.render import render_chunk, render_outline, render_search
from fanshu.cli.messages import Texts
from fanshu.cli.screen import FAINT, HEAD, QUOTE, WARNING, Line, line
from fanshu.types import (
    Answer,
    Chunk,
    Citation,
    FileStatus,
    LibraryStatus,
    Lines,
    OutlineEntry,
    SearchResult,
    SyncReport,
)

TRAIL = " › "


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
    return TRAIL.join((file_path, *section_path))


def answer(texts: Texts, result: Answer) -> Iterator[Line]:
    """The answer, its status, its numbered citations and whatever else must be said."""
    if result.answer:
        yield line(result.answer)
        yield line()
    yield _status(texts, result)
    for number, citation in enumerate(result.citations, 1):
        yield line()
        yield from _citation(texts, number, citation)
    yield from _remarks(texts, result)
    if result.status in ("not_found", "partial"):
        yield from _related(texts, result)
    if result.unverified_text:
        yield line()
        yield line(texts("answer.unverified"), WARNING)
        yield line(result.unverified_text, FAINT)
    if result.status == "passages":
        yield line()
        yield line(texts("answer.add_model"), FAINT)


def _status(texts: Texts, result: Answer) -> Line:
    said = [texts(f"status.{result.status}")]
    if result.stop_reason not in ("answered", "not_found"):
        said.append(texts(f"stop.{result.stop_reason}"))
    if result.cached:
        said.append(texts("answer.cached"))
    style = "green" if result.status == "answered" else WARNING
    return line("[" + " · ".join(said) + "]", style)


def _citation(texts: Texts, number: int, citation: Citation) -> Iterator[Line]:
    where = place(texts, citation.file_path, citation.section_path, citation.lines, citation.page)
    yield ((f"[{number}] {where}", HEAD), (f"  {citation.chunk_id}", FAINT))
    yield from _quoted(citation.passage or citation.quote, citation.quote)
    if citation.newer_version:
        yield line("    ! " + texts("answer.newer", path=citation.newer_version), WARNING)


def _quoted(passage: str, quote: str) -> Iterator[Line]:
    """The passage, indented, with the quote in it marked; both stand as in the document."""
    start = passage.find(quote) if quote else -1
    end = start + len(quote)
    offset = 0
    for row in passage.split("\n"):
        if row.strip():
            spans: list[tuple[str, str]] = [("    ", "")]
            a = min(max(start - offset, 0), len(row)) if start >= 0 else 0
            b = min(max(end - offset, a), len(row)) if start >= 0 else 0
            spans += [(row[:a], ""), (row[a:b], QUOTE), (row[b:], "")]
            yield tuple(span for span in spans if span[0])
        offset += len(row) + 1


def _remarks(texts: Texts, result: Answer) -> Iterator[Line]:
    said = [
        texts("answer.derived", figure=d.figure, arithmetic=d.arithmetic) for d in result.derived
    ]
    said += [texts("answer.unsupported", item=item) for item in result.unsupported]
    if result.citations_rejected:
        said.append(texts("answer.rejected", count=result.citations_rejected))
    said += result.warnings
    if result.note:
        said.append(result.note)
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
        yield (("  " + where, HEAD), (f"  {item.chunk_id}", FAINT))
        yield line("    " + " ".join(item.text.split()))


def stats(texts: Texts, result: Answer) -> Line:
    """What a run took."""
    said = texts(
        "answer.stats",
        reader=result.reader or "?",
        rounds=result.rounds,
        tokens=f"{result.usage.prompt + result.usage.completion:,}",
        seconds=result.seconds,
    )
    if result.usage.cost is not None:
        said += f" · ${result.usage.cost:.4f}"
    if result.trace_id:
        said += " · " + texts("answer.trace", trace_id=result.trace_id)
    return line(said, FAINT)


def search(texts: Texts, result: SearchResult) -> Iterator[Line]:
    """Hits as a model is shown them."""
    files = {hit.file_path for hit in result.hits}
    for row in render_search(result, language=texts.language).splitlines():
        yield line(row, HEAD if row.partition(" · ")[0] in files else "")


def chunk(texts: Texts, read: Chunk, around: tuple[Chunk | None, Chunk | None]) -> Iterator[Line]:
    """A chunk whole, under where it stands, and the names of its neighbours."""
    before, after = around
    rows = render_chunk(read, language=texts.language, before=before, after=after).splitlines()
    for number, row in enumerate(rows):
        yield line(row, HEAD if number == 0 else FAINT if number == len(rows) - 1 else "")


def outline(texts: Texts, entries: Sequence[OutlineEntry]) -> Iterator[Line]:
    """Headings with their numbers, each file once."""
    files = {entry.file_path for entry in entries}
    for row in render_outline(entries, language=texts.language).splitlines():
        yield line(row, HEAD if row in files else "")


def synced(texts: Texts, report: SyncReport) -> Line:
    """What a comparison of folder and index did."""
    return line(
        texts(
            "index.done",
            parsed=report.parsed,
            unchanged=report.unchanged,
            removed=report.removed,
            renamed=report.renamed,
            failed=report.failed,
            seconds=report.seconds,
        )
    )


def status(texts: Texts, library: LibraryStatus, files: Sequence[FileStatus]) -> Iterator[Line]:
    """Totals, then the files given, each with its state."""
    yield line(
        texts(
            "status.files",
            files=len(library.files),
            chunks=library.chunks,
            characters=f"{library.characters:,}",
        )
    )
    yield line(texts("status.index", index=library.index, mb=library.index_bytes / 1e6), FAINT)
    if files:
        yield line()
    for file in files:
        yield _file(texts, file)


def _file(texts: Texts, file: FileStatus) -> Line:
    state = texts(f"state.{file.state}")
    about = ", ".join(filter(None, (file.reason, file.encoding)))
    style = "" if file.state == "ok" else WARNING
    return ((f"  {state}  ", style), (file.file_path, ""), (f"  {about}" if about else "", FAINT))
