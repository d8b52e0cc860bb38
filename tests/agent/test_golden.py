"""What a model is shown, word for word, in both languages: golden/NAME.LANGUAGE.txt.

`UPDATE_GOLDEN=1 pytest tests/agent/test_golden.py` writes them anew; read the diff.
"""

import os
from pathlib import Path

import pytest

from fanshu.agent.run import Run
from fanshu.types import Language

from .runs import answer, make_library, play, read, search, write

GOLDEN = Path(__file__).parent / "golden"

ZH = {
    "接口手册.md": """\
# 接口手册

## 鉴权

接口的鉴权方式为签名，签名算法为 HMAC-SHA256。客户端在每个请求的头部带上签名，\
服务端收到后按同样的方法计算并比较；两者不同时返回 401，\
并在日志里记下客户端的编号、时间戳和请求路径，便于事后核对。

时间戳与服务器相差五分钟以上的请求一律拒绝，客户端应先与时间服务器对时，再重新发送请求。

## 超时

| 参数      | 默认值    |
| --------- | --------- |
| 读超时    | 30 秒     |
| 连接超时  | 5 秒      |

## 重试

失败后最多重试 3 次，每次间隔 5 秒。
""",
    "运维/导入.md": """\
# 数据导入

## 导入任务

### 超时

导入任务超过 2 小时视为超时。

## 校验任务

### 超时

校验任务超过 30 分钟视为超时。
""",
    "制度/值班制度（2022）.md": "# 值班制度（2022 年）\n\n## 第一条\n\n值班人员每班 12 小时。\n",
    "制度/值班制度（2024）.md": "# 值班制度（2024 年修订）\n\n## 第一条\n\n值班人员每班 8 小时。\n",
}
EN = {
    "gateway.md": """\
# Gateway manual

## Signing

Every request carries a signature made with HMAC-SHA256. The server computes it in the same way
and compares the two; when they differ it replies 401 and writes the number of the client, the
time stamp and the path of the request to its log, so that somebody can look into it later.

A request whose time stamp is more than five minutes off is refused. Set the clock first.

## Timeouts

| parameter        | default    |
| ---------------- | ---------- |
| read timeout     | 30 s       |
| connect timeout  | 5 s        |

## Retries

A failed request is tried again 3 times, 5 seconds apart.
""",
    "operations/import.md": """\
# Importing data

## Import jobs

### Limits

An import job that takes over 2 hours has hit its timeout.

## Check jobs

### Limits

A check job that takes over 30 minutes has hit its timeout.
""",
    "rules/on-call-2022.md": "# On-call rules (2022)\n\n## Shifts\n\nA shift lasts 12 hours.\n",
    "rules/on-call-2024.md": "# On-call rules (2024)\n\n## Shifts\n\nA shift lasts 8 hours.\n",
}
LIBRARIES: dict[Language, dict[str, str]] = {"zh": ZH, "en": EN}
LANGUAGES: tuple[Language, ...] = ("zh", "en")


def same(name: str, language: Language, text: str) -> None:
    """Compare with the golden text of this name, or write it."""
    path = GOLDEN / f"{name}.{language}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text + "\n", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text + "\n"


def observed(run: Run) -> list[str]:
    return [done.text for step in run.steps for done in step.observations]


