"""Pictures of pages → text, inside a child process of its own (extra `ocr`).

The models come with the package of the engine; a connection to anywhere is refused.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import pypdfium2 as pdfium

from fanshu.library.parsers.scans import Box

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG_SIDE = 1600  # pixels of the longer side: on larger pictures the engine garbles long lines
MAX_SCALE = 300 / 72  # of a small page: 300 dots an inch
THREADS = min(2, os.cpu_count() or 1)  # more cost more CPU a page than they save in time

Engine = Callable[[Any], Any]


def serve(data: bytes, numbers: Sequence[int], out: TextIO) -> None:
    """Write a line of JSON when the engine is ready, then one for each of these pages."""
    sys.addaudithook(_refuse_network)
    engine = _engine()
    document = pdfium.PdfDocument(data)
    _write(out, {"ready": True})
    for number in numbers:
        try:
            boxes, failed = list(_boxes(engine, document, number)), None
        except Exception as error:  # noqa: BLE001 - one bad page must not end the others
            boxes, failed = [], f"{type(error).__name__}: {error}"[:200]
        _write(out, {"page": number, "boxes": boxes, "failed": failed})


def _refuse_network(event: str, _: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise PermissionError("OCR needs no network, and gets none.")


def _engine() -> Engine:
    import cv2
    from rapidocr import RapidOCR

    cv2.setNumThreads(THREADS)
    engine: Engine = RapidOCR(
        params={
            "Global.log_level": "error",
            "EngineConfig.onnxruntime.intra_op_num_threads": THREADS,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
    return engine


def _boxes(engine: Engine, document: pdfium.PdfDocument, number: int) -> "Iterator[Box]":
    page = document[number]
    width, height = page.get_size()
    scale = min(LONG_SIDE / max(width, height), MAX_SCALE)
    found = engine(page.render(scale=scale).to_numpy())
    if found.boxes is None or found.txts is None:
        return
    for corners, text in zip(found.boxes, found.txts, strict=True):
        across = [float(x) / scale for x, _ in corners]
        down = [float(y) / scale for _, y in corners]
        places = (min(across), height - max(down), max(across), height - min(down))
        yield Box(text.strip(), *(round(place, 1) for place in places))


def _write(out: TextIO, fields: dict[str, object]) -> None:
    out.write(json.dumps(fields) + "\n")
    out.flush()
