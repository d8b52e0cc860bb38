"""What the verbs about settings, traces, cached answers and purging say: English and Chinese."""

from collections.abc import Mapping

RECORDS: Mapping[str, tuple[str, str]] = {
    "option.language": (
        "Of messages and help: zh or en; by default that of the system.",
        "消息和帮助的语言：zh 或 en；默认随系统。",
    ),
    "help.purge": (
        "Show what fanshu keeps on this machine (indexes, traces, cached answers, what was typed), "
        "or remove it.",
        "列出 fanshu 在本机保存的内容（索引、记录、缓存的回答、输入历史），或将其删除。",
    ),
    "help.yes": ("Remove it all; nothing is asked.", "全部删除，不再询问。"),
    "help.only": ("Only what is named so.", "只管这一类。"),
    "purge.kept": (
        "{count} kept, {mb:.1f} MB. With --yes they are removed.",
        "共 {count} 项，{mb:.1f} MB。加 --yes 即删除。",
    ),
    "purge.removed": ("{count} removed, {mb:.1f} MB.", "已删除 {count} 项，{mb:.1f} MB。"),
    "trace.none": ("No traces are kept.", "没有保存的记录。"),
    "trace.question": ("Question: {question}", "问题：{question}"),
    "trace.round": ("Round {round}", "第 {round} 轮"),
    "trace.same": ("{calls} calls repeated, nothing changed", "重做 {calls} 次调用，结果一致"),
    "trace.changed": ("changed, round {round}: {call}", "有变化，第 {round} 轮：{call}"),
    "trace.changes": (
        "{calls} calls repeated, {changed} changed",
        "重做 {calls} 次调用，{changed} 次结果有变化",
    ),
    "config.unset": ("(not set)", "（未设置）"),
    "config.default": ("default", "默认"),
    "config.environment": ("environment", "环境变量"),
    "config.unknown": ("no such setting: {names}", "没有这些设置：{names}"),
    "config.flag": ("flag", "命令行"),
    "help.config": ("The settings in force and where each comes from.", "生效的设置及其来源。"),
    "help.trace": ("Records of earlier runs.", "以往运行的记录。"),
    "help.trace_list": ("The traces that are kept, newest first.", "保存的记录，最新的在前。"),
    "help.trace_check": (
        "Also whether what each answer cites is still written there.",
        "同时说明每个回答所引的原文是否还在。",
    ),
    "trace.state": ("its evidence: {state}", "依据{state}"),
    "help.trace_show": ("One run, round by round.", "逐轮显示一次运行。"),
    "help.trace_replay": (
        "Make the calls of a run again, without a model, and report what changed.",
        "不用模型，重做一次运行中的调用，报告有变化的结果。",
    ),
    "help.trace_id": ("As shown by trace list.", "trace list 显示的编号。"),
    # cached answers
    "help.cache": ("Answers that are kept with their evidence.", "连同依据一起保存的回答。"),
    "help.cache_list": (
        "The answers that are kept, last used first.",
        "保存的回答，最近用过的在前。",
    ),
    "help.cache_show": ("One answer, and what it rests on.", "一个回答及其依据。"),
    "help.cache_clear": ("Remove one answer, or all.", "删除一个回答，或全部删除。"),
    "help.cache_stats": (
        "How much is kept, and how often it was of use.",
        "保存了多少，用上了多少次。",
    ),
    "help.cache_id": ("As shown by cache list.", "cache list 显示的编号。"),
    "cache.none": ("No answers are kept.", "没有保存的回答。"),
    "cache.used": ("used: {hits}", "用过 {hits} 次"),
    "cache.looks": ("It counts while these calls show the same:", "以下调用的结果不变，它才有效："),
    "cache.state": (
        "It counts while nothing in the index changes.",
        "索引中没有任何变化，它才有效。",
    ),
    "cache.found": ("{tool} {arguments} → found: {count}", "{tool} {arguments} → {count} 处"),
    "cache.cleared": ("removed: {count}", "已删除 {count} 个"),
    "cache.kept": (
        "answers: {entries}, {mb:.1f} MB in {path}",
        "{entries} 个回答，{mb:.1f} MB，在 {path}",
    ),
    "cache.counts": (
        "answered from the cache: {hits} · evidence had changed: {stale} · not known: {misses} · "
        "tokens saved: {tokens:,}",
        "由缓存回答 {hits} 次 · 依据已变 {stale} 次 · 没有 {misses} 次 · 省下 {tokens:,} tokens",
    ),
}
