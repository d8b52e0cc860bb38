"""What the verbs of the service say, and its errors in Chinese."""

from collections.abc import Mapping

SERVING: Mapping[str, tuple[str, str]] = {
    "help.serve": (
        "Serve folders of documents over HTTP, with a page to ask from; each folder is a library.",
        "通过 HTTP 提供文档问答，并带网页；每个文件夹是一个文档库。",
    ),
    "help.serve_folders": (
        "Folders to serve; by default the libraries of --config, else the documents of the "
        "settings, or this folder.",
        "要提供的文件夹；默认为 --config 中的文档库，否则为当前文件夹。",
    ),
    "help.serve_host": (
        "Address to listen on; others than this machine's own need users or tokens.",
        "监听地址；不只供本机使用时须先建立用户或令牌。",
    ),
    "help.serve_port": ("Port to listen on.", "监听端口。"),
    "help.allow_host": (
        "A name that the service is called by; repeatable.",
        "访问本服务所用的主机名；可重复。",
    ),
    "help.writable": (
        "Allow uploads and deletions to those who may write.",
        "允许有写权限的人上传和删除文档。",
    ),
    "help.login": (
        "Demand users or tokens on this machine's own address too.",
        "仅供本机使用时也要求登录。",
    ),
    "serve.started": ("Serving {names} at {url}", "正在提供 {names}：{url}"),
    "serve.open": (
        "Without login: programs on this machine alone reach it. Ctrl-C ends.",
        "无需登录，只有本机程序可以访问。按 Ctrl-C 结束。",
    ),
    "serve.login": ("Users and tokens have to log in. Ctrl-C ends.", "需要登录。按 Ctrl-C 结束。"),
    "help.token": ("Tokens for programs that use the service.", "供程序使用服务的令牌。"),
    "help.token_create": ("Make a token and show it once.", "建立令牌，只显示一次。"),
    "help.token_list": ("The tokens there are.", "列出令牌。"),
    "help.token_revoke": ("Take a token away, at once.", "立即吊销令牌。"),
    "help.token_name": ("What the program is called.", "程序的名称。"),
    "help.user": ("People who may log in to the service.", "可以登录服务的用户。"),
    "help.user_add": (
        "Add a user; the password is asked for, or read from stdin.",
        "添加用户；密码会提示输入，或从标准输入读取。",
    ),
    "help.user_list": ("The users there are.", "列出用户。"),
    "help.user_remove": ("Remove a user and end its logins.", "删除用户，其登录随之失效。"),
    "help.user_password": (
        "Set another password and end old logins.",
        "修改密码，旧登录随之失效。",
    ),
    "help.user_name": ("Name of the user.", "用户名。"),
    "help.proxy_only": (
        "Without a password: signs in only through a proxy.",
        "不设密码：只能经代理登录。",
    ),
    "help.allow": (
        "What may be seen: a library, or those of its files that match a pattern; repeatable. "
        "Default: everything.",
        "可以看什么：一个文档库，或其中与模式相符的文件；可重复。默认全部。",
    ),
    "help.writer": (
        "May upload and delete where a library allows it.",
        "可在允许的文档库上传和删除。",
    ),
    "help.approver": (
        "May approve answers, and review those that were.",
        "可以认可回答，并复核已认可的回答。",
    ),
    "help.keeper": (
        "Sees the unanswered questions of everybody.",
        "可查看所有人未得到回答的问题。",
    ),
    "help.month_cost": ("US dollars in a calendar month.", "每月的美元上限。"),
    "token.once": (
        "It is shown this once. Programs send it as: Authorization: Bearer TOKEN",
        "只显示这一次。程序这样发送：Authorization: Bearer 令牌",
    ),
    "user.password": ("Password: ", "密码："),
    "user.again": ("Once more: ", "再输一次："),
    "account.done": ("{name}: done", "{name}：已完成"),
}

SERVING_ERRORS_ZH: Mapping[str, tuple[str, str]] = {
    "extra_missing": (
        "`fanshu {verb}` 需要的包没有安装（{detail}）。",
        "安装：{command}",
    ),
    "service": ("{detail}", ""),
    "account": ("{detail}", ""),
    "login_needed": (
        "请先登录（{detail}）。",
        "程序请发送令牌：`Authorization: Bearer TOKEN`；参见 `fanshu token create`。",
    ),
    "not_allowed": ("{detail}", ""),
    "unknown_library": ("没有文档库 {library!r}。", "现有：{known}。"),
    "run_missing": ("没有运行记录 {run_id!r}。", ""),
    "too_many": ("{what} 过多：最多 {limit}。", "请在 {seconds:.0f} 秒后再试。"),
    "cost_reached": (
        "本月提问已花费 {cost} 美元，上限 {limit} 美元。",
        "{seconds:.0f} 秒后进入下个月。",
    ),
    "request_refused": ("{detail}", ""),
    "service_ending": ("服务正在停止。", "请在 {seconds:.0f} 秒后再试。"),
}
