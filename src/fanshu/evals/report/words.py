"""What a report says, in English and Chinese: one table."""

from collections.abc import Mapping

from fanshu.types import Language

WORDS: Mapping[str, tuple[str, str]] = {
    "title": ("How well, and at what cost", "答得怎样，花了多少"),
    "kicker": ("fanshu · report of a measurement", "翻书 · 评测报告"),
    "asked": ("{count} questions, {systems}.", "{count} 个问题，{systems}。"),
    "systems.1": ("one system", "1 个系统"),
    "systems.n": ("{n} systems", "{n} 个系统"),
    "wrong": (
        "{wrong} of {count} questions were answered wrongly by some system; they come first.",
        "{count} 题中有 {wrong} 题至少被一个系统答错，排在最前。",
    ),
    "figures": ("Figures", "数字"),
    "intervals": (
        "In brackets the 95 % interval: with another sample of such questions the figure would"
        " mostly lie there. Where two intervals overlap widely, nothing is proven.",
        "方括号内是 95 % 区间：换一批同类问题，数字大多落在其中。两个区间大幅重叠时不能下结论。",
    ),
    "ungraded": (
        "Nothing is graded: the questions with their answers were not named.",
        "没有评分：未指定带标准答案的问题文件。",
    ),
    "missing": (
        "{name}: {count} of its questions have no result and count as wrong.",
        "{name}：{count} 题没有结果，按答错计。",
    ),
    "measure": ("measure", "指标"),
    "questions": ("questions", "题数"),
    "right": ("right", "答对"),
    "cited": ("a gold place cited", "引对一处"),
    "complete": ("all gold places cited", "引全各处"),
    "precision": ("precision of citations", "引用准确率"),
    "premature": ("answered before all was seen", "没看全就作答"),
    "refused.right": ("rightly “not found”", "该说“未找到”且说了"),
    "refused.wrong": ("wrongly “not found”", "有答案却说“未找到”"),
    "invented": ("invented where nothing is said", "文档没说却作答"),
    "rounds": ("rounds (nine of ten)", "轮数（九成以内）"),
    "tokens": ("tokens (nine of ten)", "token（九成以内）"),
    "cached": ("of the prompt from cache", "输入中缓存占比"),
    "cost": ("cost of a question, US$", "每题花费（美元）"),
    "seconds": ("seconds, p50 / p95", "秒，p50 / p95"),
    "first_step": ("first step, seconds p50", "首步秒数 p50"),
    "errors": ("errors", "出错"),
    "judged": ("right, says the judge (kappa)", "评审模型认为答对（kappa）"),
    "of": ("{n} of {all}", "{n}/{all}"),
    "charts": ("Pictures", "图"),
    "chart.against": ("Right answers against tokens", "答对率与 token"),
    "chart.tokens": ("tokens a question", "每题 token"),
    "chart.kinds": ("Right answers by kind", "各类问题的答对率"),
    "chart.rounds": ("Rounds", "轮数分布"),
    "chart.setting": ("{system}: {setting}", "{system}：{setting}"),
    "note.against": (
        "Higher is better, further left is cheaper.",
        "越高越好，越靠左越省。",
    ),
    "note.kinds": (
        "Bars are shares, lines their intervals, in brackets the number of questions.",
        "条为比例，线为区间，括号内是题数。",
    ),
    "note.rounds": ("Answers by the number of model calls.", "按模型调用次数统计。"),
    "note.setting": (
        "Share of right answers with intervals; below each value its tokens a question.",
        "答对率及区间；每个取值下是每题 token。",
    ),
    "kinds": ("By kind", "按类别"),
    "kind": ("kind", "类别"),
    "system": ("system", "系统"),
    "retrieval": ("Rankings", "检索排序"),
    "retrieval.note": (
        "How far up the first ranking has the gold places, before any model reads; a text counts"
        " when it holds the quote word for word, or begins on its page of a PDF.",
        "模型读之前，第一次排序把标准出处排在多靠前；文字须逐字含有引文，PDF 须在同一页。",
    ),
    "pairs": ("Side by side", "两两比较"),
    "pair": ("{name} against {against}, {count} questions", "{name} 对 {against}，{count} 题"),
    "difference": ("difference", "差"),
    "moved": ("won / lost", "多对 / 多错"),
    "p": ("p", "p"),
    "pairs.note": (
        "Question by question; p by McNemar's exact test: how often chance alone gives so much.",
        "逐题比较；p 为 McNemar 精确检验：仅凭偶然出现这种差别的概率。",
    ),
    "causes": ("Why answers are wrong", "为什么答错"),
    "causes.note": (
        "Probable causes, from what was found, read and cited.",
        "根据找到、读过与引用的内容推断。",
    ),
    "cause": ("probable cause", "可能的原因"),
    "cause.error": ("error", "出错"),
    "cause.no_result": ("no result", "没有结果"),
    "cause.never_found": ("never found", "从未找到"),
    "cause.not_read": ("found, not read", "找到了没读"),
    "cause.not_used": ("read, not used", "读了没用"),
    "cause.wrong_fact": ("wrong or missing figure", "数字有误或缺失"),
    "cause.too_long": ("too long", "太长"),
    "cause.wrongly_refused": ("wrongly refused", "误称未找到"),
    "cause.invented": ("invented", "编造"),
    "cause.unknown": ("not recorded", "无记录"),
    "every": ("Questions", "逐题"),
    "more": (
        "{count} more questions are not shown here; all stand in the results.",
        "另有 {count} 题未在此列出，见结果文件。",
    ),
    "expected": ("Expected", "标准答案"),
    "places": ("Stands in", "出处"),
    "verdict.right": ("right", "答对"),
    "verdict.incomplete": ("right, not all cited", "答对，未引全"),
    "verdict.wrong": ("wrong", "答错"),
    "verdict.ungraded": ("not graded", "未评分"),
    "not_found": ("not found in the documents", "文档中未找到"),
    "nothing": ("no answer", "没有回答"),
    "took": (
        "{rounds} rounds · {tokens} tokens · {seconds} s",
        "{rounds} 轮 · {tokens} token · {seconds} 秒",
    ),
    "trace": ("how it went", "过程"),
    "round": ("Round {round}", "第 {round} 轮"),
    "judge": ("judge: {said}", "评审：{said}"),
    "record": ("What was measured", "测的是什么"),
    "model": ("model", "模型"),
    "version": ("fanshu, prompt", "翻书与提示版本"),
    "began": ("began", "开始于"),
    "documents": ("documents", "文档"),
    "passes": ("passes", "遍数"),
    "meaning": (
        "Right means: every expected text is in the answer, none that a wrong one holds, and it is"
        " short. Strings see less than a reader: look at answers before you decide.",
        "“答对”指答案含有全部应有文字、不含错误答案的特征文字、且足够短。字符串比对不如人读：下结论前请看回答。",
    ),
}


def say(language: Language, key: str, /, **fields: object) -> str:
    """A phrase with its fields filled in."""
    return WORDS[key][language == "zh"].format(**fields)
