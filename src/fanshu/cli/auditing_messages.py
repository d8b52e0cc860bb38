"""What the verbs about audits and health say, in English and Chinese."""

from collections.abc import Mapping

AUDITING: Mapping[str, tuple[str, str]] = {
    "help.explain": (
        "After the answer, say where each figure stands and how the checks came out.",
        "在回答之后说明每个数字的出处和核对结果。",
    ),
    "help.html": (
        "Write it as a page that needs nothing else, each citation beside its source; - is stdout.",
        "写成一个独立网页，引用与原文并列；- 为标准输出。",
    ),
    "help.trace_rescore": (
        "Check old answers against the files of today; exit 1 when one differs.",
        "用现在的文件重新核对以前的回答；有出入时以 1 退出。",
    ),
    "help.rescore_ids": (
        "Traces as shown by trace list; the newest by default.",
        "trace list 显示的编号；默认为最新的一条。",
    ),
    "help.rescore_all": ("Every trace that is kept.", "保存的全部记录。"),
    "help.doctor": (
        "What is wrong with the model, the index, the files or the last runs, and what to do; "
        "exit 1 when something needs attention.",
        "检查模型、索引、文件和最近的运行，说明问题和办法；有需要处理的以 1 退出。",
    ),
    "help.offline": ("Do not ask the model anything.", "不向模型发送请求。"),
    "doctor.well": ("Nothing needs attention.", "没有需要处理的问题。"),
    "doctor.ill": ("{count} need attention.", "{count} 项需要处理。"),
    "trace.written": ("written: {path}", "已写入：{path}"),
}