SEARCHES = {
    "zh": ("超时", "超时 任务|重试", "量子", "超时 量子"),
    "en": ("timeout", "timeout job|retries", "quantum", "timeout quantum"),
}
READS = {
    "zh": ("接口手册.md#2", "制度/值班制度（2022）.md#2", "接口手册.md#4"),
    "en": ("gateway.md#2", "rules/on-call-2022.md#2", "gateway.md#4"),
}
RETRY = {"zh": "重试", "en": "failed"}
FOLDERS = {"zh": ("运维", "没有这个"), "en": ("operations", "nowhere")}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_searches(tmp_path: Path, language: Language) -> None:
    library = make_library(tmp_path, LIBRARIES[language])
    one, reworded, nothing, missing = SEARCHES[language]
    folder, nowhere = FOLDERS[language]
    calls = [
        search(one),
        search(reworded),
        search(one.upper() + "  "),
        search(nothing),
        search(missing),
        search(nothing, path=folder),
        search(one, path=folder),
        search(one, path=nowhere),
    ]
    run, _ = await play(library, [calls], language=language)
    for name, text in zip(
        ("first", "reworded", "repeated", "nothing", "missing", "elsewhere", "folder", "no_path"),
        observed(run),
        strict=True,
    ):
        same(f"search_{name}", language, text)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_reads(tmp_path: Path, language: Language) -> None:
    library = make_library(tmp_path, LIBRARIES[language])
    first, older, last = READS[language]
    calls = [
        read(first),
        read(older),
        ("next_chunk", {"chunk_id": first}),
        ("prev_chunk", {"chunk_id": last}),
        ("next_chunk", {"chunk_id": last}),
        read("x.md#1"),
    ]
    run, _ = await play(library, [calls], language=language)
    names = ("read", "older_version", "next_chunk", "already_read", "file_end", "unknown")
    for name, text in zip(names, observed(run), strict=True):
        same(f"read_{name}", language, text)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_outlines_and_notes(tmp_path: Path, language: Language) -> None:
    library = make_library(tmp_path, LIBRARIES[language])
    folder, _ = FOLDERS[language]
    calls = [("outline", {}), ("outline", {"path": folder}), ("summarize", {"summary": "x"})]
    run, _ = await play(library, [calls], language=language)
    for name, text in zip(("outline", "outline_folder", "noted"), observed(run), strict=True):
        same(name, language, text)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_remarks_on_bad_calls(tmp_path: Path, language: Language) -> None:
    library = make_library(tmp_path, LIBRARIES[language])
    calls = [("search", {"q": "x"}), ("grep", {"pattern": "x"}), ("read", {"chunk_id": ["a#1"]})]
    run, _ = await play(library, [calls], language=language)
    for name, text in zip(("misnamed", "unknown_tool", "not_text"), observed(run), strict=True):
        same(f"bad_{name}", language, text)


SENT_BACK = {
    "zh": answer(
        "失败后至少重试 9 次，3×2=5；超时不视为失败。",
        ("接口手册.md#4", "最多重试 3 次"),
        ("接口手册.md#4", "最多重试 4 次"),
        ("接口手册.md#2", ""),
        ("没有这个.md#1", "最多重试"),
    ),
    "en": answer(
        "A failed request is not tried again 9 times, 3×2=5; it takes no more than 2 hours.",
        ("gateway.md#4", "is tried again 3 times"),
        ("gateway.md#4", "is tried again 4 times"),
        ("gateway.md#2", ""),
        ("nowhere.md#1", "is tried"),
        ("operations/import.md#3", "takes over 2 hours"),
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_answer_sent_back(tmp_path: Path, language: Language) -> None:
    library = make_library(tmp_path, LIBRARIES[language])
    chunks = [*READS[language], "operations/import.md#3" if language == "en" else "运维/导入.md#3"]
    bad = SENT_BACK[language]
    run, _ = await play(library, [[read(one) for one in chunks], [bad]], language=language)
    same("answer_sent_back", language, run.steps[1].observations[0].text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("strength", ["strong", "weak"])
async def test_openings(tmp_path: Path, language: Language, strength: str) -> None:
    library = make_library(tmp_path, LIBRARIES[language])
    question = {
        ("zh", "strong"): "鉴权的签名算法是什么",
        ("zh", "weak"): "客人半夜打电话怎么办",
        ("en", "strong"): "Which HMAC signature does a request carry?",
        ("en", "weak"): "What happens when guests call at midnight?",
    }[language, strength]
    run, _ = await play(library, [], question, first_search=True, directory_summary=True)
    same(f"opening_{strength}", language, run.turns[1].text)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_changed_files(tmp_path: Path, language: Language) -> None:
    files = LIBRARIES[language]
    library = make_library(tmp_path, files)
    first, *_ = files
    head, *sections = files[first].split("\n## ")
    seen = [f"{first}#3", f"{first}#4"]

    def edit() -> None:
        """A new section before the others, and the last one gone."""
        write(tmp_path, {first: "\n## ".join([head, "0\n\nx\n", *sections[:-1], "9\n"])})

    run, _ = await play(
        library,
        [[search(SEARCHES[language][0]), search(RETRY[language])], [read(s) for s in seen]],
        language=language,
        meanwhile={2: edit},
    )
    same("changed_moved", language, observed(run)[2])
    same("changed_gone", language, observed(run)[3])
