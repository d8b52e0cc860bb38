"""A small folder of documents, and the command line run in this process."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fanshu.cli.program import run

MANUAL = """\
# 渡口网关手册

## 超时与重试

写超时为 30 秒，读超时为 60 秒。
超时后重试 3 次。

## 故障排查

出现 E-5041 时，先检查下游服务。
"""
NOTES = "# Notes\n\n## Deployment\n\nThe gateway runs on port 8443.\n"


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Fanshu = Callable[..., Result]


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with two documents in `docs`."""
    folder = tmp_path / "work" / "docs"
    folder.mkdir(parents=True)
    (folder / "手册.md").write_text(MANUAL, encoding="utf-8")
    (folder / "notes.md").write_text(NOTES, encoding="utf-8")
    monkeypatch.chdir(folder.parent)
    return folder


@pytest.fixture
def fanshu(
    docs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Fanshu:
    """`fanshu("search", "超时")`, in English unless said otherwise, over `docs`."""
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("FANSHU_DOCS", str(docs))

    def call(*arguments: str) -> Result:
        code = run(arguments)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call
