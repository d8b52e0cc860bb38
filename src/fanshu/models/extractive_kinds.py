"""The kinds of thing that questions ask for, in Chinese and English: how a question says so, and
what a passage holds that answers it. A table of plain signs, no grammar.
"""

import re
from typing import Literal

Kind = Literal[
    "date", "duration", "frequency", "money", "number", "version", "place", "person",
    "reason", "procedure", "list", "definition", "consent", "topic",
]  # fmt: skip

NUMERAL = (
    r"(?:\d[\d,.]{0,20}|[一二两三四五六七八九十百千万]{1,8}|(?:one|two|three|four|five|six|seven|eight"
    r"|nine|ten|a|an|half)\b)"
)
_SPAN = (
    r"(?:毫秒|秒|分钟|小时|个?工作日|日|天|周|个?星期|个?月|季度|年|ms\b|milliseconds?"
    r"|seconds?|minutes?"
    r"|hours?|(?:working |business |calendar )?days?|weeks?|months?|quarters?|years?|[smhd]\b)"
)
_DAY = (
    r"\d{4}\s*[-/.年]\s*\d{1,2}|\d{1,2}\s*月\s*\d{1,2}|\d{1,2}[:：]\d\d|每[天日周月年]|次日"
    r"|星期|周[一二三四五六日]"
    r"|\b\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\b(?:daily|nightly"
    r"|weekly|monthly|yearly"
    r"|every (?:day|night|week|month))\b|\b(?:19|20)\d\d\b|\d\s*(?:日|号)"
)

