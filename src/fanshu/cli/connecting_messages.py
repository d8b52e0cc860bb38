"""What the verb mcp says."""

from collections.abc import Mapping

CONNECTING: Mapping[str, tuple[str, str]] = {
    "help.mcp": (
        "Offer search, reading, questions and the check of citations to an agent that starts this "
        "(MCP over standard input and output); each folder is a library.",
        "作为 MCP 工具供启动它的智能体使用（标准输入输出）：查找、阅读、提问、核对引用；"
        "每个文件夹是一个文档库。",
    ),
    "help.mcp_folders": (
        "Folders to offer; by default the libraries of --config, else the documents of the "
        "settings, or this folder.",
        "要提供的文件夹；默认为 --config 中的文档库，否则为设置中的文档或当前文件夹。",
    ),
    "mcp.waits": (
        "This waits for an MCP client on standard input; clients start it themselves. Ctrl-C ends.",
        "正在标准输入上等待 MCP 客户端；通常由客户端自行启动。按 Ctrl-C 结束。",
    ),
}
