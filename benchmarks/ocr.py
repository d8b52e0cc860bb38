"""Pages recognised against their own text layer: characters right, CPU, memory.

    python benchmarks/ocr.py FILE.pdf [--pages 20,40,60] [--dpi 200]

Needs the extra `ocr`. The pages are drawn as grey pictures, so that their text layer is the
truth; real scans score lower. Prints a Markdown table.
"""

import argparse
import io
import resource
import time
import unicodedata
from difflib import SequenceMatcher
from pathlib import Path

import pypdfium2 as pdfium

from fanshu.library.parsers.ocrchild import recognise
from fanshu.library.parsers.scans import Recognised


def part(file: Path, numbers: list[int]) -> bytes:
    """A PDF of these pages alone, counted from 1."""
    out, chosen = io.BytesIO(), pdfium.PdfDocument.new()
    chosen.import_pages(pdfium.PdfDocument(file), [number - 1 for number in numbers])
    chosen.save(out)
    return out.getvalue()


def scanned(data: bytes, dpi: int) -> bytes:
    """The same pages as pictures."""
    out = io.BytesIO()
    first, *others = [
        page.render(scale=dpi / 72).to_pil().convert("L") for page in pdfium.PdfDocument(data)
    ]
    first.save(out, "PDF", save_all=True, append_images=others, resolution=dpi)
    return out.getvalue()


def letters(text: str) -> str:
    """Text without white space, in one form, a line-end hyphen as a hyphen."""
    text = text.replace("\ufffe", "-").replace("\x02", "-")
    return "".join(unicodedata.normalize("NFKC", text).split())


def right(typed: str, page: Recognised) -> float:
    """The share of the characters of the text layer that were found, in order."""
    truth, found = letters(typed), letters("".join(box.text for box in page.boxes))
    blocks = SequenceMatcher(None, truth, found, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(len(truth), 1)


def main() -> None:
    """Print one row for a file."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("file", type=Path)
    options.add_argument("--pages", default="1,2,3")
    options.add_argument("--dpi", type=int, default=200)
    given = options.parse_args()
    data = part(given.file, [int(number) for number in given.pages.split(",")])
    pictures, typed = scanned(data, given.dpi), pdfium.PdfDocument(data)
    began = time.perf_counter()
    pages = dict(recognise(pictures, range(len(typed))))
    wall = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    shares = [right(typed[n].get_textpage().get_text_range(), page) for n, page in pages.items()]
    count = len(pages)
    print("| file | pages | characters right | CPU a page | wall a page | memory |")
    print("| --- | --- | --- | --- | --- | --- |")
    print(
        f"| {given.file.name} | {count} | {min(shares):.3f} to {max(shares):.3f} "
        f"| {(used.ru_utime + used.ru_stime) / count:.1f} s | {wall / count:.1f} s "
        f"| {used.ru_maxrss >> 10} MB |"
    )


if __name__ == "__main__":
    main()
