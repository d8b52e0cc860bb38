"""What an audit says, in English and Chinese: one table."""

from collections.abc import Mapping

from fanshu.types import Language

WORDS: Mapping[str, tuple[str, str]] = {
    "title": ("fanshu · audit of an answer", "翻书 · 回答的核对记录"),
    "question": ("Question", "问题"),
    "answer": ("Answer", "回答"),
    "facts": ("Where each figure stands", "数字与标识符的出处"),
    "citations": ("Citations", "引用"),
    "refused": ("Citations that failed and were removed", "未通过核对而删去的引用"),
    "checks": ("Checks", "核对"),
    "sent_back": ("Sent back in round {round}", "第 {round} 轮退回"),
    "rounds": ("How it was found", "查找过程"),
    "ahead": (
        "Before round 1: a search with the question's own words",
        "第 1 轮之前：用问题的原词",
    ),
    "round": ("Round {round}", "第 {round} 轮"),
    "record": ("Record", "记录"),
    "settings": ("Settings", "设置"),
    "related": ("Nearest in the documents", "文档中最接近的内容"),
    "searched": ("Searched for", "搜索过"),
    "warnings": ("Warnings", "提醒"),
    # status
    "status.answered": ("quotes checked", "原文核对一致"),
    "status.partial": ("partial", "部分回答"),
    "status.passages": ("passages, no model used", "原文摘录，未经模型整理"),
    "status.not_found": ("not found in the documents", "文档中未找到"),
    "status.error": ("failed", "出错"),
    "stop.max_rounds": ("all rounds were used", "轮数已用完"),
    "stop.loop": ("the model repeated itself", "模型重复同样的动作"),
    "stop.bad_calls": ("the model's calls were unusable", "模型的调用无法使用"),
    "stop.budget": ("the token budget was used up", "token 预算已用完"),
    "stop.deadline": ("the time was up", "时间已到"),
    "stop.interrupted": ("interrupted", "已中断"),
    "stop.model_error": ("the model failed", "模型出错"),
    "cached": ("from the cache, checked again", "来自缓存，已重新核对"),
    # facts
    "fact.quoted": ("stands in {sources}", "见 {sources}"),
    "fact.nearby": (
        "in the section of {sources}, outside the quoted passage",
        "在 {sources} 所在的一节里，但不在所引原文中",
    ),
    "fact.derived": ("follows from {arithmetic}", "由 {arithmetic} 得出"),
    "fact.unsupported": ("in no quoted passage", "所引原文中没有"),
    # checks
    "check.quotes": (
        "quotes that stand word for word in what was read: {good} of {all}",
        "与读过的原文逐字一致的引文：{good}/{all}",
    ),
    "check.figures": (
        "figures that stand in a quoted passage or follow from such: {good} of {all}",
        "见于所引原文或由其算出的数字：{good}/{all}",
    ),
    "check.edges": (
        "quotes with no negation or exception beside them that the answer leaves out: "
        "{good} of {all}",
        "旁边没有被回答略去的否定或例外的引文：{good}/{all}",
    ),
    "check.orders": (
        "passages that do not read like orders to a model: {good} of {all}",
        "不像是对模型下命令的原文：{good}/{all}",
    ),
    "check.versions": (
        "cited documents without a newer version: {good} of {all}",
        "没有更新版本的所引文件：{good}/{all}",
    ),
    "outcome.passed": ("passed", "通过"),
    "outcome.failed": ("failed", "未通过"),
    "outcome.noted": ("look", "请留意"),
    "meaning": (
        "Code has checked that quotes stand where they are said to stand, and that figures stand "
        "in what is quoted. Whether a passage supports the claim is the model's judgement.",
        "程序核对的是：引文确在所说的位置，数字确在所引的原文里。"
        "原文是否支持结论，仍是模型的判断。",
    ),
    # citations
    "line": ("line {a}", "第 {a} 行"),
    "lines": ("lines {a}-{b}", "第 {a}-{b} 行"),
    "page": ("page {page}", "第 {page} 页"),
    "newer": ("a newer version exists: {path}", "有更新的版本：{path}"),
    "located": ("place found by code", "位置由程序找到"),
    "whole": ("the whole section, as it was read", "读到的整段原文"),
    "pictures": ("pictures: {names}", "图：{names}"),
    "hash": ("text hash {hash}", "文字哈希 {hash}"),
    # rounds
    "found": ("{total} places", "{total} 处"),
    "level.phrase": ("words as they stand", "原词"),
    "level.all": ("all words", "全部词"),
    "level.some": ("some of the words", "部分词"),
    "level.none": ("none", "无"),
    "shown": ("what the model saw", "模型看到的"),
    "not_done": ("not done", "未做成"),
    "again": ("already done", "已做过"),
    "check_passed": ("the check passed", "核对通过"),
    "sent": ("sent back", "退回"),
    "stood": ("stood as it was", "就此为准"),
    # record
    "tokens": (
        "tokens: {prompt} in ({cached} cached), {completion} out",
        "token：输入 {prompt}（缓存 {cached}），输出 {completion}",
    ),
    "cost": ("cost ${cost}", "费用 ${cost}"),
    "seconds": ("{seconds} s", "{seconds} 秒"),
    "saved": ("saved", "保存时间"),
    "trace": ("trace", "记录编号"),
    "reader": ("model", "模型"),
    "version": ("fanshu", "fanshu 版本"),
    "prompts": ("prompt version", "提示词版本"),
    "took": ("took", "用时"),
    "usage": ("usage", "用量"),
    "bounces": ("sent back", "退回次数"),
    "unset": ("-", "-"),
    # the terminal's own
    "explained": ("How it was checked:", "核对情况："),
    "read": ("Read in this run: {chunks}", "读过：{chunks}"),
    # rescoring
    "state.unchanged": ("unchanged", "未变"),
    "state.moved": ("moved", "位置有变"),
    "state.changed": ("changed", "已改"),
    "state.gone": ("gone", "已不在"),
    "state.newer": ("newer version", "有新版"),
    "now_at": ("now {place}", "现在 {place}"),
    "before": ("then", "当时"),
    "after": ("now", "现在"),
    "holds": ("the answer still stands", "回答仍然成立"),
    "differs": ("check again: {why}", "需要重看：{why}"),
    "nothing": ("it cites nothing", "没有引用"),
    "recheck": ("the check now gives {status}", "现在核对的结果：{status}"),
    "found_now": (
        "what was not found may be there now: {words}",
        "当时没有，现在可能有了：{words}",
    ),
    "closed": ("its documents cannot be opened: {why}", "打不开其文档：{why}"),
    "rescored": (
        "{answers} answers checked again, {differing} differ",
        "重新核对了 {answers} 个回答，{differing} 个有出入",
    ),
}


def say(language: Language, key: str, **values: object) -> str:
    """A phrase of the table in the given language."""
    return WORDS[key][language == "zh"].format(**values)
