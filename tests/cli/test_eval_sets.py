"""eval new, check, tune, ablate and several systems at once, from the command line."""

import json
from pathlib import Path

from tests.cli.conftest import Fanshu

PLACE = {"file": "手册.md", "trail": ["渡口网关手册", "超时与重试"], "quote": "写超时为 30 秒"}
ROW = {"id": "1", "question": "写超时是多少？", "kind": "keyword", "must": ["30"], "gold": [PLACE]}


def test_new_and_check_from_the_command_line(fanshu: Fanshu, docs: Path) -> None:
    made = fanshu("eval", "new", "--count", "3", "--out", "q.csv")
    assert made.code == 0, made.err
    assert fanshu("eval", "check", "q.csv").code == 0
    again = fanshu("eval", "new", "--out", "q.csv")
    assert (again.code, "already" in again.err) == (2, True)
    Path("bad.jsonl").write_text(json.dumps(ROW | {"gold": [PLACE | {"file": "x"}]}), "utf-8")
    bad = fanshu("eval", "check", "bad.jsonl")
    assert (bad.code, "bad.jsonl, line 1 (1): there is no file 'x'" in bad.out) == (1, True)
    assert fanshu("eval", "check", "bad.jsonl", "--json").json["problems"][0]["line"] == 1


def test_every_wrong_row_is_on_stderr(fanshu: Fanshu, docs: Path) -> None:
    Path("q.jsonl").write_text("{}\n[]\n{}\n{}\n{}\n", "utf-8")
    result = fanshu("eval", "run", "q.jsonl", "--system", "extractive")
    assert result.code == 2
    assert all(f"q.jsonl, line {n}:" in result.err for n in range(1, 6))


def test_tuning_writes_what_run_reads(fanshu: Fanshu, docs: Path) -> None:
    Path("q.jsonl").write_text(json.dumps(ROW), encoding="utf-8")
    tuned = fanshu("eval", "tune", "q.jsonl", "--lexical", "--out", "rag.json")
    assert tuned.code == 0, tuned.err
    assert "| chunk_chars | overlap | k | weight | recall |" in tuned.out
    ranked = fanshu("eval", "run", "q.jsonl", "--system", "bm25", "--rag", "rag.json")
    assert ranked.code == 0, ranked.err
    told = json.loads(Path("results.manifest.json").read_text("utf-8"))
    assert told["options"] == json.loads(Path("rag.json").read_text("utf-8"))


def test_ablate_prints_one_table(fanshu: Fanshu, docs: Path) -> None:
    Path("q.jsonl").write_text(json.dumps(ROW), encoding="utf-8")
    result = fanshu("eval", "ablate", "q.jsonl", "--vary", "hits", "--out", "abl")
    assert result.code == 0, result.err
    assert [line.split(" | ")[0] for line in result.out.splitlines()[2:]] == [
        "| base", "| hits=3", "| hits=5", "| hits=8",
    ]  # fmt: skip
    assert json.loads(Path("abl/ablation.json").read_text("utf-8"))[1]["value"] == 3


def test_several_systems_and_passes_go_to_a_folder(fanshu: Fanshu, docs: Path) -> None:
    Path("q.jsonl").write_text(json.dumps(ROW), encoding="utf-8")
    systems = "--system", "extractive", "--system", "search,bm25"
    result = fanshu("eval", "run", "q.jsonl", *systems, "--repeat", "2", "--out", "all", "--json")
    assert result.code == 0, result.err
    assert [one["out"] for one in result.json] == [
        f"all/{name}{nr}.jsonl" for name in ("extractive", "search", "bm25") for nr in ("", ".2")
    ]
    second = json.loads(Path("all/bm25.2.jsonl").read_text("utf-8"))
    assert (second["repeat"], second["system"]) == (2, "bm25")
    file = fanshu("eval", "run", "q.jsonl", *systems, "--out", "all.jsonl")
    assert (file.code, "need a folder" in file.err) == (2, True)
    no_model = fanshu("eval", "run", "q.jsonl", "--system", "all", "--out", "x")
    assert (no_model.code, "No model is configured" in no_model.err) == (2, True)
