"""The errors of the command line in Chinese: by code, the message and the hint."""

from collections.abc import Mapping

from fanshu.cli.approving_messages import APPROVING_ERRORS_ZH
from fanshu.cli.serving_messages import SERVING_ERRORS_ZH

ERRORS_ZH: Mapping[str, tuple[str, str]] = {
    "error": ("{detail}", ""),
    "config": ("设置 {name} 有误：{detail}。", "参见 `fanshu config`。"),
    "questions_wrong": (
        "{path} 中有些行不是问题（共 {wrong} 处）：{first}。",
        "问题的格式见 docs/measuring.md。",
    ),
    "library": ("{detail}", ""),
    "folder_missing": ("没有文件夹或文件 {path!r}。", "请用 --docs 指定。"),
    "folder_unreadable": (
        "无法打开文件夹或文件 {path!r}：{detail}。",
        "请检查读取权限，或用 --docs 另行指定。",
    ),
    "no_documents": (
        "{path!r} 中没有可读的文档（{detail}）。",
        "`fanshu status` 列出每个文件及未读的原因。",
    ),
    "index_unwritable": ("无法在 {path!r} 写入索引：{detail}。", "请用 --index 另选位置。"),
    "index_busy": (
        "另一个进程写索引 {path!r} 已 {seconds:.0f} 秒。",
        "请等它结束，或用 --index 另选位置。",
    ),
    "root_busy": (
        "{path} 中的根 {root!r} 正由 {holder} 索引，至少到 {until}。",
        "请等它结束，或把这个根留给它。",
    ),
    "root_elsewhere": (
        "{address} 中的根 {root!r} 是 {host} 上的 {path!r}，不是这里指定的位置。",
        "用 --docs 名称=路径 另取名称；若那一个已不存在，用 `fanshu store forget` 去掉。",
    ),
    "store_unreachable": (
        "位于 {address} 的存储没有响应：{detail}",
        "它在运行吗？主机、端口和 TLS 对吗？见 `store_…` 各项设置。",
    ),
    "store_refused": (
        "位于 {address} 的存储拒绝执行：{detail}",
        "原因见其所述；所需权限见 docs/scale.md。",
    ),
    "no_library": (
        "位于 {address} 的存储中没有名为 {name!r} 的资料库。",
        "请检查名称；用 `fanshu index --docs 文件夹` 可以建立。",
    ),
    "target_not_empty": (
        "{address} 中有 {files} 个文档不在 {source} 中，或与之不同。",
        "请指定空的位置，或用 --replace 覆盖。",
    ),
    "unknown_path": ("没有与 {path!r} 相符的文档或文件夹。", "最接近的：{closest}。"),
    "unknown_chunk": ("没有段落 {chunk_id!r}。", "{detail}"),
    "chunk_changed": ("{chunk_id!r} 所在文件已改变：{detail}。", ""),
    "model_error": ("模型 {model!r} 出错：{detail}。", ""),
    "model_not_configured": ("没有指定模型。", "请用 --model 或 FANSHU_MODEL 指定。"),
    "model_unreachable": (
        "无法连接模型 {model!r}（{url}）：{detail}。",
        "请检查 --base-url、网络，以及服务是否在运行。",
    ),
    "model_unauthorised": (
        "模型服务拒绝了 {model!r} 的密钥（{detail}）。",
        "请设置 FANSHU_API_KEY 或该服务自己的变量。",
    ),
    "model_key_missing": ("没有设置模型 {model!r} 的密钥。", "请设置 {variables}。"),
    "model_timeout": (
        "模型 {model!r} 在 {seconds:.0f} 秒内没有回复。",
        "请加大 --timeout，或换更快的模型。",
    ),
    "model_rate_limited": ("{model!r} 的服务暂时拒绝更多请求（{detail}）。", "请稍后再问。"),
    "context_too_long": (
        "请求超出 {model!r} 的长度上限（{detail}）。",
        "请减小 --hits 或设置 context_tokens。",
    ),
    "model_refused": ("模型 {model!r} 拒绝回答（{detail}）。", ""),
    "model_bad_reply": ("模型 {model!r} 的回复无法使用：{detail}。", ""),
    "trace_missing": ("没有记录 {trace_id!r}。", "`fanshu trace list` 列出保存的记录。"),
    "answer_missing": (
        "缓存中没有回答 {answer_id!r}。",
        "`fanshu cache list` 列出保存的回答。",
    ),
    "recording_ends": (
        "录制到此为止：问题 {question!r} 只录了 {replies} 次回复，还要再问。",
        "请用 `fanshu eval run --record` 重新录制。",
    ),
    "data_newer": (
        "{path!r} 是更新版本的 fanshu 写的（格式 {format}），没有改动它。",
        "请升级这里的 fanshu，或继续使用写它的版本。",
    ),
    "cache_unusable": (
        "无法使用 {path!r} 中缓存的回答：{detail}。",
        "请检查权限，或加 --no-cache 提问。",
    ),
    **APPROVING_ERRORS_ZH,
    **SERVING_ERRORS_ZH,
}
