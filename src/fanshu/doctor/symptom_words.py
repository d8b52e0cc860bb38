"""What the doctor says of symptoms, in English and Chinese."""

from collections.abc import Mapping
from typing import NamedTuple

Both = tuple[str, str]
NOTHING: Both = ("", "")


class Words(NamedTuple):
    """What is the matter, why, and what to do about it; the last two may be empty."""

    said: Both
    cause: Both = NOTHING
    cure: Both = NOTHING


SYMPTOM_WORDS: Mapping[str, Words] = {
    "many_rounds": Words(
        ("too many rounds: all of them were used", "轮数过多：全部用完"),
        (
            "The question uses other words than the documents, or the answer is spread widely.",
            "问题的用词与文档不同，或答案分散在多处。",
        ),
        (
            "Put the users' words into `synonyms`; raise `hits` so that more places show at once; "
            "then `max_rounds`; else a stronger `model`.",
            "把用户的说法写进 `synonyms`；调大 `hits`，一次多看几处；再调大 `max_rounds`；"
            "否则换更强的 `model`。",
        ),
    ),
    "irrelevant": Words(
        (
            "irrelevant citations: passages that share no word with the question",
            "引用不相关：所引原文与问题没有相同的词",
        ),
        (
            "Folders on other matters are searched too, or users and documents say different "
            "things for one.",
            "搜到了无关的文件夹，或用户与文档说法不同。",
        ),
        (
            "Leave other matters out with `exclude`; put the users' words into `synonyms`; "
            "else a stronger `model`.",
            "用 `exclude` 排除无关内容；把用户的说法写进 `synonyms`；否则换更强的 `model`。",
        ),
    ),
    "brief": Words(
        (
            "too brief: a question of several parts answered from one place",
            "过于简短：多部分的问题只用了一处原文",
        ),
        (
            "The model stopped at the first thing it found, or had no rounds left to go on.",
            "模型找到一处就停了，或没有剩余的轮数。",
        ),
        (
            "Set `summarize` to always, so that what is missing is noted; raise `max_rounds` and "
            "`hits`; ask one thing at a time; else a stronger `model`.",
            "把 `summarize` 设为 always，让模型记下还缺什么；调大 `max_rounds` 和 `hits`；"
            "一次只问一件事；否则换更强的 `model`。",
        ),
    ),
    "missed": Words(
        (
            "not found, though a search found all its words together",
            "答“未找到”，但有搜索命中了全部的词",
        ),
        (
            "The places were not opened or not understood, stand in files that could not be read, "
            "or only a neighbouring fact is stated.",
            "命中的位置没有打开或没有看懂，或在读不出的文件里，或文档只写了相近的事。",
        ),
        (
            "Look at the trace for what was found; read unreadable files (see Documents); raise "
            "`hits` and `max_rounds`; `synonyms` for the users' words; check `exclude`.",
            "看记录里找到了什么；处理读不出的文件（见“文档”）；调大 `hits` 和 `max_rounds`；"
            "用 `synonyms` 补充说法；检查 `exclude`。",
        ),
    ),
    "context": Words(
        ("context too long: requests near the limit", "上下文过长：请求接近上限"),
        (
            "Much was read, chunks are long, or the model takes less than context_tokens says.",
            "读得多、段落长，或模型的上限小于 context_tokens。",
        ),
        (
            "Set `context_tokens` to what the model takes, with room for its reply; lower `hits` "
            "and `part_chars`.",
            "把 `context_tokens` 设为模型能接受的大小（给回复留余地）；"
            "调小 `hits` 和 `part_chars`。",
        ),
    ),
    "budget": Words(
        ("the budget of a question was used up", "一个问题的预算用完"),
        (
            "The limit for tokens or cost is lower than such questions need.",
            "token 或费用的上限低于这类问题所需。",
        ),
        (
            "Raise `max_tokens` or `max_cost`; lower `hits`.",
            "调大 `max_tokens` 或 `max_cost`；调小 `hits`。",
        ),
    ),
    "bounced": Words(
        ("answers sent back by the check", "回答被核对退回"),
        (
            "The model quotes loosely, or states figures that it does not quote. Each costs a "
            "round and does no other harm.",
            "模型引文不准，或写了没有引用的数字。每次多用一轮，别无损害。",
        ),
        (
            "A stronger `model`; a smaller `part_chars` makes quotes easier.",
            "换更强的 `model`；调小 `part_chars` 便于准确引用。",
        ),
    ),
    "rejected": Words(
        ("rejected citations: quotes that do not stand in the text", "引用被删：引文与原文不符"),
        (
            "The model words its quotes itself instead of copying them; weak models do, and "
            "answers through JSON more than native calls.",
            "模型自己改写引文而不是照抄；弱模型常如此，JSON 方式多于原生调用。",
        ),
        (
            "A stronger `model`; `tool_mode` native where the server has it; a smaller "
            "`part_chars`.",
            "换更强的 `model`；服务支持时 `tool_mode` 用 native；调小 `part_chars`。",
        ),
    ),
    "slow": Words(
        ("time-outs", "超时"),
        (
            "The model is slow, or its service is overloaded or far away.",
            "模型慢，或其服务过载、网络远。",
        ),
        (
            "Raise `timeout` (one reply) or `deadline` (one question); lower `max_rounds`; or a "
            "faster `model`.",
            "调大 `timeout`（一次回复）或 `deadline`（一个问题）；"
            "调小 `max_rounds`；或换更快的 `model`。",
        ),
    ),
    "repeats": Words(
        ("repeats: calls made again whose result was in view", "重复：结果还在，又做同样的调用"),
        (
            "The model is weak at long conversations, or finds no other words to try.",
            "模型不擅长多轮对话，或想不出别的说法。",
        ),
        (
            "A stronger `model`; `synonyms`; a larger `context_tokens`, if results were folded.",
            "换更强的 `model`；用 `synonyms`；结果被收起时调大 `context_tokens`。",
        ),
    ),
    "bad_calls": Words(
        ("the model makes no usable calls of tools", "模型不会调用工具"),
        (
            "The server does not pass tool calls on, or the model was not trained for them.",
            "服务不转发工具调用，或模型没有学过。",
        ),
        (
            "Set `tool_mode` to json; else another `model`.",
            "把 `tool_mode` 设为 json；否则换 `model`。",
        ),
    ),
    "model_failed": Words(
        ("the model's service failed", "模型服务出错"),
        (
            "No connection, a refused key, too many requests, or a reply that cannot be used.",
            "连接不上、密钥被拒、请求过多，或回复无法使用。",
        ),
        (
            "The trace says which. Check `base_url`, `api_key` and the name of the `model`.",
            "记录里写明是哪一种。检查 `base_url`、`api_key` 和 `model` 的名称。",
        ),
    ),
    "outdated": Words(
        ("older versions of documents cited", "引用了旧版文件"),
        (
            "Old and new versions lie side by side, and the question names none.",
            "新旧版本放在一起，而问题没有指明。",
        ),
        (
            "Leave old versions out with `exclude`, or name the year in the question.",
            "用 `exclude` 排除旧版，或在问题里写明年份。",
        ),
    ),
}
