"""What the terminal says, in English and Chinese: one table, nothing else."""

import locale
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from fanshu.cli.approving_messages import APPROVING
from fanshu.cli.auditing_messages import AUDITING
from fanshu.cli.chatting_messages import CHATTING
from fanshu.cli.checking_messages import CHECKING
from fanshu.cli.connecting_messages import CONNECTING
from fanshu.cli.details import in_chinese, plainly
from fanshu.cli.errors_messages import ERRORS_ZH
from fanshu.cli.meanings import SETTINGS_ZH
from fanshu.cli.measuring_messages import MEASURING
from fanshu.cli.records_messages import RECORDS
from fanshu.cli.reporting_messages import REPORTING
from fanshu.cli.serving_messages import SERVING
from fanshu.cli.storing_messages import STORING
from fanshu.errors import FanshuError
from fanshu.types import Language

MESSAGES: Mapping[str, tuple[str, str]] = {
    **APPROVING,
    **RECORDS,
    **STORING,
    **SERVING,
    **CONNECTING,
    # status of an answer
    "status.answered": ("quotes checked", "原文核对一致"),
    "status.partial": ("partial: see below what is missing", "部分回答：缺少的内容见下"),
    "status.unfinished": ("no answer; what was found is below", "没有得出答案，已找到的见下"),
    "status.passages": (
        "passages from the documents, no model used",
        "原文摘录（未经模型整理）",
    ),
    "status.not_found": ("not found in the documents", "文档中未找到"),
    "status.error": ("failed", "出错"),
    "stats.no_model": ("passages", "原文摘录"),
    "answer.add_model": (
        "For an answer in words, name a model: --model openai:gpt-5-mini, or ollama:qwen3 "
        "on this machine.",
        "需要由模型作答时，请指定模型：--model deepseek:deepseek-chat，或本机的 ollama:qwen3。",
    ),
    "answer.unsupported": ("not in the cited text: {item}", "引文中没有：{item}"),
    "answer.derived": ("{figure} = {arithmetic}", "{figure} = {arithmetic}"),
    "answer.related": ("Nearest in the documents:", "文档中最接近的内容："),
    "answer.searched": ("Searched for: {words}", "搜索过：{words}"),
    "answer.rejected": (
        "citations removed, because their quotes do not stand in the text: {count}",
        "删去 {count} 处引用：引文与原文不符",
    ),
    "answer.unverified": ("Not checked, keep_unverified:", "未经核对（keep_unverified）："),
    "answer.no_calls": (
        "The model made no usable call of a tool, so it could not look anything up; some models "
        "cannot. Choose another one. What it said is in `fanshu trace show last`, and is shown "
        "with --keep-unverified.",
        "模型没有作出可用的工具调用，因此什么也没查；有些模型不会调用工具，请换一个。"
        "它说的话见 `fanshu trace show last`，加 --keep-unverified 也会显示。",
    ),
    "answer.newer": ("a newer version exists: {path}", "有更新的版本：{path}"),
    "answer.pictures": ("pictures: {names}", "图：{names}"),
    "answer.as_of": ("documents as of {time}", "文档截至 {time}"),
    "answer.cached": ("from the cache, checked again", "来自缓存，已重新核对"),
    "stats.rounds": ("rounds: {rounds}", "{rounds} 轮"),
    "stats.tokens": ("tokens: {tokens}", "{tokens} tokens"),
    "stats.seconds": ("{seconds:.1f} s", "{seconds:.1f} 秒"),
    "stats.trace": ("trace {trace_id}", "记录 {trace_id}"),
    "stop.max_rounds": ("all rounds were used", "轮数已用完"),
    "stop.loop": ("the model repeated itself", "模型重复同样的动作"),
    "stop.bad_calls": ("the model's calls were unusable", "模型的调用无法使用"),
    "stop.budget": ("the token budget was used up", "token 预算已用完"),
    "stop.deadline": ("the time was up", "时间已到"),
    "stop.interrupted": ("interrupted", "已中断"),
    "stop.model_error": ("the model failed", "模型出错"),
    # places
    "place.lines": ("lines {a}-{b}", "第 {a}-{b} 行"),
    "place.line": ("line {a}", "第 {a} 行"),
    "place.page": ("page {page}", "第 {page} 页"),
    # live steps
    "step.search": ("search {words} → found: {total}", "搜索 {words} → {total} 处"),
    "step.read": ("read {place}", "阅读 {place}"),
    "step.next": ("turn the page: {place}", "翻到下一段：{place}"),
    "step.prev": ("turn back: {place}", "翻到上一段：{place}"),
    "step.end": ("the document ends here", "文档到此为止"),
    "step.outline": ("look at the outline {path}", "查看目录 {path}"),
    "step.summarize": ("note: {summary}", "记下：{summary}"),
    "step.answer": ("check the answer", "核对答案"),
    "step.failed": ("{step}: not possible", "{step}：未成功"),
    "step.ahead": ("first search: {words} → found: {total}", "先搜索 {words} → {total} 处"),
    "step.bounced": ("sent back: {objections}", "退回修改：{objections}"),
    "step.thinking": ("round {round} of {rounds}", "第 {round}/{rounds} 轮"),
    "step.again": ("search {words}", "搜索 {words}"),
    "step.waiting": ("waiting {seconds:.0f} s: {reason}", "等待 {seconds:.0f} 秒：{reason}"),
    "index.waiting": (
        "Another process is writing the index; waiting for it.",
        "另一个进程正在写索引，等待中。",
    ),
    "index.busy": (
        "It is still writing: what follows is the index as it stands, and may be behind.",
        "它仍在写：以下按索引的现状给出，可能不是最新。",
    ),
    "index.again": ("{why} Trying again.", "{why} 稍后重试。"),
    "index.no_docs": (
        "No documents are named, so nothing is indexed here: name them by --docs NAME=FOLDER.",
        "没有指定文档，本机不索引任何内容；请用 --docs 名称=文件夹 指定。",
    ),
    "index.watching": (
        "Watching for changes; Ctrl-C ends.",
        "正在等待文件变化；按 Ctrl-C 结束。",
    ),
    "help.watch": ("Go on, and follow changes of the files.", "持续运行，跟随文件变化。"),
    "index.renewed": (
        "the index is of an earlier version of fanshu (format {format}) and is made anew",
        "索引来自较早版本的 fanshu（格式 {format}），正在重建",
    ),
    "index.large": ("reading {path} ({files:,} files)", "正在读取 {path}（{files:,} 个文件）"),
    "index.progress": ("Reading documents", "读取文档"),
    "ocr.progress": ("Recognising pages", "识别页面"),
    "ocr.done": (
        "OCR: {pages} pages in {files} files, {failed} failed, {seconds:.1f} s",
        "OCR：{files} 个文件的 {pages} 页，失败 {failed} 页，{seconds:.1f} 秒",
    ),
    "ocr.trouble": ("OCR did not go on: {trouble}", "OCR 未能进行：{trouble}"),
    # search, read, outline, status
    "read.end": ("There is nothing further in this document.", "本文档到此为止。"),
    "status.files": ("files: {files}", "文件 {files}"),
    "status.text": (
        "{chunks} chunks, {characters} characters",
        "{chunks} 个段落，{characters} 字",
    ),
    "status.index": ("index {index}, {mb:.1f} MB", "索引 {index}，{mb:.1f} MB"),
    "status.all_ok": ("Every file was read.", "所有文件都已读取。"),
    "index.done": (
        "{parsed} read, {unchanged} unchanged, {removed} removed, {renamed} renamed, "
        "{seconds:.1f} s",
        "读取 {parsed}，未变 {unchanged}，删除 {removed}，改名 {renamed}，{seconds:.1f} 秒",
    ),
    "state.ok": ("ok", "正常"),
    "state.failed": ("failed", "失败"),
    "state.no_text": ("no text", "无文字"),
    "state.partial_text": ("partly without text", "部分无文字"),
    "state.ocr_pending": ("waiting for OCR", "待识别"),
    "state.encrypted": ("encrypted", "已加密"),
    "state.skipped": ("skipped", "跳过"),
    # suggestions
    "suggest.none": ("Nothing in the documents is like these words.", "文档里没有与这些词相近的。"),
    "suggest.stopped": (
        "Not searched to the end: the time was up (setting search_seconds); there may be more.",
        "没有查完：时间已到（设置 search_seconds），可能还有。",
    ),
    "suggest.places": ("places: {places}", "{places} 处"),
    "suggest.near": ("a near word for {source}", "与“{source}”相近"),
    "suggest.synonyms": ("a synonym of {source}", "“{source}”的同义词"),
    "suggest.documents": ("another name of {source}", "“{source}”的别称"),
    "suggest.words": ("your rarest words{source}", "问题中较少见的词{source}"),
    "suggest.title": ("title of {source}", "{source} 的标题"),
    "suggest.heading": ("a heading in {source}", "{source} 中的小标题"),
    "synonyms.fault": ("synonyms: {detail}", "同义词：{detail}"),
    # help
    "help.app": (
        "Ask a folder of documents; get short answers whose quotes are checked.",
        "就一个文件夹里的文档提问，得到简短、引文经过核对的回答。",
    ),
    "help.ask": ("Ask a question.", "提一个问题。"),
    "help.search": ("Find the places that hold some words.", "查找含有这些词的位置。"),
    "help.read": (
        "Show one chunk, or the one after or before it.",
        "显示一个段落，或它的后一段、前一段。",
    ),
    "help.outline": ("List the headings of documents.", "列出文档的标题。"),
    "help.index": ("Bring the index up to date, and say how it went.", "更新索引并报告结果。"),
    "help.suggest": (
        "Searches worth trying, made of words that occur.",
        "用文档里有的词，给出值得一试的查法。",
    ),
    "help.suggest_words": (
        "Words that found little, or a whole question.",
        "查不到的词，或整个问题。",
    ),
    "help.status": ("Every file with its state, and totals.", "每个文件的状态和总数。"),
    "help.section": ("{title}:", "{title}："),
    "help.title.Usage": ("Usage", "用法"),
    "help.title.Arguments": ("Arguments", "参数"),
    "help.title.Options": ("Options", "选项"),
    "help.title.Commands": ("Commands", "命令"),
    "help.default": ("(default: {value})", "（默认：{value}）"),
    "help.example": ("Example: {example}", "例：{example}"),
    "help.fresh": (
        "Ask the model even if the answer is in the cache.",
        "即使缓存中有答案，也重新问模型。",
    ),
    "help.question": (
        "The question, in your own words; - reads it from stdin.",
        "用自己的话提问；- 表示从标准输入读取。",
    ),
    "help.words": (
        "Words to find; | separates wordings.",
        "要找的词；几种说法之间用 | 分隔。",
    ),
    "help.k": ("How many hits to show.", "显示几处。"),
    "help.path": ("Only in this file or folder.", "只在此文件或文件夹中。"),
    "help.outline_path": (
        "A file or folder, or a section as FILE#N or by its heading; everything by default.",
        "文件或文件夹，或一节：文件#N 或标题；默认全部。",
    ),
    "help.outline_words": (
        "Only headings that hold one of these words.",
        "只列含有其中一个词的标题。",
    ),
    "help.chunk_id": ("As shown by search: file#number.", "search 显示的编号：文件#序号。"),
    "help.next": ("The chunk after it.", "它的后一段。"),
    "help.prev": ("The chunk before it.", "它的前一段。"),
    "help.strict": ("Exit 1 when a file could not be read.", "有文件未能读取时以 1 退出。"),
    "help.failed": ("Only files that could not be read whole.", "只列未能完整读取的文件。"),
    "help.panel": ("Documents and model", "文档与模型"),
    "help.more": ("More", "更多"),
    "option.config": ("Settings file to use instead of the usual ones.", "改用这个设置文件。"),
    "option.json": ("One JSON document on stdout.", "在标准输出给出一个 JSON。"),
    "option.verbose": ("Say each step even when nobody watches.", "不在终端时也逐步输出。"),
    "option.version": ("Show the version and exit.", "显示版本并退出。"),
    "help.completion": (
        "What a shell loads to complete commands, options, documents and sections.",
        "供 shell 补全命令、选项、文档与段落的脚本。",
    ),
    "help.completion_shell": ("The shell that it is for.", "用于哪种 shell。"),
    "failure.shell": ("it is none of {shells}.", "不是 {shells} 之一。"),
    # hints and failures
    "hint.bare_key": (
        "{name} is set, but no model is named, so nothing is sent to it. Use --model to do so.",
        "已设置 {name}，但未指定模型，因此不会向外发送任何内容。如需使用请加 --model。",
    ),
    "warn.dropped": (
        "{file}: {names} ignored: a settings file beside documents may not set this. "
        "Put it into {owner}, or name the file with --config.",
        "{file}：已忽略 {names}：放在文档旁的设置文件不能设置这些。"
        "请写入 {owner}，或用 --config 指定该文件。",
    ),
    "failure.interrupted": ("Interrupted.", "已中断。"),
    "failure.no_question": ("the question is empty.", "问题是空的。"),
    "failure.usage": ("{detail} See `{command} --help`.", "{detail}参见 `{command} --help`。"),
    "failure.dash": (
        "To look for {word} itself, put it after --: {command}",
        "如要查 {word} 本身，请放在 -- 之后：{command}",
    ),
    "failure.stop": (".", "。"),
    "failure.output": (
        "The output cannot be written: {detail}.",
        "结果写不出去：{detail}。",
    ),
    "failure.unexpected": (
        "Unexpected failure: {detail}. FANSHU_DEBUG=1 shows where; please report it.",
        "意外错误：{detail}。设置 FANSHU_DEBUG=1 可查看位置，欢迎反馈。",
    ),
    **AUDITING,
    **CHATTING,
    **CHECKING,
    **MEASURING,
    **REPORTING,
}


