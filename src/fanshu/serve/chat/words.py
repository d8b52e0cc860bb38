"""What the chat model says beside an answer, in English and Chinese."""

from collections.abc import Mapping

from fanshu.types import Language

WORDS: Mapping[str, tuple[str, str]] = {
    # how far an answer was checked
    "status.answered": ("Quotes checked", "原文核对一致"),
    "status.partial": ("Partial: what is missing stands below", "部分回答：缺少的内容见下"),
    "status.unfinished": ("No answer; what was found is below", "没有得出答案，已找到的见下"),
    "status.passages": (
        "Passages from the documents, no model used",
        "原文摘录（未经模型整理）",
    ),
    "status.not_found": ("Not found in the documents", "文档中未找到"),
    "cached": ("from the cache, checked again", "来自缓存，已重新核对"),
    "stop.max_rounds": ("all rounds were used", "轮数已用完"),
    "stop.loop": ("the model repeated itself", "模型重复同样的动作"),
    "stop.bad_calls": ("the model's calls were unusable", "模型的调用无法使用"),
    "stop.budget": ("the token budget was used up", "token 预算已用完"),
    "stop.deadline": ("the time was up", "时间已到"),
    "stop.interrupted": ("interrupted", "已中断"),
    "stop.model_error": ("the model failed", "模型出错"),
    "derived": ("{figure} = {arithmetic}", "{figure} = {arithmetic}"),
    "unsupported": ("not in the cited text: {item}", "引文中没有：{item}"),
    "rejected": (
        "citations removed, because their quotes do not stand in the text: {count}",
        "删去 {count} 处引用：引文与原文不符",
    ),
    "located": ("place found by code", "位置由程序定位"),
    "newer": ("a newer version exists: {path}", "有更新的版本：{path}"),
    "related": ("Nearest in the documents:", "文档中最接近的内容："),
    "searched": ("Searched for: {words}", "搜索过：{words}"),
    "left_out": (
        "Pictures and files in the chat were not looked at, only the documents of the library.",
        "没有查看聊天里的图片和文件，只查了文档库里的文档。",
    ),
    "page": ("page {page}", "第 {page} 页"),
    "line": ("line {a}", "第 {a} 行"),
    "lines": ("lines {a}-{b}", "第 {a}-{b} 行"),
    # what it does meanwhile
    "step.waiting": ("waiting, place in line: {place}", "排队中，第 {place} 位"),
    "step.ahead": ("first search → found: {total}", "先搜索 → {total} 处"),
    "step.search": ("search {words} → found: {total}", "搜索 {words} → {total} 处"),
    "step.again": ("search {words}", "搜索 {words}"),
    "step.read": ("read {place}", "阅读 {place}"),
    "step.next": ("turn the page: {place}", "翻到下一段：{place}"),
    "step.prev": ("turn back: {place}", "翻到上一段：{place}"),
    "step.outline": ("look at the outline {path}", "查看目录 {path}"),
    "step.summarize": ("note: {summary}", "记下：{summary}"),
    "step.answer": ("check the answer", "核对答案"),
    "step.bounced": ("sent back: {objections}", "退回修改：{objections}"),
    "step.failed": ("{step}: not possible", "{step}：未成功"),
    # to somebody who has not asked anything yet
    "hello": (
        "I answer questions from the documents of “{title}” and show where each fact stands. "
        "What would you like to know?",
        "我在文档库“{title}”里查资料回答问题，并给出每个事实的出处。想查点什么？",
    ),
}


def say(language: Language, key: str, **fields: object) -> str:
    """A sentence in a language."""
    return WORDS[key][language == "zh"].format(**fields)
