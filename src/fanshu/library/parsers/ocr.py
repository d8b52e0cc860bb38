"""Pictures of pages → text, inside a child process of its own (extra `ocr`).

The models come with the package of the engine; a connection to anywhere is refused.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

import pypdfium2 as pdfium

from fanshu.library.parsers.scans import Box

LONG_SIDE = 1600  # pixels of the longer side
OTHER_SIDES = (1400, 1800, 1200)  # at which a doubtful line is read again
DOUBTFUL = 0.85  # score: now and then the engine garbles one long line of a clean page, at 0.6
SURE = 0.9
MARGIN = 2  # pixels around a line
MAX_SCALE = 300 / 72  # of a small page: 300 dots an inch
THREADS = 1  # two took 1.7 times the CPU a page and, on two busy cores, no less time

Engine = Callable[..., Any]


def serve(data: bytes, numbers: Sequence[int], out: TextIO) -> None:
    """Write a line of JSON when the engine is ready, then one for each of these pages."""
    sys.addaudithook(_refuse_network)
    engine = _engine()
    document = pdfium.PdfDocument(data)
    _write(out, {"ready": True})
    for number in numbers:
        try:
            boxes, failed = [_rounded(box) for box in _boxes(engine, document, number)], None
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


def _boxes(engine: Engine, document: pdfium.PdfDocument, number: int) -> Iterator[Box]:
    picture = _Picture(document[number])
    image, scale = picture.at(LONG_SIDE)
    found = engine(image, use_det=True, use_cls=True)
    if found.boxes is None or found.txts is None:
        return
    for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True):
        across = [float(x) / scale for x, _ in corners]
        down = [float(y) / scale for _, y in corners]
        box = Box(text.strip(), min(across), picture.height - max(down),
                  max(across), picture.height - min(down))  # fmt: skip
        yield box if score >= DOUBTFUL else _again(engine, picture, box, score)


def _again(engine: Engine, picture: "_Picture", box: Box, score: float) -> Box:
    """A doubtful line read from pictures of other sizes; the surest reading counts."""
    text = box.text
    for side in OTHER_SIDES:
        found = engine(picture.cut(box, side), use_det=False, use_cls=False)
        if found.txts and found.scores[0] > score:
            text, score = found.txts[0].strip(), found.scores[0]
        if score > SURE:
            break
    return box._replace(text=text)


class _Picture:
    """A page drawn at the sizes asked for, each once."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self._page = page
        self.width, self.height = page.get_size()
        self._drawn: dict[float, Any] = {}

    def at(self, side: int) -> tuple[Any, float]:
        """The picture with so many pixels on its longer side, and its pixels a point."""
        scale = min(side / max(self.width, self.height), MAX_SCALE)
        if scale not in self._drawn:
            self._drawn[scale] = self._page.render(scale=scale).to_numpy()
        return self._drawn[scale], scale

    def cut(self, box: Box, side: int) -> Any:
        """The place of a line in the picture of this size."""
        image, scale = self.at(side)
        left, right = box.left * scale - MARGIN, box.right * scale + MARGIN
        top, bottom = (self.height - box.top) * scale, (self.height - box.bottom) * scale
        rows = slice(max(0, int(top - MARGIN)), int(bottom + MARGIN))
        return image[rows, max(0, int(left)) : int(right)]


def _rounded(box: Box) -> Box:
    return Box(box.text, *(round(place, 1) for place in box[1:]))


def _write(out: TextIO, fields: dict[str, object]) -> None:
    out.write(json.dumps(fields) + "\n")
    out.flush()
