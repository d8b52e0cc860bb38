"""What the rooms below say in English, as people read it: reasons of files, particulars of errors.

JSON keeps the words as they are. A row is a pattern, with names in braces for what varies,
and how it is said in English and in Chinese; None keeps the English. Of what varies, only
`SPEAKING` is looked up in its turn: names and paths are no words. What no row knows stays
as it is.
"""

import re
from collections.abc import Mapping
from functools import cache

from fanshu.cli.approving_messages import APPROVING_PARTICULARS
from fanshu.types import COUNTED, TOO_MANY, TOO_SLOW, Language

SPEAKING = frozenset({"detail", "why", "reason", "state", "text", "kind", "variables"})
SHAPES = {"pages": r"[\d, -]*\d", "more": r"[\d, -]*\d", "count": r"[\d,]*\d"}

REASONS: tuple[tuple[str, str | None, str], ...] = (
    ("needs_ocr: {detail}", "no text layer: {detail}", "没有文字层：{detail}"),
    ("needs_ocr", "no text layer", "没有文字层"),
    ("not_pdf", "not a PDF, whatever its name says", "扩展名是 PDF，内容不是"),
    ("encrypted", "needs a password", "需要密码"),
    ("unsupported type {kind}", "{kind} files are not read", "不读 {kind} 文件"),
    ("unsupported: {kind}", "{kind} files are not read", "不读 {kind} 文件"),
    ("(none)", "extensionless", "无扩展名"),
    ("no extension", "extensionless", "无扩展名"),
    ("larger than {mb} MB", None, "大于 {mb} MB"),
    ("empty", None, "空文件"),
    ("no_text", "no text", "无文字"),
    ("skipped", None, "跳过"),
    ("failed", None, "失败"),
    ("binary", "no text but binary data", "二进制内容"),
    ("lossy decoding", "some bytes were no text", "有些字节无法解码"),
    ("corrupt: {detail}", "damaged: {detail}", "文件损坏：{detail}"),
    ("timeout: not read within {seconds} seconds", None, "{seconds} 秒内没有读完"),
    ("timeout: not converted in {seconds} seconds", None, "{seconds} 秒内没有转换完"),
    ("timeout: more than {seconds} seconds", None, "超过 {seconds} 秒"),
    ("crashed: {detail}", "its reader crashed: {detail}", "读取程序崩溃：{detail}"),
    ("memory: more than {mb} MB needed", None, "需要 {mb} MB 以上内存"),
    ("refused: {detail}", None, "拒绝读取：{detail}"),
    ("the file holds a DOCTYPE", None, "文件含有 DOCTYPE"),
    ("more than {count} characters", None, "超过 {count} 字"),
    ("unpacks to {mb} MB in {parts} parts", None, "解压后有 {mb} MB、{parts} 个部分"),
    ("nested too deep", None, "嵌套过深"),
    ("folder nested too deep", None, "文件夹嵌套过深"),
    ("lock file of an open document", None, "打开中的文档的锁文件"),
    ("only pictures: {count}", None, "只有图片：{count}"),
    ("only pictures", None, "只有图片"),
    ("unreadable folder: {detail}", None, "文件夹不可读：{detail}"),
    ("unreadable: {detail}", None, "不可读：{detail}"),
    ("Permission denied", None, "没有权限"),
    ("a Python environment", None, "Python 环境"),
    ("not a regular file", None, "不是普通文件"),
    ("broken link", None, "失效的链接"),
    ("link out of the folder", None, "链接指向文件夹之外"),
    ("link to another file of the folder", None, "链接指向文件夹内的另一文件"),
    ("needs LibreOffice to read {kind}: {how}", None, "读取 {kind} 需要 LibreOffice：{how}"),
    ("needs {what}", None, "需要 {what}"),
    (
        "{path}, line {count}: {why}; the line is left out",
        None,
        "{path} 第 {count} 行：{why}，略过",
    ),
    ("{path}: {count} more lines are left out", None, "{path}：另有 {count} 行略过"),
    ("{path}: only the first {mb} MB are read", None, "{path}：只读前 {mb} MB"),
    ("{path}: it is no text; nothing is taken from it", None, "{path}：不是文本，不采用"),
    ("{path}: it is no file; nothing is taken from it", None, "{path}：不是文件，不采用"),
    ("{path}: it leads out of the documents and is not read", None, "{path}：指向文档之外，不读"),
    ("{path}: it cannot be read: {reason}", None, "{path}：无法读取：{reason}"),
    ("it has only one word", None, "只有一个词"),
    ("it has more than one =>", None, "=> 多于一个"),
    ("one side of => is empty", None, "=> 有一边是空的"),
    ("a word is longer than {count} characters", None, "有词超过 {count} 字"),
    ("a word has neither letters nor digits", None, "有词不含文字和数字"),
    ("No such file or directory", None, "没有这个文件"),
    ("no text found by OCR", None, "OCR 没有识别出文字"),
    ("page {pages} by OCR", None, "第 {pages} 页由 OCR 识别"),
    ("pages {pages} by OCR", None, "第 {pages} 页由 OCR 识别"),
    (
        "page {pages} waits for OCR; `fanshu index` reads it",
        None,
        "第 {pages} 页待 OCR；`fanshu index` 会识别",
    ),
    (
        "pages {pages} wait for OCR; `fanshu index` reads them",
        None,
        "第 {pages} 页待 OCR；`fanshu index` 会识别",
    ),
    ("to read it: {how}", None, "如需识别：{how}"),
    ("to read them: {how}", None, "如需识别：{how}"),
    ("page {pages} empty", None, "第 {pages} 页无文字"),
    ("pages {pages} empty", None, "第 {pages} 页无文字"),
    ("pages {pages} empty, pages {more} not read", None, "第 {pages} 页无文字，{more} 页未读"),
    ("page {pages} not recognised: {why}", None, "第 {pages} 页识别失败：{why}"),
    ("pages {pages} not recognised: {why}", None, "第 {pages} 页识别失败：{why}"),
    ("pages {pages} not read", None, "第 {pages} 页未读"),
    ("no files", None, "没有文件"),
)

