"""store copy, roots, forget: a library moves with its ids, and what is there is not overwritten."""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from fanshu.cli import program
from fanshu.cluster.address import parse
from fanshu.cluster.connection import connect
from fanshu.errors import StoreError, StoreRefused
from fanshu.library import copying
from fanshu.library.library import Library
from fanshu.library.sqlite import SqliteStore
from fanshu.library.store import Contents

TEXTS = {
    "手册.md": "# 泵\n\n连接超时（以下简称超时）为 30 秒。\n\n## 附录\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "sub/b.txt": "Data Migration (DM) moves data.\n" * 3,
    "empty.md": "",
    "x.bin": "\0\1",
    "long.md": "# 长\n\n" + "很长的一段。" * 3_000,
}


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = program.run(words)
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        file = tmp_path / "docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return tmp_path / "docs"


@pytest.fixture
def source(docs: Path, tmp_path: Path) -> str:
    library = Library([docs], tmp_path / "from" / "index.db")
    library.sync()
    library.close()
    return f"sqlite:{tmp_path}/from/index.db"


@pytest.fixture
def far(one_node: Any) -> Iterator[str]:
    host = one_node.urls[0].partition("://")[2].strip("/")
    name = f"copied-{token_hex(5)}"
    yield f"opensearch://{host}/{name}"
    with connect(parse(f"opensearch://{host}/{name}")) as client:
        client.indices.delete(index=f"{name}-*", ignore=404)


