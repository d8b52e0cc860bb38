"""Looking into a library over HTTP."""

from pathlib import Path

from tests.serve.served import Served, until, write

ID = "manual.md#2"


def test_search_gives_what_the_command_line_gives(service: Served) -> None:
    with service.client() as http:
        found = http.get("/v1/search", params={"q": "write timeout"}).json()
    assert [hit["chunk_id"] for hit in found["hits"]] == [ID]
    assert found["level"] == "phrase"


def test_a_chunk_and_its_neighbours(service: Served) -> None:
    with service.client() as http:
        chunk = http.get("/v1/chunk", params={"id": ID}).json()
        assert chunk["text"].startswith("## Timeouts")
        assert chunk["lines"] == [3, 6]
        after = http.get("/v1/chunk", params={"id": ID, "next": 1}).json()
        assert after["chunk_id"] == "manual.md#3"
        end = http.get("/v1/chunk", params={"id": "manual.md#3", "next": 1})
        assert (end.status_code, end.json()) == (200, {"chunk_id": None, "end": True})


def test_a_chunk_that_changed_is_a_conflict(service: Served, folders: dict[str, Path]) -> None:
    with service.client() as http:
        known = http.get("/v1/chunk", params={"id": ID}).json()["hash"]
        write(folders["manuals"], {"manual.md": "# Gateway manual\n\n## Other\n\nNothing.\n"})
        told = http.get("/v1/chunk", params={"id": ID, "hash": known})
    assert told.status_code == 409
    assert told.json()["code"] == "chunk_changed"


def test_documents_and_outline(service: Served) -> None:
    with service.client() as http:
        told = http.get("/v1/documents", params={"library": "rules"}).json()
        outline = http.get("/v1/outline", params={"path": "travel.md", "library": "rules"}).json()
    (document,) = told["documents"]
    assert (document["path"], document["state"], document["chunks"]) == ("travel.md", "ok", 2)
    assert [entry["section_path"][-1] for entry in outline["entries"]] == ["Travel rules", "Hotels"]


def test_suggestions_are_words_that_occur(service: Served) -> None:
    with service.client() as http:
        told = http.get("/v1/suggest", params={"q": "gatewey"}).json()
    assert told["suggestions"][0]["words"] == "gateway"


def test_what_is_not_there_is_a_problem(service: Served) -> None:
    with service.client() as http:
        for path, code in (
            ("/v1/chunk?id=manual.md%2399", "unknown_chunk"),
            ("/v1/outline?path=nowhere.md", "unknown_path"),
            ("/v1/search?q=x&library=secret", "unknown_library"),
            ("/v1/original?path=nowhere.md", "unknown_path"),
        ):
            answer = http.get(path)
            assert answer.status_code == 404, path
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["code"] == code
        invalid = http.get("/v1/search?k=0&q=x")
        assert (invalid.status_code, invalid.json()["code"]) == (422, "invalid")


def test_new_files_are_found_within_moments(service: Served, folders: dict[str, Path]) -> None:
    write(folders["manuals"], {"new.md": "# New\n\nMarmalade.\n"})
    with service.client() as http:
        until(lambda: http.get("/v1/search", params={"q": "marmalade"}).json()["hits"])
