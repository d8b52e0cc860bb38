"""What the verb chat says, in English and Chinese."""

from collections.abc import Mapping

CHATTING: Mapping[str, tuple[str, str]] = {
    "help.chat": (
        "Ask one question after another; a follow-up is understood from what was said before. "
        "Reads a question a line, from a terminal or a pipe.",
        "连续提问；追问时记得前面的问答。每行一个问题，从终端或管道读取。",
    ),
    "chat.welcome": (
        "Ask a question. /help lists commands; Ctrl-C stops a question, Ctrl-D leaves.",
        "请提问。/help 列出命令；Ctrl-C 停止当前问题，Ctrl-D 离开。",
    ),
    "chat.help.search": (
        "/search WORDS  the places that hold some words",
        "/search 词  含有这些词的位置",
    ),
    "chat.help.read": (
        "/read FILE#N  one section",
        "/read 文件#序号  一个段落",
    ),
    "chat.help.next": (
        "/next  the section after it",
        "/next  它的后一段",
    ),
    "chat.help.prev": (
        "/prev  the section before it",
        "/prev  它的前一段",
    ),
    "chat.help.outline": (
        "/outline [PATH]  the headings of documents",
        "/outline [文件]  文档的标题",
    ),
    "chat.help.new": (
        "/new  begin anew: earlier questions are forgotten",
        "/new  重新开始：忘掉前面的问答",
    ),
    "chat.help.sources": (
        "/sources  the sections that the last answer cites, whole",
        "/sources  上一个回答所引各节的全文",
    ),
    "chat.help.help": ("/help  this list", "/help  显示这些命令"),
    "chat.help.quit": ("/quit  leave", "/quit  离开"),
    "chat.new": ("Earlier questions are forgotten.", "前面的问答已忘掉。"),
    "chat.no_sources": ("Nothing has been cited.", "还没有引用。"),
    "chat.nowhere": ("Nothing has been read yet.", "还没有读过段落。"),
    "chat.closest": (
        "There is no command {command}; did you mean {closest}?",
        "没有命令 {command}，是不是 {closest}？",
    ),
    "chat.unknown": ("There is no command {command}; see /help.", "没有命令 {command}，见 /help。"),
}