# The signs of a kind in a question (folded), and what a passage that answers it holds (folded).
_TABLE: tuple[tuple[Kind, str, str], ...] = (
    (
        "duration",
        r"多久|多长时间|多长的时间|几(?:个)?(?:天|日|年|小时|分钟|秒|周|月|星期|工作日)"
        r"|多少(?:个)?(?:天|日|年|小时|分钟|秒|毫秒|周|月|工作日)"
        r"|有效期|期限|时限|时长|间隔|超时时间|how (?:long|soon|fast|quickly"
        r"|many (?:\w+ )?(?:ms|milliseconds|seconds|minutes|hours|days|weeks|months|years))"
        r"|\b(?:duration|interval|deadline|lifetime|timeout)\b",
        rf"{NUMERAL}\s*{_SPAN}|每(?:天|日|周|月|年|季)|\bdaily\b|\bnext working day\b"
        rf"|\|\s*\d+\s*\|\s*{_SPAN}",
    ),
    (
        "frequency",
        r"多久.{0,6}一次|多长时间.{0,6}一次|每隔多久|频率|几次|how (?:often|frequently"
        r"|many times)",
        r"每[^，。]{0,6}(?:一次|次|执行|运行|生成|同步|检查|轮换)|每(?:天|日|周|月|年|季度?"
        r"|半年|小时|分钟)|间隔|\d\s*次"
        r"|\b(?:every|each|once|twice|daily|nightly|hourly|weekly|monthly|yearly|per|times"
        r"|interval)\b",
    ),
    (
        "date",
        r"什么时候|何时|哪天|哪一天|哪(?:一)?年|几点|几号|几月|日期|什么时间|起止时间"
        r"|\bwhen\b|\bwhat (?:date|day|year|time)\b|\bdate of\b",
        _DAY,
    ),
    (
        "money",
        r"多少钱|多少元|几元|多少万|几块|\bhow much (?:money|does .{1,60} cost|is paid)"
        r"|\b(?:price|cost|fee|salary)\b|补贴多少|补助多少",
        r"[￥¥$€]\s*\d|(?:\d[\d,.]{0,20}|[一二两三四五六七八九十百千万]{1,8})\s*(?:元|万元|亿元|美元"
        r"|usd|cny|rmb|dollars|euros)",
    ),
    (
        "version",
        r"(?:哪|什么|几)(?:一)?个?版本|版本号|版本要求|最低版本|\bwhich (?:version|release)"
        r"|\bwhat version|\bminimum version",
        r"\d+\.\d+",
    ),
    (
        "person",
        r"谁|哪个(?:部门|单位|机关|人)|哪些(?:部门|人)|什么(?:部门|人|机关|单位)|由哪"
        r"|\bwhom?\b|\bwhose\b|\bwhich (?:team|department|person|role)\b",
        r"负责人|部门|人员|经理|主任|领导|主管|专员|管理员|机关|机构|委员会|单位"
        r"|[部处科]门?(?=负责|审批|批准|办理)|[\u4e00-\u9fff]{2}部(?:[^分署]|$)"
        r"|\b(?:team|lead|owner|manager|primary|secondary|admin\w*|on-call|department"
        r"|officer|operator|engineers?|users?)\b",
    ),
    (
        "place",
        r"哪里|哪儿|在哪|什么位置|路径|目录|地址|哪个(?:文件|目录|主机|端口)|\bwhere\b"
        r"|\b(?:path|location|address|directory|folder|url)\b|\bwhich (?:file|host|folder)",
        r"(?:^|[\s`'|(（：:])[~.]?/[\w.<{-]+|\w/[\w<{-]|\bhttps?://"
        r"|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w-]{1,60}\.(?:ya?ml|json|toml|conf|cfg|ini|log|txt|md"
        r"|csv|sh|py|rb|key)\b",
    ),
    (
        "number",
        r"多少|几[个次位人条台种份级块%％岁倍名页章]|第几|多大|多高|多远|多重|多宽|默认值?"
        r"|缺省|上限|下限|阈值|比例|额度|最[大小多少高低长短]|端口(?:号)?是|电话|编号"
        r"|\bhow (?:many|much|large|big|high|far|deep)\b|\b(?:default|maximum|max|minimum"
        r"|min|limit|threshold|rate|ratio|percentage|size|length|number|port)\b",
        r"(?<![a-z\d_/.-])\d|[一二两三四五六七八九十百千万](?:个|次|位|人|条|台|种|倍|分之)"
        r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|true|false|none"
        r"|unlimited)\b|不限",
    ),
    (
        "reason",
        r"为什么|为何|为啥|原因|怎么会|\bwhy\b|\breasons?\b|\bwhat caus",
        r"因为|因[^此而素]|由于|为了|为[^\s，。]{2,12}，|导致|造成|否则|以免|避免|从而|所以"
        r"|原因|\b(?:because|since|due to|so that|in order|otherwise|to avoid|to prevent"
        r"|on purpose|caused? by|reason)\b",
    ),
    (
        "procedure",
        r"怎么(?!样才算)|如何|怎样|咋|步骤|流程|办法处理|处理办法|怎么办|\bhow (?:do|to|can"
        r"|should|would|does one)\b|\bsteps?\b|\bprocedure\b|\bwhat (?:to|should (?:i"
        r"|we)) do\b",
        r"`[^`]{3,}`|按(?![时期])|凭|执行|运行|应当|须|必须|可以|先|再|然后|点击|选择|检查"
        r"|调(?:大|小)|使用|提交|\b(?:run|use|set|add|stop|start|restart|call|send|open"
        r"|click|check|ask|create|install|must|should)\b",
    ),
    (
        "list",
        r"哪些|哪几|有什么|什么(?:要求|条件|内容|情形|材料|情况|风险|区别)|列出|列举|清单"
        r"|分为|检查什么|包括什么|\bwhich (?:\w+ )?(?:are|\w+s)\b"
        r"|\bwhat are\b|\blist\b|\bwhat (?:should|must|do) (?:i|we|you)\b",
        r"",
    ),
    (
        "definition",
        r"是什么(?!时候)|什么是|什么意思|含义|指什么|何谓|什么叫|是啥|干什么用|什么用|作用"
        r"|\bwhat(?:'s| is| are| does| do)\b|\bmean(?:s|ing)?\b|\bdefin\w+\b|\bstands? for\b",
        r"",
    ),
    (
        "consent",
        r"吗|是否|能不能|可不可以|要不要|会不会|有没有|能否|可否|应否|允许|^(?:is|are|was"
        r"|were|can|could|does|do|did|may|must|should|will|has|have)\b",
        r"不得|不可|不能|不再|不需要|不要|不予|不会|不属于|可以|应当|必须|禁止|允许|支持|限"
        r"|仅|只能|无须|无需|除[^，。]{1,20}外"
        r"|\b(?:not|no|never|only|may|must|can|cannot|allowed|permitted|supported|deprecated"
        r"|required|possible|unless|works?)\b",
    ),
)  # fmt: skip
KINDS: tuple[tuple[Kind, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (kind, re.compile(sign), re.compile(shape)) for kind, sign, shape in _TABLE
)

VALUES: frozenset[Kind] = frozenset(
    {"date", "duration", "frequency", "money", "number", "version", "place", "person"}
)
GROUPS: frozenset[Kind] = frozenset({"procedure", "list", "topic"})

# Units that a Chinese question names with the amount it asks for, or an English one after how many.
_UNIT = re.compile(
    r"(?:多少|几)个?(毫秒|秒|分钟|小时|工作日|天|日|周|月|年|元|次|倍|人|台|位|度|摄氏度|gb"
    r"|mb|kb|tb|%|％|级)|\bhow many (\w+?)s?\b"
)
_SAME_UNIT = {
    "天": "(?:天|日)",
    "日": "(?:天|日)",
    "月": "(?:个)?月",
    "位": "(?:位|个)",
    "度": "(?:度|℃)",
    "摄氏度": "(?:摄氏度|度|℃)",
    "工作日": "个?工作日",
}


def unit_of(question: str) -> re.Pattern[str] | None:
    """What finds an amount in the unit that a folded question names, None when it names none."""
    match = _UNIT.search(question)
    named = match and (match[1] or match[2])
    return re.compile(rf"{NUMERAL}\s*{_SAME_UNIT.get(named, re.escape(named))}") if named else None
