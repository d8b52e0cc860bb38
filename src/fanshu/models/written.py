"""Tool calls that a model wrote as text: the shapes that models are trained to write.

Pure functions. Servers that do not know a model's template hand its calls over as content.
"""

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping

from fanshu.models.repair import LONGEST_LITERAL, repair_arguments, without_thoughts
from fanshu.types import ToolCall

MOST_PROSE_BESIDE = 200  # characters; models announce a call in a sentence or two, not more

# Shapes of single families, in the one that Qwen and Hermes write: `<tool_call>` around a name
# and what it takes, `<parameter=…>` for one argument. Anthropic and MiniMax; GLM; Kimi;
# DeepSeek before and since 3.1; gpt-oss; Mistral.
_DIALECTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"</?(?:[\w-]+:)?(?:function_calls|tool_calls)>"), ""),
    (re.compile(r"<\|tool_calls_section_(?:begin|end)\|>|<｜tool▁calls▁(?:begin|end)｜>"), ""),
    (re.compile(r"<\|python_tag\|>|<\|(?:im_end|eot_id|eom_id)\|>|</s>|<｜end▁of▁sentence｜>"), ""),
    (re.compile(r"<(?:[\w-]+:)?invoke\s+name=\"([\w.-]+)\"\s*>"), r"<function=\1>"),
    (re.compile(r"</(?:[\w-]+:)?invoke>"), "</function>"),
    (re.compile(r"<(?:[\w-]+:)?parameter\s+name=\"([\w-]+)\"[^>]*>"), r"<parameter=\1>"),
    (re.compile(r"</(?:[\w-]+:)parameter>"), "</parameter>"),
    (re.compile(r"<arg_key>\s*([\w-]+)\s*</arg_key>\s*<arg_value>"), r"<parameter=\1>"),
    (re.compile(r"</arg_value>"), "</parameter>"),
    (
        re.compile(
            r"<\|tool_call_begin\|>\s*(?:functions\.)?([\w-]+)(?::\d+)?\s*"
            r"<\|tool_call_argument_begin\|>(.*?)(?:<\|tool_call_end\|>|\Z)",
            re.DOTALL,
        ),
        r"\n<tool_call>\1\n\2</tool_call>\n",
    ),
    (
        re.compile(
            r"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w-]+)(?:<｜tool▁sep｜>|\s)"
            r"(.*?)(?:<｜tool▁call▁end｜>|\Z)",
            re.DOTALL,
        ),
        r"\n<tool_call>\1\n\2</tool_call>\n",
    ),
    (
        re.compile(
            r"(?:<\|start\|>assistant)?<\|channel\|>\w+ to=(?:functions\.)?([\w-]+)"
            r"(?: *<\|constrain\|>\w+)?<\|message\|>(.*?)(?:<\|call\|>|\Z)",
            re.DOTALL,
        ),
        r"\n<tool_call>\1\n\2</tool_call>\n",
    ),
    (re.compile(r"\[TOOL_CALLS\]\s*([\w-]+)\s*\[ARGS\]"), r"[TOOL_CALLS]\1"),
    (
        re.compile(
            r"(?:^|(?<=\}))\[TOOL_CALLS\](.*?)(?=\[TOOL_CALLS\]|\Z)", re.DOTALL | re.MULTILINE
        ),
        r"<tool_call>\1</tool_call>\n",
    ),
)
_BLOCK = re.compile(
    r"^[ \t]*(?:"
    r"```[\w-]*[ \t]*\n(?P<fenced>.*?)\n[ \t]*```"
    r"|<(?P<tag>tool_call|function_call)>(?P<tagged>.*?)(?:</(?P=tag)>|\Z)"
    r"|(?P<function><function=[\w.-]+>.*?(?:</function>|\Z))"
    r")[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_FUNCTION = re.compile(r"\A<function=([\w.-]+)>(.*?)(?:</function>)?\Z", re.DOTALL)
_NAME_FIRST = re.compile(r"\A([\w-]+)\s*((?:\{|```|<parameter=).*)\Z", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w-]+)>\n?(.*?)\n?</parameter>", re.DOTALL)
_PYTHON = re.compile(r"\A\[?\s*[A-Za-z_]\w*\(.*\)\s*\]?\Z", re.DOTALL)

# How the two halves of a call are called in JSON, and what may stand beside them.
_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input")
_BESIDE = {"id", "type"}

_Calls = list[tuple[str, str]]


