"""What `fanshu eval report`, `compare` and `grade` say, in English and Chinese."""

from collections.abc import Mapping

REPORTING: Mapping[str, tuple[str, str]] = {
    "help.eval_report": (
        "Results in figures: tables, or a whole report as one HTML page or Markdown.",
        "把结果汇总成表格，或完整的报告：单个 HTML 页面或 Markdown。",
    ),
    "help.eval_compare": (
        "What changed from A to B, paired by question; ends with 1 when B is significantly worse.",
        "A 与 B 按题配对比较；B 显著变差时退出码为 1。",
    ),
    "help.eval_grade": (
        "Write ids and grades of results, without any text of documents.",
        "写出各题的编号与评分，不含文档文字。",
    ),
    "help.gold": (
        "Their questions, with must and gold: results are graded by them.",
        "结果所对应的问题文件（含 must 和 gold），用来评分。",
    ),
    "help.results": (
        "Files that eval run or eval grade wrote, or folders of such; NAME=FILE gives a name.",
        "eval run 或 eval grade 写出的文件，或存放它们的文件夹；名称=文件 可另起名称。",
    ),
    "help.html": ("Write the report as one HTML page.", "把报告写成单个 HTML 页面。"),
    "help.markdown": ("Write the report as Markdown.", "把报告写成 Markdown。"),
    "help.eval_judge": (
        "Have a model judge answers as well; its verdicts stand beside the grades.",
        "再请模型评审各个回答；评审结论与评分并列。",
    ),
    "help.judged": ("Where the results with verdicts go.", "带评审结论的结果写入此文件。"),
    "eval.report": ("→ {out}", "→ {out}"),
    "eval.judged": (
        "{count} answers judged, {lost} without a verdict → {out}",
        "评审了 {count} 个回答，{lost} 个没有结论 → {out}",
    ),
    "help.grades": ("Where the grades go.", "评分写入此文件。"),
    "help.common": (
        "Only questions that all have results for.",
        "只看各方都有结果的问题。",
    ),
    "eval.grades": ("{count} grades → {out}", "{count} 条评分 → {out}"),
    "column.measure": ("{count} questions of both", "两边都有的 {count} 题"),
    "column.difference": ("B less A [95 %]", "B 减 A [95 %]"),
    "column.moved": ("won / lost", "变对 / 变错"),
    "column.p": ("p (McNemar)", "p（McNemar）"),
    "column.cost": ("cost in US dollars", "花费（美元）"),
    "column.first_step": ("seconds to the first step", "首步秒数"),
    "compare.worse": (
        "{name}: significantly worse: {measures}",
        "{name}：显著变差：{measures}",
    ),
    "compare.held": ("{name}: not significantly worse", "{name}：没有显著变差"),
    "compare.ungraded": (
        "{name}: nothing was graded, so nothing was tested; name the questions with --questions",
        "{name}：没有评分，无从检验；请用 --questions 指定问题文件",
    ),
}