PARTICULARS: tuple[tuple[str, str], ...] = (
    (
        "it is an index of another version of fanshu, and may only be read here; "
        "whoever owns it renews it with `fanshu index`",
        "它是另一版本的 fanshu 建的索引，这里只能读取；请由其所有者运行 `fanshu index` 更新",
    ),
    # settings
    ("{detail} (from {origin})", "{detail}（来自 {origin}）"),
    ("it must be at most {limit}", "不能大于 {limit}"),
    ("it must be at least {limit}", "不能小于 {limit}"),
    ("it must be more than {limit}", "必须大于 {limit}"),
    ("it must be a whole number", "必须是整数"),
    ("it must be a number", "必须是数字"),
    ("it must be a finite number", "必须是有限的数"),
    ("'auto', 'zh' or 'en'", "auto、zh、en"),
    ("it must be true or false", "必须是 true 或 false"),
    ("it must be text", "必须是文字"),
    ("it must be a list", "必须是列表"),
    ("it must be one of {names}", "必须是 {names} 之一"),
    ("it names no folder", "没有写文件夹"),
    ("there is no setting of that name", "没有这个设置"),
    (
        "there is no file {path}; `fanshu status` names that of an index",
        "没有文件 {path}；`fanshu status` 会显示索引的文件",
    ),
    ("there is no file {path}", "没有文件 {path}"),
    ("it cannot be read: {detail}", "无法读取：{detail}"),
    ("Invalid git pattern: {pattern}", "模式写法有误：{pattern}"),
    ("it needs --model, the name of the model there", "还需要用 --model 给出那里的模型名称"),
    ("{url} is not an http(s) address", "{url} 不是 http(s) 地址"),
    (
        "{name} names no provider; begin it with one of {known} or give --base-url",
        "{name} 没有指明服务；请以 {known} 之一开头，或给出 --base-url",
    ),
    (
        "{name} needs a package that is not installed: {how}",
        "{name} 需要的软件包没有安装：{how}",
    ),
    ("{name} names both {one} and {other}", "{one} 与 {other} 同名（{name}）"),
    (
        "{index} lies among the documents of {folder}, which are only ever read",
        "{index} 在文档文件夹 {folder} 之内，而文档只读不写",
    ),
    ("{system} is none of {names}", "{system} 不是 {names} 之一"),
    # index, chunks
    ("{count} ok", "{count} 个正常"),
    ("{count} skipped", "{count} 个跳过"),
    ("{count} failed", "{count} 个失败"),
    ("{count} no text", "{count} 个无文字"),
    ("{count} ocr pending", "{count} 个待识别"),
    ("{count} partial text", "{count} 个部分无文字"),
    ("{count} encrypted", "{count} 个已加密"),
    ("it lies on a network drive ({kind})", "它在网络盘上（{kind}）"),
    (
        "{detail}; if it is an index of fanshu, delete it and it is made again",
        "{detail}；如果它是 fanshu 的索引，删除后会重建",
    ),
    (
        "it is an index of a newer version of fanshu (format {found}, here {own}), and is left "
        "alone; upgrade fanshu here, or delete it and it is made anew",
        "它是更新版本的 fanshu 的索引（格式 {found}，这里是 {own}），没有改动它；"
        "请升级这里的 fanshu，或删除它，它会重建",
    ),
    ("it is of a newer version of fanshu", "它来自更新版本的 fanshu"),
    ("{path} has the chunk #1 only.", "{path} 只有段落 #1。"),
    ("{path} has the chunks #1 to #{last}.", "{path} 有段落 #1 到 #{last}。"),
    ("{path} holds no text: {state}, {reason}.", "{path} 没有文字：{state}，{reason}。"),
    ("{path} has changed, and the index is read-only.", "{path} 已改变，而索引只读。"),
    ("Closest files: {closest}.", "最接近的文件：{closest}。"),
    ("No such file.", "没有这个文件。"),
    ("An id looks like path#3.", "编号写作 路径#3。"),
    ("the text is now at {now}", "那段文字现在是 {now}"),
    ("the text is gone", "那段文字已不在"),
    # the service
    ("A password has {least} to {most} characters.", "密码为 {least} 到 {most} 个字符。"),
    ("The passwords differ.", "两次输入的密码不同。"),
    ("There is a user {name} already.", "已有用户 {name}。"),
    ("There is no user {name}.", "没有用户 {name}。"),
    ("There is a token {name} already.", "已有令牌 {name}。"),
    ("There is no token {name}.", "没有令牌 {name}。"),
    (
        "{grant} allows nothing; write LIBRARY, LIBRARY:PATTERN or *.",
        "{grant} 不允许任何内容；请写 文档库、文档库:模式 或 *。",
    ),
    (
        "{name} cannot be a name; letters, digits and . _ @ + - can stand in one.",
        "{name} 不能作名称；可用文字、数字和 . _ @ + -。",
    ),
    (
        "{address}: Address already in use; `--port` names another",
        "{address} 已被占用；可用 `--port` 另选一个",
    ),
    ("{address}: Cannot assign requested address", "{address} 不是本机的地址"),
    # a store
    (
        "it is an index of another version of fanshu, and may only be read here; "
        "whoever owns it renews it with `fanshu index`.",
        "它是另一版本的 fanshu 建的索引，这里只能读取；请由其所有者运行 `fanshu index` 更新。",
    ),
    (
        "it is an index of a newer version of fanshu (format {found}, here {own}), and is left "
        "alone; upgrade fanshu here, or delete it and it is made anew.",
        "它是更新版本的 fanshu 的索引（格式 {found}，这里是 {own}），没有改动它；"
        "请升级这里的 fanshu，或删除它，它会重建。",
    ),
    ("Connection refused.", "连接被拒绝。"),
    ("no reply within {count} seconds.", "{count} 秒内没有回复。"),
    ("it does not know this user or password ({said}).", "它不认识这个用户或密码（{said}）。"),
    ("this user may not do that ({said}).", "这个用户没有权限（{said}）。"),
    ("it is too busy just now ({said}).", "它现在太忙（{said}）。"),
    ("it is not ready ({said}).", "它还没有就绪（{said}）。"),
    (
        "it makes no new index: its disks are or were full, or somebody has forbidden it in the "
        "settings of the cluster ({said}).",
        "它不能新建索引：磁盘已满或曾满，或集群设置禁止新建（{said}）。",
    ),
    ("it does not speak TLS; {rest}.", "它不使用 TLS；地址应以 opensearch:// 开头。"),
    ("it is no OpenSearch.", "它不是 OpenSearch。"),
    # the model
    ("{one} or {two} or FANSHU_API_KEY", "{one}、{two} 或 FANSHU_API_KEY"),
    ("{one} or FANSHU_API_KEY", "{one} 或 FANSHU_API_KEY"),
    ("Connection refused", "连接被拒绝"),
    ("[Errno {number}] Connection refused", "连接被拒绝"),
    ("[Errno {number}] Connect call failed {address}", "连接被拒绝"),
    ("All connection attempts failed", "连接都没有成功"),
    ("[Errno {number}] Name or service not known", "域名无法解析"),
    ("[Errno {number}] Temporary failure in name resolution", "域名无法解析"),
    (
        "{detail}; the name, or the address {url}, may be wrong",
        "{detail}；名称或地址 {url} 可能有误",
    ),
    (
        "{detail}; a key from mainland China is for --base-url {url}",
        "{detail}；国内站的密钥要用 --base-url {url}",
    ),
    ("no status", "没有状态码"),
    ("it holds no choices {error}", "其中没有 choices {error}"),
    # the command line itself
    ("No such option: {name} (Possible options: {names})", "没有选项 {name}（可能是 {names}）。"),
    ("No such option: {name} Did you mean {names}?", "没有选项 {name}，是不是 {names}？"),
    ("No such option: {name}", "没有选项 {name}。"),
    ("No such command {name}. Did you mean {names}?", "没有命令 {name}，是不是 {names}？"),
    ("No such command {name}.", "没有命令 {name}。"),
    ("Missing command.", "缺少命令。"),
    ("Missing argument {name}.", "缺少参数 {name}。"),
    ("Missing option {name}.", "缺少选项 {name}。"),
    ("Got unexpected extra argument ({words})", "多余的参数：{words}。"),
    ("Got unexpected extra arguments ({words})", "多余的参数：{words}。"),
    ("Got unexpected extra argument(s) ({words})", "多余的参数：{words}。"),
    ("Option {name} requires an argument.", "选项 {name} 需要一个值。"),
    ("Option {name} requires {count} arguments.", "选项 {name} 需要 {count} 个值。"),
    ("Option {name} does not take a value.", "选项 {name} 不带值。"),
    ("--next and --prev exclude each other.", "--next 和 --prev 不能同时使用。"),
    (
        "--watch goes on and --json is one document.",
        "--watch 持续运行，而 --json 只给一个文档。",
    ),
    ("--html and --json exclude each other.", "--html 和 --json 不能同时使用。"),
    ("--explain and --json exclude each other.", "--explain 和 --json 不能同时使用。"),
    ("--all and ids exclude each other.", "--all 和编号不能同时使用。"),
    ("{path} cannot be written: {detail}", "无法写入 {path}：{detail}"),
    ("--only takes {names}.", "--only 只能是 {names}。"),
    ("the question is empty.", "问题是空的。"),
    # warnings of an answer or a search
    ("the trace could not be saved: {detail}", "记录未能保存：{detail}"),
    (TOO_SLOW, "搜索超时，没有查完：请加一个词，或限定路径"),
    (TOO_MANY, f"匹配的多于 {COUNTED:,} 节：请加一个词"),
    # addresses of stores
    (
        "it looks like opensearch://host:9200/name, or opensearch+https://…",
        "应形如 opensearch://主机:9200/名称，或 opensearch+https://…",
    ),
    (
        "it ends in the library's name: small letters, digits, and - _ . between them",
        "末尾应是资料库的名称：小写字母、数字，中间可有连字符、下划线和点",
    ),
    ("{name} may not stand in the library's name", "资料库的名称中不能有 {name}"),
    ("{host} is no host and port", "{host} 不是主机和端口"),
    (
        "sqlite: stands before the name of a file, as in sqlite:index.db",
        "sqlite: 之后是文件名，如 sqlite:index.db",
    ),
    (
        "documents of other machines were last compared with their files at {time}",
        "由其他机器索引的文档，上次与文件核对是在 {time}",
    ),
    (
        "the documents that {host} indexes were last compared with their files at {time}",
        "由 {host} 索引的文档，上次与文件核对是在 {time}",
    ),
    (
        "the documents of {root} were last compared with their files at {time}, by {host}",
        "{root} 中的文档由 {host} 索引，上次与文件核对是在 {time}",
    ),
    (
        "documents of other machines were not yet compared with their files",
        "由其他机器索引的文档，尚未与文件核对过",
    ),
    (
        "the documents that {host} indexes were not yet compared with their files",
        "由 {host} 索引的文档，尚未与文件核对过",
    ),
    (
        "the documents that {host} copied were not yet compared with their files",
        "由 {host} 复制来的文档，尚未与文件核对过",
    ),
    (
        "the documents of {root} were not yet compared with their files, by {host}",
        "{root} 中的文档由 {host} 索引，尚未与文件核对过",
    ),
    ("the answer could not be cached: {detail}", "回答未能存入缓存：{detail}"),
    (
        "the index is read-only and behind: {paths}",
        "索引只读，以下文件已改变：{paths}",
    ),
    ("Invalid value for {name}: {detail}", "{name} 的值有误：{detail}"),
    ("Invalid value: {detail}", "值有误：{detail}"),
    ("Input should be less than or equal to {limit}", "不能大于 {limit}"),
    ("Input should be greater than or equal to {limit}", "不能小于 {limit}"),
    ("Input should be greater than {limit}", "必须大于 {limit}"),
    ("{value} is not in the range {range}", "{value} 不在 {range} 之内"),
    ("Input should be a valid integer, {why}", "必须是整数"),
    ("Input should be a valid number, {why}", "必须是数字"),
    ("Input should be a finite number", "必须是数字"),
    ("Show this message and exit.", "显示本说明。"),
    ("{text}  [default: {value}]", "{text}（默认 {value}）"),
    ("{text}  [required]", "{text}（必填）"),
)

