"""A page of a PDF as a picture, drawn in the child process that reads files."""

import json
import struct
import subprocess
import sys
import zlib
from dataclasses import dataclass

from fanshu.library.parsers.child import environment

SECONDS = 20.0  # to draw one page
WIDTH = 1_400  # pixels: sharp on a large screen, 100-400 kB of text
MAX_HEIGHT = 6_000  # pixels; a receipt of a till is long
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page as PNG, or why there is none."""

    png: bytes = b""
    failed: str = ""


def draw_apart(data: bytes, page: int, seconds: float = SECONDS) -> Drawn:
    """A page, from 1, of a PDF's bytes, drawn by a child process."""
    command = [sys.executable, "-P", "-m", "fanshu.library.parsers.worker", "page", str(page)]
    try:
        done = subprocess.run(
            command,
            input=data,
            capture_output=True,
            timeout=seconds,
            env=environment(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Drawn(failed=f"not drawn within {seconds:.0f} seconds")
    if done.stdout.startswith(_PNG):
        return Drawn(done.stdout)
    try:
        return Drawn(failed=str(json.loads(done.stdout)["failed"]))
    except (ValueError, KeyError, TypeError):
        return Drawn(failed=f"the process ended with {done.returncode}")


def draw(data: bytes, page: int) -> bytes:
    """A page as PNG; what went wrong, as JSON. Runs in the child."""
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(data)
        if not 1 <= page <= len(document):
            return _failed(f"there are {len(document)} pages")
        leaf = document[page - 1]
        width, height = leaf.get_size()
        scale = min(WIDTH / max(width, 1), MAX_HEIGHT / max(height, 1))
        bitmap = leaf.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
        return _png(bitmap.width, bitmap.height, bitmap.stride, bitmap.n_channels, bitmap.buffer)
    except (pdfium.PdfiumError, ValueError, MemoryError) as error:
        return _failed(f"{type(error).__name__}: {error}"[:200])


def _failed(why: str) -> bytes:
    return json.dumps({"failed": why}).encode("ascii")


def _png(width: int, height: int, stride: int, channels: int, pixels: object) -> bytes:
    """Pixels (grey, RGB or RGBA, a byte each) as PNG."""
    colour = {1: 0, 3: 2, 4: 6}[channels]
    flat = bytes(pixels)  # type: ignore[call-overload]  # a buffer of the machine's own
    used = width * channels
    rows = (b"\0" + flat[at : at + used] for at in range(0, height * stride, stride))
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    body = zlib.compress(b"".join(rows), 6)
    return _PNG + _chunk(b"IHDR", head) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
