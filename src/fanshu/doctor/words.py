"""What the doctor says, in English and Chinese: one table."""

from collections.abc import Mapping

from fanshu.doctor.findings import Area, Finding, Level
from fanshu.doctor.symptom_words import SYMPTOM_WORDS, Both, Words
from fanshu.types import Language

AREAS: Mapping[Area, Both] = {
    "model": ("Model", "模型"),
    "index": ("Index", "索引"),
    "documents": ("Documents", "文档"),
    "extras": ("Extras", "附加组件"),
    "settings": ("Settings", "设置"),
    "machine": ("This machine", "本机"),
    "runs": ("Last runs", "最近的运行"),
}
LEVELS: Mapping[Level, Both] = {
    "ok": ("ok", "正常"),
    "note": ("note", "留意"),
    "attention": ("attention", "需处理"),
}

WORDS: Mapping[str, Words] = {
    # model
    "model_none": Words(
        ("no model is named; passages are shown", "没有指定模型；显示原文摘录"),
        cure=(
            "For answers in words: `model`, as openai:gpt-5-mini, or ollama:qwen3 on this machine.",
            "需要由模型作答时：`model`，如 deepseek:deepseek-chat，或本机的 ollama:qwen3。",
        ),
    ),
    "model_bare_key": Words(
        (
            "{name} is set, but no model is named, so nothing is sent to it",
            "已设置 {name}，但未指定模型，因此不会向它发送任何内容",
        ),
        cure=("Name a `model` to use it.", "如需使用请指定 `model`。"),
    ),
    "model_ok": Words(
        (
            "{model} replied in {seconds} s and called the tool it was given ({way})",
            "{model} 在 {seconds} 秒内回复，并调用了给它的工具（{way}）",
        ),
    ),
    "model_no_call": Words(
        (
            "{model} replied in {seconds} s, but did not call the tool it was given ({way})",
            "{model} 在 {seconds} 秒内回复，但没有调用给它的工具（{way}）",
        ),
        cure=(
            "If questions fail as well: `tool_mode` json, or another `model`.",
            "如果提问也失败：把 `tool_mode` 设为 json，或换 `model`。",
        ),
    ),
    "model_failed_now": Words(
        ("{why}", "{why}"),
        cure=(
            "Check `model`, `base_url`, `api_key` and `timeout`.",
            "检查 `model`、`base_url`、`api_key` 和 `timeout`。",
        ),
    ),
    "model_offline": Words(
        ("{model} was not asked (--offline)", "没有询问 {model}（--offline）"),
    ),
    # index
    "index_none": Words(
        ("no index yet at {path}; it is made on first use", "{path} 还没有索引；首次使用时建立"),
    ),
    "store_ok": Words(
        (
            "the store {address} answers, OpenSearch {version}",
            "存储 {address} 可用，OpenSearch {version}",
        )
    ),
    "store_away": Words(
        ("the store cannot be used: {why}", "存储不可用：{why}"),
        cure=(
            "See whether it runs, and whether `store` and the login are right.",
            "请检查它是否运行，`store` 和登录设置是否正确。",
        ),
    ),
    "store_open_line": Words(
        ("the password goes to the store without TLS", "密码未经 TLS 发送给存储"),
        cure=(
            "Use an address that begins with opensearch+https://.",
            "请改用 opensearch+https:// 地址。",
        ),
    ),
    "store_login_shown": Words(
        ("the password stands in the address of the store", "密码写在存储的地址里"),
        cure=("Put it into `store_password_file`.", "请改用 `store_password_file`。"),
    ),
    "store_red": Words(
        (
            "parts of the library are missing; data nodes of the store: {nodes}",
            "资料库有缺失的分片；存储有 {nodes} 个数据节点",
        ),
        cure=("Start the nodes that are down.", "请启动停止的节点。"),
    ),
    "store_yellow": Words(
        (
            "not all copies are there; data nodes of the store: {nodes}",
            "副本不全；存储有 {nodes} 个数据节点",
        ),
        cure=(
            "Start the nodes that are down. One node alone holds no copies: set `store_replicas` "
            "to 0 before a library is made; of one that is there, it changes nothing.",
            "请启动停止的节点。只有一个节点时存不下副本：请在建立资料库之前把 `store_replicas` "
            "设为 0；对已有的资料库不起作用。",
        ),
    ),
    "store_shards": Words(
        ("the store takes only {free} more parts of indices", "存储只能再建 {free} 个分片"),
        cure=("Delete indices that nobody uses, or add nodes.", "请删除不用的索引，或增加节点。"),
    ),
    "store_disk": Words(
        ("disks of the store are nearly full: {nodes}", "存储的磁盘将满：{nodes}"),
        cure=("Make room, or nothing can be written soon.", "请腾出空间，否则不久将无法写入。"),
    ),
    "store_root_stale": Words(
        (
            "the root {root} ({path} on {host}) has not been compared for over a minute",
            "根 {root}（{host} 上的 {path}）超过一分钟未核对",
        ),
        cure=(
            "Have that machine run `fanshu serve` or `fanshu index --watch`.",
            "请在那台机器上运行 `fanshu serve` 或 `fanshu index --watch`。",
        ),
    ),
    "store_asked": Words(
        (
            "no documents are named, so that this machine only asks",
            "没有指定文档，本机只查询",
        )
    ),
    "index_ok": Words(
        (
            "{path}: {files} files, {chunks} chunks, {mb} MB, format {schema}",
            "{path}：{files} 个文件，{chunks} 个段落，{mb} MB，格式 {schema}",
        ),
    ),
    "index_behind": Words(
        (
            "{count} files differ from the index; the next command brings it up to date",
            "{count} 个文件与索引不同；下一条命令会更新",
        ),
    ),
    "index_stuck": Words(
        (
            "the index may only be read, and {count} files differ from it",
            "索引只读，而有 {count} 个文件与它不同",
        ),
        cure=(
            "Have whoever owns it run `fanshu index`, or use another `index`.",
            "请其所有者运行 `fanshu index`，或改用另一个 `index`。",
        ),
    ),
    "index_read_only": Words(("the index may only be read", "索引只读")),
    "index_old": Words(
        (
            "the index is of another version ({schema}); it is made again on next use",
            "索引属于另一版本（{schema}）；下次使用时重建",
        ),
    ),
    "index_unusable": Words(
        ("{why}", "{why}"),
        cure=("Choose another place with `index`.", "用 `index` 另选位置。"),
    ),
    # documents
    "docs_missing": Words(("{why}", "{why}"), cure=("Name them with `docs`.", "用 `docs` 指定。")),
    "docs_empty": Words(
        ("no document of {path} can be read", "{path} 中没有能读的文档"),
        cure=(
            "Is `docs` the right folder, and does `exclude` leave anything? `fanshu status` lists "
            "every file.",
            "`docs` 是否正确，`exclude` 是否全排除了？`fanshu status` 列出每个文件。",
        ),
    ),
    "docs_ok": Words(("{files} files can be read", "{files} 个文件可读")),
    "docs_unknown": Words(
        ("not looked at yet: there is no index", "尚未查看：还没有索引"),
        cure=("`fanshu index` reads them.", "`fanshu index` 会读取。"),
    ),
    "docs_encrypted": Words(
        ("{count} need a password: {files}", "{count} 个需要密码：{files}"),
        cure=(
            "Save them without one, or leave them out with `exclude`.",
            "另存为无密码的文件，或用 `exclude` 排除。",
        ),
    ),
    "docs_no_text": Words(
        ("{count} have pages without text: {files}", "{count} 个有无文字的页：{files}"),
        cure=(
            "Install OCR ({install}), then `fanshu index`.",
            "安装 OCR（{install}），再运行 `fanshu index`。",
        ),
    ),
    "docs_without_text": Words(
        (
            "{count} have pages in which OCR found nothing: {files}",
            "{count} 个有 OCR 也识别不出文字的页：{files}",
        ),
        cure=(
            "If they are pictures only, leave them out with `exclude`.",
            "如果只有图片，可用 `exclude` 排除。",
        ),
    ),
    "docs_ocr": Words(
        ("{count} wait for OCR: {files}", "{count} 个等待 OCR：{files}"),
        cure=("`fanshu index` recognises them.", "`fanshu index` 会识别。"),
    ),
    "docs_failed": Words(
        ("{count} failed, {reason}: {files}", "{count} 个失败，{reason}：{files}"),
        cure=(
            "Open them in their own program and save them again, or leave them out with "
            "`exclude`; larger machines need less time for the same file.",
            "用原来的程序打开并重新保存，或用 `exclude` 排除；更快的机器读同一文件用时更少。",
        ),
    ),
    "docs_need": Words(
        ("{count} are not read, {reason}: {files}", "{count} 个没有读，{reason}：{files}"),
        cure=(
            "Install it; the next command reads them.",
            "安装后，下一条命令就会读取。",
        ),
    ),
    "docs_large": Words(
        ("{count} are too large: {files}", "{count} 个过大：{files}"),
        cure=("Raise `max_file_mb`.", "调大 `max_file_mb`。"),
    ),
    "docs_lossy": Words(
        ("{count} hold bytes that are no text: {files}", "{count} 个含有无法解码的字节：{files}"),
        cure=("Save them as UTF-8.", "另存为 UTF-8。"),
    ),
    "docs_skipped": Words(
        ("{count} are of kinds that are not read", "{count} 个是不读的类型"),
    ),
    # extras
    "extra_there": Words(("{name} is there", "已有 {name}")),
    "extra_missing": Words(
        ("{name} is not installed; no document needs it", "没有安装 {name}；也没有文档需要它"),
    ),
    # settings
    "settings_from": Words(("{file}: {names}", "{file}：{names}")),
    "settings_default": Words(("all as they come", "全部为默认")),
    "settings_dropped": Words(
        (
            "{file}: {names} ignored: a settings file beside documents may not set this",
            "{file}：已忽略 {names}：放在文档旁的设置文件不能设置这些",
        ),
        cure=(
            "Put it into {owner}, or name the file with --config.",
            "请写入 {owner}，或用 --config 指定该文件。",
        ),
    ),
    "settings_unknown": Words(
        ("no such setting: {names}", "没有这些设置：{names}"),
        cure=("`fanshu config` lists all names.", "`fanshu config` 列出全部名称。"),
    ),
    "settings_no_trace": Words(
        ("no traces are kept, so runs cannot be examined", "不保存记录，因此无法检查以往的运行"),
        cure=("Set `trace` to true.", "把 `trace` 设为 true。"),
    ),
    # machine
    "disk_ok": Words(("{gb} GB free at {path}", "{path} 可用 {gb} GB")),
    "disk_low": Words(
        ("only {mb} MB free at {path}", "{path} 只剩 {mb} MB"),
        cure=(
            "Make room (`fanshu purge` shows what fanshu keeps), or choose another place with "
            "`index`.",
            "请腾出空间（`fanshu purge` 列出保存的内容），或用 `index` 另选位置。",
        ),
    ),
    # runs
    "runs_none": Words(("no traces are kept yet", "还没有记录")),
    "runs_ok": Words(("{runs} runs without trouble", "{runs} 次运行没有异常")),
    **SYMPTOM_WORDS,
}
SHARE: Both = ("{count} of {runs} runs, such as {trace}", "{runs} 次运行中 {count} 次，如 {trace}")


def said(finding: Finding, language: Language) -> str:
    """What was found, in one line."""
    zh = language == "zh"
    text = WORDS[finding.code].said[zh].format(**finding.values)
    if finding.code in SYMPTOM_WORDS:
        joined = "（{}）" if zh else " ({})"
        text += joined.format(SHARE[zh].format(**finding.values))
    return text


def cause(finding: Finding, language: Language) -> str:
    """Why it is so, or nothing."""
    return WORDS[finding.code].cause[language == "zh"].format(**finding.values)


def cure(finding: Finding, language: Language) -> str:
    """What to do about it, or nothing."""
    return WORDS[finding.code].cure[language == "zh"].format(**finding.values)
