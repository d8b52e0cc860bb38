"""Pages of PDFs as pictures: few child processes at once, and the last pages remembered."""

import asyncio
from collections import OrderedDict
from pathlib import Path

from fanshu.errors import UnknownPath
from fanshu.library.originals import Original
from fanshu.library.parsers.pagepicture import draw_apart

AT_ONCE = 2  # child processes; each takes a core and up to a few hundred megabytes
REMEMBERED = 40  # pages of some 200 kB

_Key = tuple[str, int]


class Drawing:
    """Draws pages; asynchronous, for one event loop."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(AT_ONCE)
        self._kept: OrderedDict[_Key, bytes] = OrderedDict()

    async def page(self, file: Original, number: int) -> bytes:
        """A page, from 1, as PNG. Raises: UnknownPath — there is none to draw."""
        key = file.hash, number
        async with self._free:
            if key not in self._kept:
                self._kept[key] = await asyncio.to_thread(_drawn, file, number)
                if len(self._kept) > REMEMBERED:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]


def _drawn(file: Original, number: int) -> bytes:
    data = _read(file.real)
    drawn = draw_apart(data, number) if data.startswith(b"%PDF-") else None
    if drawn is None or not drawn.png:
        why = drawn.failed if drawn else "it is no PDF"
        raise UnknownPath(path=f"{file.file_path}#page={number}", closest=why)
    return drawn.png


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