def test_from_file_to_file(
    source: str, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = f"sqlite:{tmp_path}/to/index.db"
    code, out, _ = run(capsys, "store", "copy", source, to, "--dry-run")
    assert (code, "5 documents" in out) == (0, True)
    assert not (tmp_path / "to").exists()
    code, out, _ = run(capsys, "store", "copy", source, to, "--json")
    done = json.loads(out)
    assert code == 0
    assert (done["documents"], done["copied"], done["aliases"]) == (5, 5, 1)
    code, out, _ = run(capsys, "store", "copy", source, to, "--json")
    again = json.loads(out)
    assert (again["copied"], again["checksum"]) == (0, done["checksum"])
    one, two = (Library([docs], Path(at.removeprefix("sqlite:"))) for at in (source, to))
    assert two.sync().unchanged == 5  # nothing is read again
    for words in ("超时", "DM", "很长 的"):
        assert one.search(words).hits == two.search(words).hits
    assert one.digest() == two.digest()
    one.close()
    two.close()


def test_the_folder_of_an_index_names_its_file(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = source.removesuffix("/index.db")
    (tmp_path / "to").mkdir()
    assert run(capsys, "store", "copy", folder, f"sqlite:{tmp_path}/to")[0] == 0
    assert (tmp_path / "to" / "index.db").is_file()
    code, _, err = run(capsys, "store", "copy", f"sqlite:{tmp_path}/no", folder, "--language=zh")
    assert (code, "`fanshu status` 会显示索引的文件" in err) == (2, True)


def test_what_is_there_is_not_overwritten_unless_asked(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.md").write_text("# 我的\n\n内容")
    library = Library([other], tmp_path / "to.db")
    library.sync()
    code, _, err = run(capsys, "store", "copy", source, f"sqlite:{tmp_path}/to.db")
    assert code == 2
    assert "holds documents (1)" in err
    assert "--replace" in err
    assert list(library.store.documents()) == ["mine.md"]
    assert run(capsys, "store", "copy", source, f"sqlite:{tmp_path}/to.db", "--replace")[0] == 0
    assert "mine.md" not in library.store.documents()
    library.close()


def test_a_copy_that_was_interrupted_goes_on(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = SqliteStore(Path(source.removeprefix("sqlite:")))
    two = SqliteStore(tmp_path / "to.db")
    part = copying.plan(one, two)
    copying._write(one, two, copying.Plan(part.wanted[:2], 0, (), 0), None)
    one.close()
    two.close()
    code, out, _ = run(capsys, "store", "copy", source, f"sqlite:{tmp_path}/to.db", "--json")
    assert (code, json.loads(out)["copied"]) == (0, 3)


def test_a_copy_that_is_not_the_same_is_said(source: str, tmp_path: Path) -> None:
    class Forgetful(SqliteStore):
        def contents(self, paths: Collection[str]) -> Mapping[str, Contents]:
            found = super().contents(paths)
            return {path: held._replace(aliases=[]) for path, held in found.items()}

    one = SqliteStore(Path(source.removeprefix("sqlite:")))
    two = Forgetful(tmp_path / "to.db")
    with pytest.raises(StoreRefused, match=r"what it holds of sub/b.txt is not what was copied"):
        copying.copy(one, two, copying.plan(one, two), "here")
    one.close()
    two.close()


def test_a_store_that_lacks_a_chunk_is_said(source: str, tmp_path: Path) -> None:
    class Torn(SqliteStore):
        def contents(self, paths: Collection[str]) -> Mapping[str, Contents]:
            found = super().contents(paths)
            return {path: held._replace(chunks=held.chunks[1:]) for path, held in found.items()}

    one, two = Torn(Path(source.removeprefix("sqlite:"))), SqliteStore(tmp_path / "to.db")
    with pytest.raises(StoreError, match=r"Chunks of .* are not there"):
        copying.copy(one, two, copying.plan(one, two), "here")
    assert not two.documents()
    one.close()
    two.close()


@pytest.mark.parametrize(
    ("one", "two", "why"),
    [
        ("sqlite:no.db", "sqlite:to.db", "there is no file"),
        ("no.db", "sqlite:to.db", "looks like opensearch://"),
        ("sqlite:", "sqlite:to.db", "stands before the name of a file"),
        ("sqlite://ann:pw@search/lib", "sqlite:to.db", "stands before the name of a file"),
    ],
)
def test_what_is_no_store(
    one: str, two: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, "store", "copy", one, two)
    assert (code, why in err, "pw" in err) == (2, True, False)


def test_roots_are_those_of_a_store(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("roots",), ("forget", "a")):
        code, _, err = run(capsys, "store", *words)
        assert (code, "--store" in err) == (2, True)


def test_a_command_that_a_sentence_mentions_is_no_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = run(capsys, "store", "--help")
    assert "store forget old" in " ".join(out.split())
    assert "`" not in out


@pytest.mark.cluster
def test_a_library_without_documents_is_named(
    far: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FANSHU_STORE_REPLICAS", "0")
    (tmp_path / "none").mkdir()
    run(capsys, "index", f"--store={far}", f"--docs={tmp_path}/none")
    code, _, err = run(capsys, "search", "x", f"--store={far}")
    assert (code, f"in '{far}' (no files)" in err) == (2, True)


@pytest.mark.cluster
def test_there_and_back_again(
    source: str, docs: Path, far: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("FANSHU_STORE_REPLICAS", "0")
    code, out, _ = run(capsys, "store", "copy", source, far, "--dry-run", "--json")
    assert (code, json.loads(out)["documents"]) == (0, 5)
    code, out, err = run(capsys, "store", "copy", source, far, f"--docs={docs}", "--json")
    assert (code, err) == (0, "")
    there = json.loads(out)
    back = f"sqlite:{tmp_path}/back.db"
    code, out, _ = run(capsys, "store", "copy", far, back, "--json")
    assert (code, json.loads(out)["checksum"]) == (0, there["checksum"])
    code, out, _ = run(capsys, "index", f"--store={far}", f"--docs={docs}", "--json")
    told = json.loads(out)
    assert (code, told["sync"]["parsed"], told["sync"]["unchanged"]) == (0, 0, 5)
    code, out, _ = run(capsys, "search", "超时", f"--store={far}", "--json")
    assert json.loads(out)["hits"][0]["chunk_id"] == "手册.md#1"
    code, out, _ = run(capsys, "store", "roots", f"--store={far}")
    assert (code, str(docs) in out) == (0, True)
    code, out, _ = run(capsys, "status", f"--store={far}")
    assert far in out
    assert str(docs) in out
    assert run(capsys, "store", "forget", "-", f"--store={far}")[0] == 0
    assert run(capsys, "store", "roots", f"--store={far}")[0] == 1
    assert run(capsys, "store", "forget", "-", f"--store={far}")[0] == 1
    assert run(capsys, "index", f"--store={far}", f"--docs={docs}")[0] == 0  # another may follow


@pytest.mark.cluster
def test_without_naming_roots_whoever_indexes_first_has_them(
    source: str, docs: Path, far: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("FANSHU_STORE_REPLICAS", "0")
    assert run(capsys, "store", "copy", source, far)[0] == 0
    code, out, _ = run(capsys, "search", "超时", f"--store={far}")
    assert code == 0
    code, out, _ = run(capsys, "index", f"--store={far}", f"--docs={docs}", "--json")
    assert json.loads(out)["sync"]["parsed"] == 0
    code, _, err = run(capsys, "index", f"--store={far}", f"--docs={docs / 'sub'}")
    assert (code, "--docs NAME=PATH" in err) == (2, True)


@pytest.mark.cluster
def test_roots_with_names_are_copied_and_each_is_indexed_where_it_lies(
    far: str, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("FANSHU_STORE_REPLICAS", "0")
    monkeypatch.chdir(docs)  # the folder that one is in is none of a store
    other = tmp_path / "other"
    other.mkdir()
    (other / "c.md").write_text("# 阀\n\n超时", "utf-8")
    both = f"--docs=A={docs}", f"--docs=B={other}"
    assert run(capsys, "index", f"--store=sqlite:{tmp_path}/from.db", *both)[0] == 0
    assert run(capsys, "store", "copy", f"sqlite:{tmp_path}/from.db", far)[0] == 0
    _, out, _ = run(capsys, "search", "超时", f"--store={far}", "--language=zh")
    assert "复制来的文档，尚未与文件核对过" in out
    _, out, _ = run(capsys, "ask", "超时", f"--store={far}", "--json")
    assert json.loads(out)["as_of"] is None

    (docs / "empty.md").unlink()
    code, out, err = run(capsys, "index", f"--store={far}", both[0], "--json")
    told = json.loads(out)["sync"]
    assert (code, told["parsed"], told["unchanged"], told["removed"]) == (0, 0, 4, 1), err
    _, out, _ = run(capsys, "store", "roots", f"--store={far}", "--json")
    assert [one["name"] for one in json.loads(out)] == ["", "A"]
    code, out, err = run(capsys, "index", f"--store={far}", both[1], "--json")
    told = json.loads(out)["sync"]
    assert (code, told["parsed"], told["unchanged"], told["removed"]) == (0, 0, 1, 0), err
    _, out, _ = run(capsys, "store", "roots", f"--store={far}", "--json")
    assert [one["name"] for one in json.loads(out)] == ["A", "B"]
    code, _, err = run(capsys, "index", f"--store={far}")
    assert (code, "--docs NAME=FOLDER" in err) == (0, True)

    # One without a name beside them takes nothing of theirs out, and forgetting one all of its.
    third = tmp_path / "third"
    third.mkdir()
    assert run(capsys, "index", f"--store={far}", f"--docs={third}")[0] == 0
    _, out, _ = run(capsys, "store", "forget", "A", f"--store={far}", "--json")
    assert json.loads(out)["documents"] == 4
    _, out, _ = run(capsys, "search", "超时", f"--store={far}", "--json")
    assert [hit["chunk_id"] for hit in json.loads(out)["hits"]] == ["B/c.md#1"]


@pytest.mark.cluster
def test_a_library_of_other_machines_is_measured_and_its_runs_are_listed(
    far: str, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("FANSHU_STORE_REPLICAS", "0")
    monkeypatch.chdir(tmp_path)
    run(capsys, "index", f"--store={far}", f"--docs={docs}")
    where = f"--store={far}"
    code, out, err = run(capsys, "eval", "new", where, "--count=1", "--out=drafts.jsonl", "--json")
    assert (code, err) == (0, "")
    corpus = far.rpartition("/")[2]
    asked = {"id": "a", "question": "超时是多少？", "must": ["30"], "corpus": corpus}
    Path("own.jsonl").write_text(json.dumps(asked), "utf-8")
    code, out, err = run(capsys, "eval", "run", "own.jsonl", where, "--out=result")
    assert (code, "1 questions, 0 errors" in out) == (0, True), err
    Path("other.jsonl").write_text(json.dumps({**asked, "corpus": "other"}), "utf-8")
    code, _, err = run(capsys, "eval", "run", "other.jsonl", where, "--out=none")
    assert (code, f"{corpus!r} has no such folder" in err) == (2, True)
    run(capsys, "ask", "超时是多少？", where)
    code, out, _ = run(capsys, "trace", "list", where)
    assert (code, "超时是多少？" in out) == (0, True)
    assert run(capsys, "cache", "list", where)[0] in (0, 1)
