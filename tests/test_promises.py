"""Promises of docs/promises.md that no test of a room holds."""

import pytest

from fanshu.agent.prompts import SYSTEM, tool_specs
from fanshu.types import Language

RULES: dict[Language, tuple[str, ...]] = {
    "en": (
        "never memory",
        "heading matches",
        "covers every part",
        "Cite only what you have read",
    ),
    "zh": ("不凭记忆", "标题相符", "每一部分", "只引读过"),
}


@pytest.mark.parametrize("language", RULES)
def test_m23_the_prompt_asks_for_what_was_promised(language: Language) -> None:
    assert not [rule for rule in RULES[language] if rule not in SYSTEM[language]]


@pytest.mark.parametrize("language", RULES)
def test_m10_the_model_cannot_choose_how_many_hits(language: Language) -> None:
    search = next(tool for tool in tool_specs(language) if tool.name == "search")
    assert set(search.parameters["properties"]) == {"keyword", "path"}
