"""Faults planted into a copy of the example library, by code and with a fixed seed."""

import random
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples" / "library"
SEED = 8

CONFIG = "产品手册/02-配置参数.md"
INSTALL = "产品手册/01-安装与升级.md"
TROUBLE = "产品手册/03-故障排查.md"
DEPLOY = "交接文档/部署记录.md"
SYSTEM = "交接文档/系统架构.md"
API_ZH = "交接文档/接口说明.md"
LIST = "交接文档/节前检查清单.md"
NOTICE = "制度/关于2024年国庆期间值班与封网的通知.txt"
TRAVEL = "制度/差旅与报销管理办法(2024-07-01).txt"
RUNBOOK = "operations/on-call-runbook.md"
API = "operations/api-reference.html"
SHEET = "交接文档/参数速查.md"
CARD = "operations/alert-card.md"


@dataclass(frozen=True)
class Fault:
    """A fault: the kinds that name it, the file it was planted in, and what its finding holds."""

    name: str
    kinds: tuple[str, ...]
    file: str
    holds: str
    language: str
    plant: Callable[[Path, random.Random], None]


def append(text: str) -> Callable[[Path, random.Random], None]:
    """Put a text at the end of the file, or make the file."""

    def plant(path: Path, _: random.Random) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(f"{before.rstrip()}\n\n{text}\n" if before else f"{text}\n", "utf-8")

    return plant


def replaced(old: str, new: str) -> Callable[[Path, random.Random], None]:
    """Put a text in place of another, which must be there."""

    def plant(path: Path, _: random.Random) -> None:
        before = path.read_text(encoding="utf-8")
        assert old in before, (path, old)
        path.write_text(before.replace(old, new, 1), encoding="utf-8")

    return plant


def row_changed(name: str) -> Callable[[Path, random.Random], None]:
    """Copy the row of a parameter from the manual into a table of another file, value changed."""

    def plant(path: Path, chance: random.Random) -> None:
        manual = (path.parents[1] / CONFIG).read_text(encoding="utf-8")
        found = re.search(rf"\| `{name}` \| (\d+) \| (\S*) \|", manual)
        assert found, name
        value = int(found[1]) * chance.choice([2, 3, 4])
        if not path.exists():
            head = "# 渡口平台交接：参数速查\n\n| 参数 | 默认值 | 单位 |\n| --- | --- | --- |\n"
            path.write_text(head, encoding="utf-8")
        with path.open("a", encoding="utf-8") as file:
            file.write(f"| `{name}` | {value} | {found[2]} |\n")

    return plant


def bytes_of(data: bytes) -> Callable[[Path, random.Random], None]:
    """Write a file that is no document."""

    def plant(path: Path, _: random.Random) -> None:
        path.write_bytes(data)

    return plant


def long_section(path: Path, chance: random.Random) -> None:
    """A section of many sentences that say nothing of interest."""
    words = "渡口 节点 队列 文件 合作方 日志 控制台 目录 投递 心跳".split()
    lines = ("".join(chance.choices(words, k=12)) + "。" for _ in range(900))
    append("## 流水\n\n" + "\n".join(lines))(path, chance)


def inside_html(text: str) -> Callable[[Path, random.Random], None]:
    """Put elements before the end of the page's main part."""
    return replaced("</main>", f"{text}\n</main>")


TWIN = """# 渡口平台交接：备份说明

## 备份

- 元数据库：每天 2:00 全量，保留 60 份，存放于归档存储 `/backup/dukou-db/`。
- 配置：`conf/` 目录每次变更后提交到内部仓库。
- 恢复演练：每半年一次，最近一次为 2024-10-12，用时 57 分钟。
"""
ORDER = """# Storage planning

## 2.1 Volumes

Volumes are planned by the storage group.

## 2.3 Growth

Growth is reviewed with every release.

## 2.2 Quotas

Quotas follow the contract of each partner.

## 2.4 Archive

The archive belongs to the same group.
"""
ALERTS = """# Alert card

| Alert | Warning |
| --- | --- |
| Disk usage of the data volume | 70% |
"""
CONFLICT = ("conflict", "twin")