@dataclass(frozen=True, slots=True)
class Texts:
    """The table in one language."""

    language: Language

    def __call__(self, key: str, **fields: object) -> str:
        """The message `key` with its fields filled in."""
        return MESSAGES[key][self.language == "zh"].format(**fields)

    def known(self, key: str, fallback: str) -> str:
        """A message that need not be in the table."""
        return self(key) if key in MESSAGES else fallback

    def setting(self, name: str, meaning: str) -> str:
        """What a setting means; `meaning` is the English of the settings table."""
        return SETTINGS_ZH[name] if self.language == "zh" else meaning

    def error(self, error: FanshuError) -> str:
        """An error in one line."""
        zh = ERRORS_ZH.get(error.code) if self.language == "zh" else None
        if zh is None:
            return " ".join(str(error).split())
        fields = dict(error.fields)
        for name in ("detail", "variables"):  # what else there is are names and numbers
            if isinstance(said := fields.get(name), str):
                fields[name] = self.detail(said)
        parts = (part.format(**fields) for part in zh if error.worth(part))
        return " ".join("".join(parts).split())

    def detail(self, text: str) -> str:
        """A reason of a file, or a particular of an error, as people read it."""
        return plainly(text, self.language)

    def sentence(self, text: str) -> str:
        """An error that comes as its English sentence, as those of an answer do."""
        return in_chinese(text, _sentences()) if self.language == "zh" else text


