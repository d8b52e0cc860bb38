"""The systems that fanshu is compared with: one call, an agent that greps, a classic RAG."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fanshu import app
from fanshu.errors import ConfigError, ModelBadReply, ModelNotConfigured
from fanshu.evals.asking import Corpus
from fanshu.evals.grepping import Grep
from fanshu.evals.oneshot import OneShot
from fanshu.evals.questions import Question
from fanshu.evals.rag.answering import Rag
from fanshu.evals.rag.options import Options
from fanshu.evals.results import Outcome, result_line
from fanshu.evals.systems import named, options_of, require_model
from fanshu.models.scripted import ScriptedModel
from fanshu.settings import Settings

MANUAL = """# 手册

## 超时

写超时为 30 秒，读超时为 60 秒。

## 日志

日志保留 7 天。
"""
GUIDE = "<html><body><h1>Guide</h1><h2>Retries</h2><p>Three retries, never more.</p></body></html>"
QUESTION = Question("1", "写超时是多少？", kind="keyword")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "手册.md").write_text(MANUAL, encoding="utf-8")
    (folder / "guide.html").write_text(GUIDE, encoding="utf-8")
    settings = Settings(docs=(str(folder),), trace=False, max_rounds=4)
    with closing(app.open_library(settings)) as library:
        library.sync()
        yield Corpus(library, settings)


async def ask(system: Any, corpus: Corpus, *replies: Any) -> tuple[Outcome, ScriptedModel]:
    model = ScriptedModel(replies)
    system.prepare(corpus)
    return await system.ask(QUESTION, corpus, model), model


def answered(quote: str, at: str, key: str = "chunk_id", text: str = "写超时为 30 秒。") -> Any:
    given = {"response": text, "citations": [{key: at, "quote": quote}], "found": True}
    return [("answer", given)]


# ---------------------------------------------------------------- one call


async def test_one_call_has_the_best_chunks_and_is_checked(corpus: Corpus) -> None:
    done, model = await ask(OneShot(), corpus, answered("写超时为 30 秒", "1"))
    assert model.forced == ["answer"]
    assert "[1] 手册.md 手册 > 超时" in model.seen[0][1].text
    assert (done.answer.status, done.answer.rounds) == ("answered", 1)
    (cited,) = done.answer.citations
    assert (cited.file_path, cited.section_path) == ("手册.md", ("手册", "超时"))
    assert done.retrieved[0].trail == ("手册", "超时")
    assert done.first_step is not None


async def test_one_call_finds_nothing_where_no_quote_stands(corpus: Corpus) -> None:
    done, _ = await ask(OneShot(), corpus, answered("写超时为 99 秒", "1", text="99 秒。"))
    assert (done.answer.status, done.answer.answer) == ("not_found", "")


async def test_a_model_that_fails_is_a_result(corpus: Corpus) -> None:
    failing = ModelBadReply(model="m", detail="nothing")
    for system in (OneShot(), Grep()):
        done, _ = await ask(system, corpus, failing)
        line = result_line(QUESTION, done, system="x")
        assert done.answer.status == "error"
        assert "nothing" in str(line["error"])


# ---------------------------------------------------------------- an agent that greps


async def test_lines_that_grep_shows_count_as_seen(corpus: Corpus) -> None:
    outcome, _ = await ask(
        Grep(),
        corpus,
        [("grep", {"pattern": "写超时", "context": 1})],
        answered("写超时为 30 秒", "手册.md", "file"),
    )
    read = result_line(QUESTION, outcome, system="grep")["read"]
    assert [place["trail"][-1] for place in read] == ["超时"]


def test_globs_have_braces_and_long_lines_are_cut_around_the_match(
    corpus: Corpus, tmp_path: Path
) -> None:
    from fanshu.evals.grep_tools import File, Folder
    from fanshu.evals.rag.pieces import texts
    from fanshu.types import ToolCall

    (tmp_path / "docs" / "long.txt").write_text(f"{'左' * 900}针{'右' * 900}", encoding="utf-8")
    corpus.library.sync()
    folder = Folder({one.path: File(one) for one in texts(corpus.library)})

    def run(name: str, **given: Any) -> str:
        return folder.run(ToolCall("1", name, given))

    assert run("glob", pattern="*.{txt,html}") == "guide.html\nlong.txt"
    assert run("glob", pattern="{a,b}" * 40) == "no file matches"
    row = run("grep", pattern="针").splitlines()[1]
    assert "针" in row
    assert row.count("…") == 2
    assert len(row) < 400


async def test_grep_looks_reads_and_cites_a_section(corpus: Corpus) -> None:
    done, model = await ask(
        Grep(),
        corpus,
        [("glob", {"pattern": "*.md"}), ("grep", {"pattern": "写超时|write timeout"})],
        [("read_file", {"file": "手册.md", "offset": 4, "limit": 3})],
        answered("写超时为 30 秒", "手册.md", "file"),
    )
    told = [turn.text for turn in model.seen[-1] if turn.role == "tool"]
    assert "手册.md" in told[0]
    assert "  5: 写超时为 30 秒，读超时为 60 秒。" in told[1]
    assert "5\t写超时为 30 秒" in told[2]
    assert "(1 rounds left)" not in told[2]
    assert "还剩 2 轮" in told[2]
    (cited,) = done.answer.citations
    assert cited.section_path == ("手册", "超时")
    line = result_line(QUESTION, done, system="grep")
    assert line["read"][0]["trail"] == ["手册", "超时"]  # type: ignore[index]
    assert (line["loops"], line["status"]) == (3, "answered")


async def test_grep_sees_other_formats_as_text(corpus: Corpus) -> None:
    done, model = await ask(
        Grep(),
        corpus,
        [("grep", {"pattern": "retries", "glob": "*.html"})],
        answered("Three retries, never more.", "guide.html", "file", "Three."),
    )
    assert "<p>" not in model.seen[-1][-1].text
    assert done.answer.citations[0].section_path == ("Guide", "Retries")


async def test_grep_ends_with_its_rounds_and_says_what_is_wrong(corpus: Corpus) -> None:
    done, model = await ask(
        Grep(),
        corpus,
        [("grep", {"pattern": "("}), ("grep", {"path": "nowhere", "pattern": "x"})],
        [("read_file", {"file": "manual/手册.md"}), ("rm", {"file": "手册.md"})],
        "I am thinking.",
        "",
    )
    told = "\n".join(turn.text for turn in model.seen[-1])
    assert "no regular expression" in told
    assert "no file there" in told
    assert "did you mean 手册.md" in told
    assert "there is no tool 'rm'" in told
    assert model.forced == [None, None, None, "answer"]
    assert (done.answer.status, done.answer.stop_reason) == ("partial", "max_rounds")


async def test_what_grep_says_is_given_though_no_quote_stands(corpus: Corpus) -> None:
    done, _ = await ask(Grep(), corpus, answered("nowhere", "手册.md", "file"))
    assert (done.answer.status, done.answer.answer) == ("partial", "写超时为 30 秒。")
    assert (done.answer.citations, done.answer.citations_rejected) == ((), 1)


def test_long_results_are_cut_and_say_so(corpus: Corpus, tmp_path: Path) -> None:
    from fanshu.evals.grep_tools import File, Folder
    from fanshu.evals.rag.pieces import texts
    from fanshu.types import ToolCall

    (tmp_path / "docs" / "long.txt").write_text("word\n" * 500, encoding="utf-8")
    corpus.library.sync()
    folder = Folder({one.path: File(one) for one in texts(corpus.library)})

    def run(name: str, **given: Any) -> str:
        return folder.run(ToolCall("1", name, given))

    assert "500 lines in 1 files match; the first 40 are shown" in run("grep", pattern="word")
    assert run("grep", pattern="word", files_only=True) == "long.txt: 500"
    read = run("read_file", file="long.txt", offset=2).splitlines()
    assert (len(read), read[0], read[-1]) == (201, "2\tword", "… 299 more lines")
    assert "long.txt has 500 lines" in run("read_file", file="long.txt", offset=900)
    assert run("grep", pattern="保留", context=1).splitlines()[1].startswith("  8-")


# ---------------------------------------------------------------- a classic RAG


class Letters:
    """Vectors that anybody can check: how often some characters occur."""

    def passages(self, texts: Any) -> Any:
        import numpy as np

        rows = [[text.count(one) for one in "写读超时日志"] for text in texts]
        return np.array(rows, dtype=np.float32)

    def query(self, text: str) -> Any:
        return self.passages([text])[0]


def bm25(**more: Any) -> Options:
    return Options.of({"chunk_chars": 30, "overlap": 5, "weight": 0.0, "k": 2, **more})


async def test_a_rag_cites_the_section_that_a_quote_stands_in(corpus: Corpus) -> None:
    done, model = await ask(Rag(bm25(), "bm25"), corpus, answered("写超时为 30 秒", "[1]"))
    assert "[1] 手册.md 手册" in model.seen[0][1].text
    (cited,) = done.answer.citations
    assert (cited.section_path, cited.verified) == (("手册", "超时"), "quoted")
    assert "写超时" in done.retrieved[0].text


async def test_a_rag_whose_quote_stands_nowhere_cites_its_piece(corpus: Corpus) -> None:
    done, _ = await ask(Rag(bm25(), "bm25"), corpus, answered("写超时就是 30 秒", "1"))
    assert done.answer.answer == "写超时为 30 秒。"
    (cited,) = done.answer.citations
    assert "写超时为 30 秒" in cited.passage
    assert cited.verified == "located"


# ---------------------------------------------------------------- names and options


def test_systems_by_name() -> None:
    assert named(["loop,grep", "loop"]) == ("loop", "grep")
    assert named(["all"]) == ("loop", "extractive", "oneshot", "grep", "rag")
    with pytest.raises(ConfigError, match="'ragg'"):
        named(["ragg"])
    require_model(["extractive", "search", "bm25"], configured=False)
    with pytest.raises(ModelNotConfigured):
        require_model(["extractive", "grep"], configured=False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"chunks": 5}, "no 'chunks'"),
        ({"k": "5"}, "k is '5'"),
        ({"k": True}, "k is True"),
        ({"overlap": 512}, "less than chunk_chars"),
        ({"weight": 2}, "weight from 0 to 1"),
        ({"embeddings": "bge-m3"}, "embeddings_url"),
    ],
)
def test_options_that_cannot_be(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Options.of(given)


def test_options_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "rag.json"
    file.write_text(json.dumps({"k": 8, "weight": 1}), encoding="utf-8")
    assert Options.of(options_of(file)).k == 8
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(ConfigError, match="no JSON object"):
        options_of(file)
