"""Scans made on the spot, and a stand-in for the engine that reads them."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pypdfium2 as pdfium

from fanshu.library.parsers.scans import Box, Recognised


def scan(data: bytes, dots_per_inch: int = 150) -> bytes:
    """A PDF whose pages are pictures of the pages of another."""
    document = pdfium.PdfDocument(data)
    pictures = [page.render(scale=dots_per_inch / 72).to_pil().convert("L") for page in document]
    out = io.BytesIO()
    pictures[0].save(
        out, "PDF", save_all=True, append_images=pictures[1:], resolution=dots_per_inch
    )
    return out.getvalue()


def page(*lines: str) -> Recognised:
    """A page with these lines one under the other, as an engine would find them."""
    return Recognised(
        tuple(
            Box(line, 70.0, 780.0 - 40.0 * n, 70.0 + 10.0 * len(line), 796.0 - 40.0 * n)
            for n, line in enumerate(lines)
        )
    )


@dataclass
class Engine:
    """Gives these pages for any file; `asked` are the pages it was asked for, in order."""

    pages: Mapping[int, Recognised]
    stops_before: int | None = None
    asked: list[int] = field(default_factory=list)

    def __call__(self, data: bytes, numbers: Sequence[int]) -> Iterator[tuple[int, Recognised]]:
        for number in numbers:
            if number == self.stops_before:
                raise KeyboardInterrupt
            self.asked.append(number)
            yield number, self.pages[number]
