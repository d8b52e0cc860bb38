"""U38: a first reading that takes long blocks nothing; calls say how far it is."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from filelock import FileLock
from mcp.client.client import Client

from fanshu.library.library import Library
from tests.protocol.stage import FILES, Heard, connected, folders, text_of
from tests.serve.served import write
from tests.waiting import PATIENCE


def _locked(index: Path) -> FileLock:
    index.mkdir(exist_ok=True)
    lock = FileLock(index / "index.db.lock")
    lock.acquire()
    return lock


@asynccontextmanager
async def held_up(at: Mapping[str, Path], index: Path) -> AsyncIterator[Client]:
    """A client whose server cannot begin to write the index, as if a reading took long."""
    lock = _locked(index)
    async with connected(at, patience=0.3, index=str(index)) as client:
        yield client
        lock.release()  # else the end waits for it


async def test_u38_calls_are_answered_during_a_first_reading(tmp_path: Path) -> None:
    at, index = folders(tmp_path, {"manuals": FILES["manuals"]}), tmp_path / "index"
    heard = Heard()
    async with held_up(at, index) as client:
        assert len((await client.list_tools()).tools) == 8
        asked = {"keyword": "write timeout"}
        early = await client.call_tool("search", asked, progress_callback=heard)
        assert not early.is_error
        assert "being read for the first time" in text_of(early)
        (found,) = early.structured_content["libraries"]
        assert found["hits"] == []
        assert "being read" in found["reading"]
        assert heard.notes
        assert "being read" in heard.notes[0]
        question = {"question": "What is the write timeout?"}
        answer = await client.call_tool("ask", question)
        assert "being read for the first time" in text_of(answer)
        read = await client.call_tool("read", {"chunk_id": "manual.md#2"})
        assert read.is_error
        assert "being read for the first time" in text_of(read)
        assert (await client.list_resources()).resources == []


@pytest.mark.slow
async def test_u38_what_was_read_before_is_found_meanwhile(tmp_path: Path) -> None:
    at, index = folders(tmp_path, {"manuals": FILES["manuals"]}), tmp_path / "index"
    write(at["manuals"], {"old.md": "# Old\n\nThe write timeout was 8 seconds.\n"})
    index.mkdir()
    library = Library([at["manuals"]], index / "index.db", search_seconds=PATIENCE)
    library.sync()
    library.close()
    write(at["manuals"], {"new.md": "# New\n\nThe write timeout of the pump is 9 seconds.\n"})
    write(at["manuals"], {"old.md": "# Old\n\nThe write timeout was 7 seconds.\n"})
    async with held_up(at, index) as client:
        early = await client.call_tool("search", {"keyword": "write timeout"})
    assert "30 seconds" in text_of(early)
    assert "being read" in text_of(early)
    assert "8 seconds" not in text_of(early), "that file has changed since"
    async with connected(at, index=str(index)) as client:
        late = await client.call_tool("search", {"keyword": "write timeout"})
    assert "9 seconds" in text_of(late)
    assert "being read" not in text_of(late)
