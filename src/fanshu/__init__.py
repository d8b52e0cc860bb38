"""Ask a folder of documents; get short answers whose quotes are checked.

Nothing is imported until it is used: `import fanshu` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanshu.agent.loop import LoopAgent
    from fanshu.agent.others import Cited, check_answer
    from fanshu.agent.owntools import Places, Tool
    from fanshu.agent.run import Run
    from fanshu.agent.session import Session
    from fanshu.app import ask
    from fanshu.errors import FanshuError
    from fanshu.library.library import Library, Root
    from fanshu.models import Model
    from fanshu.settings import Settings
    from fanshu.types import (
        Answer,
        Chunk,
        Citation,
        Hit,
        Observation,
        Scope,
        SearchResult,
        ToolCall,
    )

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "Chunk",
    "Citation",
    "Cited",
    "FanshuError",
    "Hit",
    "Library",
    "LoopAgent",
    "Model",
    "Observation",
    "Places",
    "Root",
    "Run",
    "Scope",
    "SearchResult",
    "Session",
    "Settings",
    "Tool",
    "ToolCall",
    "ask",
    "check_answer",
]
_HOMES = {
    "Answer": "fanshu.types",
    "Chunk": "fanshu.types",
    "Citation": "fanshu.types",
    "Cited": "fanshu.agent.others",
    "FanshuError": "fanshu.errors",
    "Hit": "fanshu.types",
    "Library": "fanshu.library.library",
    "LoopAgent": "fanshu.agent.loop",
    "Model": "fanshu.models",
    "Observation": "fanshu.types",
    "Places": "fanshu.agent.owntools",
    "Root": "fanshu.library.library",
    "Run": "fanshu.agent.run",
    "Scope": "fanshu.types",
    "SearchResult": "fanshu.types",
    "Session": "fanshu.agent.session",
    "Settings": "fanshu.settings",
    "Tool": "fanshu.agent.owntools",
    "ToolCall": "fanshu.types",
    "ask": "fanshu.app",
    "check_answer": "fanshu.agent.others",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'fanshu' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
