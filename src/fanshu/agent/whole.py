"""What a model is told where every search is over the whole library (`search_path` off)."""

from collections.abc import Mapping
from dataclasses import replace

from fanshu.agent.prompts import SYSTEM
from fanshu.models import ToolSpec
from fanshu.types import Language

_RULE: Mapping[Language, str] = {  # the one that goes
    "zh": "看得出在哪个文件，就用 path 只搜那里。",
    "en": "When the file is plain, search there with path. ",
}


def system_text(language: Language, *, path: bool = True) -> str:
    """The rules; `path`: searches may be limited to a file or folder."""
    return SYSTEM[language] if path else SYSTEM[language].replace(_RULE[language], "")


def with_path(spec: ToolSpec, path: bool) -> ToolSpec:
    """A tool as it is offered; without `path`, a search takes none."""
    known = spec.parameters["properties"]
    if path or spec.name != "search" or not isinstance(known, dict):
        return spec
    kept = {name: value for name, value in known.items() if name != "path"}
    return replace(spec, parameters={**spec.parameters, "properties": kept})
