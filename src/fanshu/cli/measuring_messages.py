"""What the verb eval says, in English and Chinese."""

from collections.abc import Mapping

MEASURING: Mapping[str, tuple[str, str]] = {
    "help.eval": (
        "Measure answers to questions that have known ones.",
        "用有标准答案的问题来衡量。",
    ),
    "help.eval_new": (
        "Draft questions over the documents, for a person to correct: as clozes, or worded by a "
        "model where one is named.",
        "从文档草拟问题，供人修改：没有模型时是填空，有模型时由它措辞。",
    ),
    "help.eval_check": (
        "Check questions against the documents: evidence, places, what must not occur.",
        "对照文档检查问题：依据、位置、不该出现的词。",
    ),
    "help.eval_tune": (
        "Find the best setting of the classic RAG on some questions: pieces, overlap, k, weight of "
        "vectors, by the places found at equal length. Needs no model; tune on other questions "
        "than those you measure.",
        "在一批问题上为经典 RAG 找最好的设置（片段长度、重叠、条数、向量权重），"
        "按同样长度的文本找到多少出处来比较。不需要模型；请用另外的问题来调。",
    ),
    "help.eval_ablate": (
        "One setting at a time changed: what rounds, hits, the first search and the rest are "
        "worth, in one table.",
        "每次只改一个设置，看轮数、条数、先搜索等各值多少，列成一张表。",
    ),
    "help.drafts": (
        "Where the drafts go, JSON lines or .csv; nothing is overwritten.",
        "草稿写到哪里，JSON 行或 .csv；不会覆盖已有的文件。",
    ),
    "help.count": ("How many questions.", "多少个问题。"),
    "help.tuned": ("Where the best options go, for --rag.", "最好的选项写到哪里，供 --rag 用。"),
    "help.budget": (
        "Characters of text that every setting may give the model (4000).",
        "每种设置可给模型的字数（4000）。",
    ),
    "help.lexical": ("BM25 alone, without vectors.", "只用 BM25，不用向量。"),
    "help.ablated": ("Folder for the results, a file for each.", "结果文件夹，每种设置一个文件。"),
    "help.vary": (
        "Only this setting: max_rounds, hits, directory_summary, first_search, text_ahead, "
        "search_path, summarize, part_chars, tool_mode. Repeatable.",
        "只变这个设置：max_rounds、hits、directory_summary、first_search、text_ahead、"
        "search_path、summarize、part_chars、tool_mode。可重复。",
    ),
    "help.ablate_system": (
        "loop (with a model), extractive, or search: the ranking alone.",
        "loop（用模型）、extractive 或 search（只排序）。",
    ),
    "eval.drafted": (
        "{count} drafts → {out}: read and correct them",
        "{count} 条草稿 → {out}：请逐条核改",
    ),
    "eval.checked": ("{count} questions, {wrong} to mend", "{count} 个问题，{wrong} 个需要修改"),
    "eval.tuned": ("best recall {recall} → {out}", "最好的召回率 {recall} → {out}"),
    "column.variant": ("setting", "设置"),
    "column.recall5": ("recall@5", "召回@5"),
    "column.recall10": ("recall@10", "召回@10"),
    "help.eval_run": (
        "Ask every question of a file and write one result a line, for a grader.",
        "逐条提问，每行写一个结果，供评分用。",
    ),
    "help.questions": (
        "JSON lines or CSV, each with id and question; see docs/measuring.md.",
        "JSON 行或 CSV，每条至少有 id 和 question；格式见 docs/measuring.md。",
    ),
    "help.out": (
        "Where results go; those already there are kept. A folder for several systems or passes.",
        "结果文件；已有的结果保留，接着做。有多个系统或多遍时是文件夹。",
    ),
    "help.system": (
        "loop, extractive, oneshot, grep, rag; all: these five. Rankings alone: search, bm25, "
        "dense, fused; retrieval: these four. Repeatable. By default loop, or extractive without "
        "a model.",
        "loop、extractive、oneshot、grep、rag；all 为这五种。只排序：search、bm25、dense、fused；"
        "retrieval 为这四种。可重复。默认为 loop，没有模型时为 extractive。",
    ),
    "help.corpus": (
        "Only questions about this corpus; --docs is its folder, or one that holds it. Repeatable.",
        "只问这一批文档的问题；--docs 是其文件夹，或它所在的文件夹。可重复。",
    ),
    "help.repeat": ("Ask everything so many times.", "全部问题各问这么多遍。"),
    "help.parallel": ("Questions asked at once.", "同时提问的问题数。"),
    "help.rate": ("Requests to the model a minute, at most.", "每分钟最多向模型请求的次数。"),
    "help.max_spend": (
        "Ask nothing more once so much was spent (US dollars, where prices are known).",
        "花费达到此数后不再提问（美元，限已知价格的模型）。",
    ),
    "help.sample": (
        "So many questions only, drawn evenly over their kinds.",
        "只问这么多题，按类别均匀抽取。",
    ),
    "help.seed": ("What the draw depends on.", "抽取所用的随机种子。"),
    "help.rag": (
        "Options of the classic RAG, as eval tune writes them.",
        "经典 RAG 的选项文件，由 eval tune 写出。",
    ),
    "help.record": (
        "Keep the model's replies here, for --replay.",
        "把模型的回复存入此文件，供 --replay 用。",
    ),
    "help.replay": (
        "Take the model's replies from this file; no model is asked.",
        "从此文件取模型的回复，不再问模型。",
    ),
    "eval.vectors": ("vectors: {done} of {total}", "向量：{done}/{total}"),
    "eval.spent": (
        "The spending limit is reached (${cost}): {left} questions were not asked.",
        "已达花费上限（{cost} 美元），还有 {left} 题未问。",
    ),
    "eval.done": (
        "{questions} questions, {errors} errors → {out}",
        "{questions} 个问题，{errors} 个出错 → {out}",
    ),
    "column.all": ("all", "全部"),
    "column.id": ("question", "问题"),
    "column.kind": ("kind", "类别"),
    "column.status": ("status", "结果"),
    "column.questions": ("questions", "题数"),
    "column.right": ("right", "答对"),
    "column.cited": ("cited", "引对"),
    "column.complete": ("complete", "引全"),
    "column.premature": ("premature", "过早作答"),
    "column.found": ("found", "有结果"),
    "column.answered": ("answered", "已回答"),
    "column.partial": ("partial", "部分回答"),
    "column.passages": ("passages", "摘录"),
    "column.not_found": ("not found", "未找到"),
    "column.retrieved": ("ranked only", "仅排序"),
    "column.errors": ("errors", "出错"),
    "column.missing": ("no result", "无结果"),
    "column.bounces": ("sent back", "退回"),
    "column.rejected": ("citations rejected", "删去引用"),
    "column.rounds": ("rounds", "轮数"),
    "column.tokens": ("tokens", "token 数"),
    "column.prompt": ("prompt", "输入"),
    "column.cached": ("cached", "缓存命中"),
    "column.completion": ("completion", "输出"),
    "column.searches": ("searches", "搜索"),
    "column.reads": ("reads", "阅读"),
    "column.seconds": ("seconds", "秒"),
    "report.spread": (
        "Per question: mean, and in brackets what nine of ten stay within.",
        "每题的平均值；括号内为九成问题不超过的值。",
    ),
    "compare.only": ("Only in {name}: {count} ({ids})", "只在 {name} 中：{count} 题（{ids}）"),
    "compare.yes": ("yes", "是"),
    "compare.no": ("no", "否"),
}