def calls_in_text(text: str, tools: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls that a model wrote as text instead of making them; empty when it just talks.

    Accepted are a JSON object (or list of them) with a name and arguments, bare, in a fence or
    in `<tool_call>`; `<function=name>…</function>`; Python calls; and the shapes of single
    model families, when every name is one of `tools` and little else is said. The calls are
    numbered `call_1`, `call_2` and so on.
    """
    text = without_thoughts(text)
    for dialect, plain in _DIALECTS:
        text = dialect.sub(plain, text)
    text = text.strip()
    bare = _named(text, tools)
    found = bare if bare is not None else _in_blocks(text, tools)
    return tuple(
        ToolCall(f"call_{number}", name, repair_arguments(raw), raw)
        for number, (name, raw) in enumerate(found or [], start=1)
    )


def _in_blocks(text: str, tools: Collection[str]) -> _Calls | None:
    if len(_BLOCK.sub("", text).strip()) > MOST_PROSE_BESIDE:
        return None
    found: _Calls = []
    for block in _BLOCK.finditer(text):
        calls = _named((block["fenced"] or block["tagged"] or block["function"]).strip(), tools)
        if calls is None:
            return None
        found += calls
    return found


def _named(text: str, tools: Collection[str]) -> _Calls | None:
    """Names and raw arguments when the text is nothing but calls of known tools."""
    for read in (_in_tags, _name_first, _in_json, _in_python):
        found = read(text, tools)
        if found and all(name in tools for name, _ in found):
            return found
    return None


def _in_tags(text: str, _: Collection[str]) -> _Calls:
    function = _FUNCTION.match(text)
    return [(function[1], _parameters(function[2]))] if function else []


def _name_first(text: str, _: Collection[str]) -> _Calls:
    """A name and then its arguments, as JSON or as `<parameter=…>` elements."""
    call = _NAME_FIRST.match(text)
    return [(call[1], _parameters(call[2]))] if call else []


def _in_json(text: str, tools: Collection[str]) -> _Calls:
    return [_name_and_arguments(value, tools) for value in _values(text)]


def _parameters(body: str) -> str:
    """JSON from what stands after a name: JSON already, or `<parameter=…>` elements."""
    pairs = _PARAMETER.findall(body)
    return json.dumps(dict(pairs), ensure_ascii=False) if pairs else body.strip()


def _values(text: str) -> Iterator[object]:
    """The JSON objects of a text that holds nothing else: one, a list, or one after another."""
    if not text.startswith(("{", "[")):
        return
    decoder, at, values = json.JSONDecoder(strict=False), 0, []
    try:
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            values += _listed(value)
            at += len(text[at:]) - len(text[at:].lstrip(" \t\r\n,;"))
    except (ValueError, RecursionError):
        whole = repair_arguments(text)
        values = [] if whole is None else _listed(whole)
    yield from values


def _listed(value: object) -> list[object]:
    """A list as it is; the calls of a whole assistant message; else the value alone."""
    if isinstance(value, Mapping) and {*value} == {"tool_calls"}:
        value = value["tool_calls"]
    return value if isinstance(value, list) else [value]


def _name_and_arguments(value: object, tools: Collection[str]) -> tuple[str, str]:
    """The call that a JSON value stands for; its name is empty when it is none."""
    if not isinstance(value, Mapping):
        return "", ""
    if isinstance(value.get("function"), Mapping):
        return _name_and_arguments(value["function"], tools)
    if len(value) == 1 and isinstance(next(iter(value.values())), Mapping):
        name, arguments = next(iter(value.items()))
        return (name, _raw(arguments)) if name in tools else ("", "")
    names = [key for key in _NAMES if key in value]
    given = [key for key in _ARGUMENTS if value.get(key) is not None]
    alone = len(names) == len(given) == 1 and {*value} - _BESIDE == {*names, *given}
    if not alone or not isinstance(value[names[0]], str):
        return "", ""
    return value[names[0]], _raw(value[given[0]])


def _raw(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False)


def _in_python(text: str, _: Collection[str]) -> _Calls:
    """`[read(chunk_id="c#1")]`, as Llama writes: keyword arguments that are literals."""
    if len(text) > LONGEST_LITERAL or not _PYTHON.match(text):
        return []
    try:
        tree = ast.parse(text, mode="eval").body
        calls = tree.elts if isinstance(tree, ast.List) else [tree]
        return [_python_call(call) for call in calls]
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return []


def _python_call(call: ast.expr) -> tuple[str, str]:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        return "", ""
    given = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    return call.func.id, json.dumps(given, ensure_ascii=False)
