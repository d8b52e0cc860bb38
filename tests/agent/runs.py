"""Runs of the loop over small libraries made on the spot, with a scripted model."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fanshu.agent.loop import LoopAgent
from fanshu.agent.run import Run
from fanshu.library.library import Library, Root
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.models.scripted import ScriptedModel
from tests.waiting import PATIENCE

GATEWAY = {
    "接口手册.md": """\
# 接口手册

## 鉴权

接口的鉴权方式为签名，签名算法为 HMAC-SHA256。客户端在每个请求的头部带上签名，服务端收到后\
按同样的方法计算并比较；两者不同时返回 401，并在日志里记下客户端的编号、时间戳和请求路径，\
便于事后核对。时间戳与服务器相差五分钟以上的请求一律拒绝，\
客户端应先与时间服务器对时，再重新发送请求。

## 超时

读超时时间为 30 秒。

## 重试

失败后最多重试 3 次，每次间隔 5 秒。
""",
    "部署/安装.md": """\
# 安装手册

## 步骤

部署共有四步：检查环境，安装软件，导入数据，启动服务。

## 权限

第二步需要管理员权限。
""",
}

Script = list[object]


def make_library(folder: Path, files: Mapping[str, str]) -> Library:
    """A synced library over files written below a folder."""
    write(folder, files)
    library = Library([Root(folder / "docs")], folder / "index.db", search_seconds=PATIENCE)
    library.sync()
    return library


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class Meanwhile(ScriptedModel):
    """A scripted model; while it thinks in a given round, something else happens."""

    def __init__(self, script: Script, happens: Mapping[int, Callable[[], None]]) -> None:
        super().__init__(script)
        self._happens = happens

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        self._happens.get(len(self.seen) + 1, lambda: None)()
        return await super().next(turns, tools, force=force)


async def play(
    library: Library,
    script: Script,
    question: str = "超时是多少",
    *,
    meanwhile: Mapping[int, Callable[[], None]] | None = None,
    **options: object,
) -> tuple[Run, ScriptedModel]:
    """One run without a search ahead (unless asked for), and the model that was asked."""
    model = Meanwhile(script, meanwhile or {})
    settings = {"first_search": False, "directory_summary": False, "marker": "doc-x"} | options
    run = await LoopAgent(library, model, **settings).ask(question)
    return run, model


def search(keyword: str, **more: str) -> tuple[str, dict[str, object]]:
    return "search", {"keyword": keyword, **more}


def read(chunk_id: str) -> tuple[str, dict[str, object]]:
    return "read", {"chunk_id": chunk_id}


def answer(
    response: str, *cited: tuple[str, str], found: bool = True
) -> tuple[str, dict[str, object]]:
    return "answer", {
        "response": response,
        "citations": [{"chunk_id": chunk_id, "quote": quote} for chunk_id, quote in cited],
        "found": found,
        "question_summary": response,
    }


TIMEOUT = "接口手册.md#3"
RIGHT = answer("读超时为 30 秒。", (TIMEOUT, "读超时时间为 30 秒"))
NOT_FOUND = answer("没有写。", found=False)
