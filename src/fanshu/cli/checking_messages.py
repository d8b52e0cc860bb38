"""What the verb check says, in English and Chinese."""

from collections.abc import Mapping

CHECKING: Mapping[str, tuple[str, str]] = {
    "help.check": (
        "What is wrong in the documents: different values for one thing, references and links "
        "that lead nowhere, superseded versions, empty sections and more. No model, no key; "
        "exit 1 when something at least as sure as --fail-on is found.",
        "体检文档：同一事项数值不一致、引用和链接落空、已有新版、空白章节等。不需要模型和密钥；"
        "有达到 --fail-on 程度的问题时以 1 退出。",
    ),
    "help.check_folders": (
        "Folders or files; those of --docs by default.",
        "要检查的文件夹或文件；默认为 --docs。",
    ),
    "help.top": ("Show so many findings; 0 shows all.", "显示前几项；0 为全部。"),
    "help.fail_on": (
        "Exit 1 from this on: high, medium, low, never.",
        "从哪一级起以 1 退出：high、medium、low、never。",
    ),
    "help.check_html": (
        "Write the report as a page that needs nothing else; - is stdout.",
        "把报告写成一个独立网页；- 为标准输出。",
    ),
    "help.deep": (
        "Let the configured model confirm or dismiss findings, with citations.",
        "让配置的模型逐项核实，并给出引用。",
    ),
    "help.deep_limit": (
        "With --deep, ask about so many findings at most.",
        "与 --deep 同用，最多核实几项。",
    ),
    "check.none": ("Nothing found.", "没有发现问题。"),
    "check.sum": (
        "{files} files, {sections} sections; findings: {findings} ({counts}).",
        "{files} 个文件、{sections} 节；发现 {findings} 项（{counts}）。",
    ),
    "check.count": ("{count} {level}", "{level} {count}"),
    "check.rest": ("{count} more: --top 0 shows all.", "另有 {count} 项：--top 0 显示全部。"),
    "check.more": ("and {count} more places", "另有 {count} 处"),
    "check.ignored": (
        "{count} left out by .fanshu/check-ignore.toml.",
        ".fanshu/check-ignore.toml 略去 {count} 项。",
    ),
    "check.unused": (
        "This rule of .fanshu/check-ignore.toml matches nothing any more: {rule}",
        ".fanshu/check-ignore.toml 中的这条规则已不起作用：{rule}",
    ),
    "check.progress": ("Checking", "检查"),
    "check.asking": ("Asking about finding {number} of {count}", "核实第 {number}/{count} 项"),
    "check.no_model": (
        "--deep needs a model: name one with --model, or leave --deep out.",
        "--deep 需要模型：请用 --model 指定，或去掉 --deep。",
    ),
    "check.confirmed": ("confirmed", "核实：成立"),
    "check.dismissed": ("dismissed", "核实：不成立"),
    "check.unclear": ("not decided", "核实：不能确定"),
}
