"""What the verbs about stores say, in English and Chinese."""

from collections.abc import Mapping

STORING: Mapping[str, tuple[str, str]] = {
    "help.store": (
        "Libraries in stores: copy one, see who indexes what.",
        "存储中的资料库：复制，查看谁索引什么。",
    ),
    "help.store_copy": (
        "Copy a library from one store to another, with the same ids, and compare both.\n\n"
        "An interrupted copy goes on when it is called again. Approved answers are copied with "
        "`fanshu approved export` and `import`.",
        "把资料库从一个存储复制到另一个，编号不变，并核对两边。\n\n"
        "中断后再次运行即可继续。已认可的回答用 `fanshu approved export` 和 `import` 复制。",
    ),
    "help.store_from": (
        "sqlite:FILE or opensearch://HOST:9200/NAME.",
        "sqlite:文件 或 opensearch://主机:9200/名称。",
    ),
    "help.store_to": ("The same, for where it goes.", "同上，复制到哪里。"),
    "help.store_replace": (
        "Overwrite what is there, and remove what FROM has not.",
        "覆盖已有的内容，删除 FROM 中没有的文档。",
    ),
    "help.store_dry_run": ("Only say what would be done.", "只说明会做什么。"),
    "help.store_roots": (
        "The roots of a library, where they lie, and who indexes them.",
        "资料库的各个根：在哪里，由谁索引。",
    ),
    "help.store_forget": (
        "Take a root out of a library, with its documents.",
        "从资料库中去掉一个根及其文档。",
    ),
    "help.store_root": (
        "Its name, as `store roots` shows it; - for the one without.",
        "根的名称，见 `store roots`；没有名称的写 -。",
    ),
    "store.progress": ("Copying", "复制"),
    "store.copied": (
        "{copied} documents copied, {there} were there, {seconds:.1f} s.",
        "复制了 {copied} 个文档，{there} 个已在，用时 {seconds:.1f} 秒。",
    ),
    "store.checked": (
        "Both sides are the same: {documents} documents, {chunks} chunks, {aliases} other names; "
        "SHA-256 {checksum}",
        "两边相同：{documents} 个文档，{chunks} 节，{aliases} 个别名；SHA-256 {checksum}",
    ),
    "store.rest": (
        "Cached answers, runs and users stay where they are.",
        "缓存的回答、运行记录和用户留在原处。",
    ),
    "store.planned": (
        "To be copied: {documents} documents with {chunks} chunks; there already: {there}; "
        "to be removed: {removed}.",
        "将复制 {documents} 个文档（{chunks} 节）；已在：{there}；将删除：{removed}。",
    ),
    "store.no_roots": ("No root is registered.", "没有登记的根。"),
    "store.root": (
        "{name}  {path} on {host}, last compared {compared}",
        "{name}  {host} 上的 {path}，上次核对 {compared}",
    ),
    "store.never": ("never", "从未"),
    "store.holder": ("indexed now by {holder}", "正由 {holder} 索引"),
    "store.forgotten": (
        "Forgotten: {root}, with {documents} documents.",
        "已去掉 {root} 及其 {documents} 个文档。",
    ),
    "store.unknown_root": ("There is no root {root}.", "没有名为 {root} 的根。"),
}