@cache
def _sentences() -> Mapping[str, str]:
    """Every error in English, as templates, with its Chinese."""
    known = {}
    for kind in _kinds(FanshuError):
        if kind.code in ERRORS_ZH and kind.message != FanshuError.message:
            english = f"{kind.message} {kind.hint}".strip()
            # What is printed with quotes has them already.
            known[english] = "".join(ERRORS_ZH[kind.code]).replace("!r}", "}").replace(":.0f}", "}")
    return known


def _kinds(kind: type[FanshuError]) -> Iterator[type[FanshuError]]:
    for child in kind.__subclasses__():
        yield from _kinds(child)
        yield child


def asked_language(arguments: Sequence[str]) -> str:
    """What `--language` says on a command line that is not parsed yet; `auto` without it."""
    for number, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if name == "--language":
            return value if equals else "".join(arguments[number + 1 : number + 2])
    return "auto"


def language_of(setting: str = "auto") -> Language:
    """The language of messages: the setting, else the locale's, else English."""
    if setting != "auto":
        return "zh" if setting == "zh" else "en"
    for name in ("FANSHU_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value and value != "auto":
            return "zh" if value.lower().startswith("zh") else "en"
    named = locale.getlocale()[0] or ""
    return "zh" if named.lower().startswith(("zh", "chinese")) else "en"