Row = tuple["re.Pattern[str]", str | None, str]


def plainly(text: str, language: Language) -> str:
    """A reason or particular in the language of a face."""
    return _said(text, _rows(), language)


def in_chinese(text: str, sentences: Mapping[str, str]) -> str:
    """An English sentence in Chinese, if it is one of `sentences` (English → Chinese)."""
    rows = tuple((_pattern(english), None, chinese) for english, chinese in sentences.items())
    return _said(text, rows + _rows(), "zh")


def _said(text: str, rows: tuple[Row, ...], language: Language) -> str:
    for pattern, english, chinese in rows:
        found = pattern.fullmatch(text)
        template = chinese if language == "zh" else english
        if found and template:
            given = found.groupdict().items()
            fields = {k: plainly(v, language) if k in SPEAKING else v for k, v in given}
            return template.format(**fields)
        if found:
            break
    return _listed(text, language)


def _listed(text: str, language: Language) -> str:
    """Several of them in a row: each by itself, if any is known."""
    for mark, chinese in (("; ", "；"), (", ", "，")):
        parts = text.split(mark)
        if len(parts) > 1:
            said = [plainly(part, language) for part in parts]
            return (chinese if language == "zh" else mark).join(said) if said != parts else text
    return text


@cache
def _rows() -> tuple[Row, ...]:
    particulars = (*PARTICULARS, *APPROVING_PARTICULARS)
    rows = (*REASONS, *((english, None, chinese) for english, chinese in particulars))
    return tuple((_pattern(known), english, chinese) for known, english, chinese in rows)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """What a template looks like when it is filled in."""
    parts = re.split(r"\{(\w+)[^}]*\}", template)
    named = "".join(
        f"(?P<{part}>{SHAPES.get(part, '.+?')})" if number % 2 else re.escape(part)
        for number, part in enumerate(parts)
    )
    return re.compile(named, re.DOTALL)