FAULTS = (
    Fault(
        "default in a sentence",
        CONFLICT,
        DEPLOY,
        "write_timeout",
        "zh",
        append("`write_timeout` 默认为 60 秒，本次未改。"),
    ),
    Fault(
        "default in another unit",
        CONFLICT,
        RUNBOOK,
        "idle_timeout",
        "en",
        append("The default of `idle_timeout` is 10 minutes."),
    ),
    Fault(
        "default in brackets",
        CONFLICT,
        TROUBLE,
        "max_connections",
        "zh",
        append("并发超过 `max_connections`（默认 3000）时，新连接会被拒绝。"),
    ),
    Fault(
        "row of a table, specific name",
        CONFLICT,
        SHEET,
        "lock_minutes",
        "zh",
        row_changed("lock_minutes"),
    ),
    Fault("row of a table, general name", CONFLICT, SHEET, "backlog", "zh", row_changed("backlog")),
    Fault(
        "row of a table, second",
        CONFLICT,
        SHEET,
        "heartbeat_interval",
        "zh",
        row_changed("heartbeat_interval"),
    ),
    Fault(
        "default in HTML",
        CONFLICT,
        API,
        "chunk_size",
        "en",
        inside_html("<p>The parameter <code>chunk_size</code> defaults to 16 MB.</p>"),
    ),
    Fault(
        "how long something is valid",
        CONFLICT,
        SYSTEM,
        "refresh_token",
        "zh",
        append("`refresh_token` 有效 14 天，过期后须重新登录。"),
    ),
    Fault(
        "a port",
        CONFLICT,
        DEPLOY,
        "listen_port",
        "zh",
        append("渡口节点的数据端口由 `listen_port` 决定，默认值是 8580。"),
    ),
    Fault(
        "by default before the name",
        CONFLICT,
        RUNBOOK,
        "log_keep",
        "en",
        append("By default `log_keep` is 20, older files are removed."),
    ),
    Fault(
        "seconds against milliseconds",
        CONFLICT,
        LIST,
        "slow_threshold",
        "zh",
        append("慢日志的阈值 `slow_threshold` 默认是 1 秒。"),
    ),
    Fault(
        "sentence with another temperature",
        CONFLICT,
        LIST,
        "机房温度",
        "zh",
        append("机房温度超过30摄氏度时，立即通知物业。"),
    ),
    Fault(
        "sentence in fewer words",
        CONFLICT,
        LIST,
        "远程值守",
        "zh",
        append("夜班每班一人，可以远程值守，接到电话后15分钟内上线处理。"),
    ),
    Fault(
        "sentence in another order",
        CONFLICT,
        API,
        "secondary",
        "en",
        inside_html("<p>The page goes to the secondary automatically after 15 minutes.</p>"),
    ),
    Fault(
        "short English sentence",
        CONFLICT,
        API,
        "reconnect",
        "en",
        inside_html("<p>Nodes reconnect by themselves every 30 seconds.</p>"),
    ),
    Fault(
        "a date",
        CONFLICT,
        API_ZH,
        "封网时间",
        "zh",
        append("封网时间为2024年9月29日18:00至10月8日9:00，其间不得进行任何生产变更。"),
    ),
    Fault(
        "a required version",
        CONFLICT,
        DEPLOY,
        "内核",
        "zh",
        append("- 操作系统：64 位 Linux，内核 5.10 或更高。"),
    ),
    Fault(
        "how long an archive is kept",
        CONFLICT,
        API_ZH,
        "归档",
        "zh",
        append("每天凌晨 1:00 把前一天的文件同步到归档存储，归档保留 365 天。"),
    ),
    Fault("threshold in a table", CONFLICT, CARD, "Disk usage", "en", append(ALERTS)),
    Fault("phone number", ("contact",), API_ZH, "6210", "zh", append("值班电话：6210。")),
    Fault(
        "mail address",
        ("contact",),
        RUNBOOK,
        "dukou-help@",
        "en",
        append("Support mailbox: dukou-help@example.com"),
    ),
    Fault(
        "article that is not there",
        ("reference",),
        TRAVEL,
        "第二十三条",
        "zh",
        replaced("当天往返的减半。", "当天往返的减半，具体按照本办法第二十三条执行。"),
    ),
    Fault(
        "chapter that is not there",
        ("reference",),
        TRAVEL,
        "第八章",
        "zh",
        replaced("凭票据实报销。", "凭票据实报销，票据要求见第八章。"),
    ),
    Fault(
        "chapter of another document",
        ("reference",),
        INSTALL,
        "第 9 章",
        "zh",
        replaced("《Dukou Quick Guide》第 4 章", "《Dukou Quick Guide》第 9 章"),
    ),
    Fault(
        "chapter of a guide in English",
        ("reference",),
        RUNBOOK,
        "chapter 12",
        "en",
        append("For the ports, see chapter 12 of the Quick Guide."),
    ),
    Fault(
        "attachment that is not there",
        ("reference",),
        NOTICE,
        "附件3",
        "zh",
        append(
            "变更申请填写附件3。\n\n附件1　值班表\n\n白班与夜班轮流。\n\n附件2　电话清单\n\n按部门排列。"
        ),
    ),
    Fault(
        "table that is not there",
        ("reference",),
        SYSTEM,
        "表2-3",
        "zh",
        append("各节点的容量见表2-3。\n\n表2-1　节点容量\n\n表2-2　磁盘"),
    ),
    Fault(
        "figure that is not there",
        ("reference",),
        RUNBOOK,
        "Figure 7",
        "en",
        append("The order of the steps is shown in Figure 7.\n\nFigure 1: the order of the nodes"),
    ),
    Fault(
        "section title that is not there",
        ("reference",),
        TROUBLE,
        "磁盘满了怎么办",
        "zh",
        append("仍不能恢复时，见“磁盘满了怎么办”。"),
    ),
    Fault(
        "document that is not there",
        ("reference",),
        SYSTEM,
        "备份手册",
        "zh",
        append("恢复的步骤见《备份手册》。"),
    ),
    Fault(
        "link to a missing file",
        ("link",),
        SYSTEM,
        "deploy-steps.md",
        "zh",
        append("步骤见[部署步骤](deploy-steps.md)。"),
    ),
    Fault(
        "link to a missing place",
        ("link",),
        TROUBLE,
        "超时与退避",
        "zh",
        append("参数见[超时](02-配置参数.md#超时与退避)。"),
    ),
    Fault(
        "missing picture",
        ("link",),
        SYSTEM,
        "topology.png",
        "zh",
        append("网络如下图。\n\n![网络](img/topology.png)"),
    ),
    Fault(
        "link of a page",
        ("link",),
        API,
        "quotas.html",
        "en",
        inside_html('<p>Quotas are listed <a href="quotas.html">here</a>.</p>'),
    ),
    Fault(
        "place of a page",
        ("link",),
        API,
        "pagination",
        "en",
        inside_html('<p>Long lists come in <a href="#pagination">pages</a>.</p>'),
    ),
    Fault(
        "older version beside the newer",
        ("superseded",),
        "制度/机房管理办法(2022-05-01).txt",
        "2023-05-01",
        "zh",
        append("机房管理办法\n\n第一条　进入机房须登记。"),
    ),
    Fault(
        "copied section with other figures",
        ("twin",),
        "交接文档/备份说明.md",
        "60 份",
        "zh",
        append(TWIN),
    ),
    Fault(
        "empty section",
        ("section",),
        SYSTEM,
        "监控项",
        "zh",
        append("### 监控项\n\n### 容量\n\n容量由平台组规划。"),
    ),
    Fault(
        "section still to be written",
        ("section",),
        RUNBOOK,
        "Certificates",
        "en",
        append("## Certificates\n\nTODO"),
    ),
    Fault(
        "section of pictures",
        ("section",),
        DEPLOY,
        "机柜图",
        "zh",
        append("## 机柜图\n\n![机柜](机柜.png)"),
    ),
    Fault("far too long", ("section",), LIST, "流水", "zh", long_section),
    Fault(
        "skipped heading level",
        ("headings",),
        API_ZH,
        "补发",
        "zh",
        append("## 重发\n\n按登记的地址重发。\n\n#### 补发\n\n人工补发须登记。"),
    ),
    Fault(
        "article given twice",
        ("headings",),
        TRAVEL,
        "第九条",
        "zh",
        replaced("第十条　出差人员", "第九条　出差人员"),
    ),
    Fault(
        "numbers out of order",
        ("headings",),
        "operations/storage-planning.md",
        "2.2",
        "en",
        append(ORDER),
    ),
    Fault(
        "file that is broken",
        ("unreadable",),
        "operations/contract.pdf",
        "contract.pdf",
        "en",
        bytes_of(b"%PDF-1.7\nnothing follows"),
    ),
    Fault("term misspelt", ("term",), SYSTEM, "登陆", "zh", append("运维人员登陆跳板机后再操作。")),
)


def planted(folder: Path) -> Path:
    """A copy of the example library with all faults in it."""
    target = folder / "planted"
    shutil.copytree(EXAMPLES, target)
    newer = target / "制度/机房管理办法(2023-05-01).txt"
    newer.write_text("机房管理办法\n\n第一条　进入机房须登记，并有人陪同。\n", encoding="utf-8")
    # The other side of what nothing in the examples says yet.
    replaced("</main>", "<p>Support mailbox: dukou-support@example.com</p>\n</main>")(
        target / API, random.Random(SEED)
    )
    (target / DEPLOY).parent.joinpath("机柜.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    chance = random.Random(SEED)
    for fault in FAULTS:
        fault.plant(target / fault.file, chance)
    return target
