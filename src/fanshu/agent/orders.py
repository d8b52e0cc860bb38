"""Text that talks to the model that reads it, as injected instructions do.

What matches is no evidence, so the patterns are narrow: manuals say "ignore values above 100",
"System: Linux 6.1", "you must reply to the customer" and 系统提示：密码错误. They are searched
in folded text: lower case, simplified, ASCII punctuation.
"""

import re

from fanshu.agent.disguises import decoded, spoken, undisguised

_EARLIER = r"(?:above|previous|prior|earlier|preceding|foregoing)"
_RULES = r"(?:instructions?|prompts?|rules|directions|directives|guidelines)"
_MODEL = (
    r"(?:ai|llm|chatbot|(?:large )?language model|ai (?:model|assistant|agent|system|reader)|"
    r"assistant|virtual assistant)s?"
)
_ANSWER = r"(?:answer|reply|respond|say|output)"
_FREE = r"(?<!not )(?<!n't )(?<!never )(?<!can )(?<!may )(?<!safely )(?<!to )(?<!could )"

_BEFORE = r"(?:以上|上述|上面|之前|前面|先前|此前|原有|原来)"
_BIDS = r"(?:指令|指示|规则|提示|设定|命令|要求|约束)"
_DROP = (
    r"(?<![不勿])(?<!不[得要能可应])(?<!可)(?<!可以)"
    r"(?:忽略|无视|忘记|忘掉|抛开|别管|不[要用必](?:管|理会|遵守|遵循))(?:掉|了)?"
)
_READER = (
    r"(?: ?(?:ai|人工智能|大(?:语言)?模型|语言模型|智能助手|聊天机器人)"
    r"(?: ?(?:助手|助理|模型|读者|系统))?)"
)
_ANSWERS = r"(?:回答|回复|作答|输出|答复|说)"

# What occurs in every match (one of these words), which is quick to see, and the pattern.
_SPOKEN = (
    # what was said before is to be dropped
    (
        "ignore|disregard|forget|override",
        rf"{_FREE}\b(?:ignore|disregard|forget|override)\b[^.\n]{{0,30}}\b{_EARLIER}\b"
        rf"[^.\n]{{0,20}}\b{_RULES}\b",
    ),
    (
        "ignore|disregard|forget",
        rf"{_FREE}\b(?:ignore|disregard|forget) (?:all |everything )?(?:of )?(?:the )?{_EARLIER}"
        r"(?:\s*[,.;:!](?!\d)|\s+and (?:answer|reply|respond|say|output|instead|do|tell|write)\b"
        r"|\s*\Z)",
    ),
    (
        "ignore|disregard|forget|override",
        rf"{_FREE}\b(?:ignore|disregard|forget|override) (?:all |any )?(?:of )?your "
        rf"(?:\w+ ){{0,2}}{_RULES}\b",
    ),
    (
        "ignore|disregard|forget",
        rf"{_FREE}\b(?:ignore|disregard|forget) (?:everything|all|anything) "
        r"(?:you(?:'ve| have| were)|that (?:was|came)|i) ",
    ),
    (
        "忽略|无视|忘|抛开|别管|不要|不用|不必",
        rf"{_DROP}(?:你|所有|一切|全部|的)*{_BEFORE}(?:.{{0,8}}?{_BIDS}(?!符)"
        r"|的?(?:所有|一切|全部)?(?:内容|文字|话)?(?:[,。.!]|$))",
    ),
    (
        "忽略|无视|忘|抛开|别管|不要|不用|不必",
        rf"{_DROP}(?:你的|你|所有|一切|全部)+.{{0,4}}(?:指令|指示|提示词|系统提示)",
    ),
    # a role is taken
    (
        "system|assistant|developer",
        r"(?:^|[>.。!?\"])[\s#\[\]【】]*(?:system|assistant|developer)"
        r"(?: message| prompt| override)?[\s\]】]*[:>]\s*[^\n]{0,20}?"
        r"(?:\b(?:answer|reply|respond|say|output|ignore"
        r"|you (?:must|are now))\b|回答|回复|输出|忽略|你)",
    ),
    (
        "系统",
        r"(?:^|[.。!?])[\s#\[【]*系统(?:提示词?|指令|消息|覆盖)?[\s\]】]*:[^\n]{0,20}?"
        r"(?:回答|忽略(?:以上|之前)|你(?:必须|只能|现在))",
    ),
    (
        "system|jailbreak",
        r"\b(?:system override|jailbreak mode|(?:new|real|hidden|secret|updated) system "
        r"(?:prompt|message|instructions?)) ?:",
    ),
    (
        "系统指令|提示词|系统提示",
        r"(?:新|最新|真正|真实|隐藏)的?系统(?:指令|提示词?) ?:|(?:新|真正|隐藏)的?提示词 ?:",
    ),
    (
        "you are now",
        r"\byou are now (?:an? (?:ai|assistant|unrestricted|different|new)\b|dan\b"
        r"|in (?:developer|debug|god|jailbreak|unrestricted) mode)",
    ),
    (
        "from now on",
        rf"\bfrom now on,? (?:you (?:must|will|should) (?:only |always )?{_ANSWER}\b"
        rf"|(?:always |only )?{_ANSWER}\b)",
    ),
    (
        "从现在",
        rf"从现在(?:起|开始),?你?(?:必须|只能|只|要|都|应该?|一律|总是)*{_ANSWERS}|从现在(?:起|开始),?你(?:就?是|不再|扮演)",
    ),
    # a model is spoken to
    (
        "note|message|attention|instruction|reminder|memo|warning",
        rf"\b(?:note|message|attention|instructions?|reminder|memo|warning) (?:to|for|,) ?"
        rf"(?:any |all |the |every |our )?{_MODEL}"
        r"(?: (?:reading|processing|that|who)\b|\s*[:,!—-])",
    ),
    (
        "dear|attention|hey|hello",
        rf"\b(?:dear|attention|hey|hello),? {_MODEL}\s*[:,!]",
    ),
    (
        "you are",
        rf"\b(?:if|since|as) you are (?:an?|the) {_MODEL}\b",
    ),
    (
        "ai|llm|chatbot|model|assistant",
        rf"\b{_MODEL}[^.\n]{{0,40}}\b(?:must|should|shall|have to|instructed to) (?:always |only )?"
        rf"{_ANSWER}(?: that| with)? ?[:\"'\d]",
    ),
    (
        "致|写给|告诉|提醒",
        rf"(?:致|写给|告诉|提醒)(?:所有|各位|任何|正在阅读|读到|的|此|本|文|文档)*{_READER} ?[:,!]",
    ),
    (
        "注意|听好",
        rf"{_READER}(?:请注意|注意|听好) ?[:,!]",
    ),
    (
        "如果你是",
        rf"如果你是(?:一个|一名|个|位)?{_READER}",
    ),
    (
        "ai|人工智能|模型|助手|机器人",
        rf"{_READER}(?:必须|应当?|请|只能|一律|都?要)(?:直接|一律|只)*{_ANSWERS}[^,。\n]{{0,8}}[\d\":]",
    ),
    # its answer is given to it
    (
        "you must",
        r"\byou must (?:now )?(?:answer|reply|respond)\b"
        r"(?! (?:to|the|all|every|each|any|within|by|in|before|both|these|those|at|as|correctly|"
        r"truthfully|questions?|promptly|yourself|this)\b)",
    ),
    (
        "you must",
        r"\byou must (?:now )?say (?:that )?[\"'\d]*\d",
    ),
    (
        "your",
        r"\byour (?:final |only )?(?:answer|reply|response) (?:must|should|shall|has to) "
        r"(?:be|say|state|read|contain)\b ?(?:that|exactly|only)? ?[:\"'\d]",
    ),
    (
        "always|only|instead",
        r"\b(?:always|only|instead,?) (?:answer|reply|respond)(?: with)?(?: exactly| only)?"
        r" ?[:\"'\d]",
    ),
    (
        "exactly|only",
        r"\b(?:answer|reply|respond) (?:exactly|only)(?: with)? ?[:\"'\d]",
    ),
    (
        "answer",
        r"\bthe (?:only |one )?(?:correct|right|true|final) answer (?:is (?:always|now)|must be)\b",
    ),
    (
        "你",
        rf"你(?:的回答)?(?:必须|只能|务必|一律)(?:直接|只)*{_ANSWERS}[^,。\n]{{0,3}}[\d\"「“]",
    ),
    (
        "你的",
        r"你的(?:回答|答案|回复)(?:必须|只能|应当?)(?:是|为|写成|包含)",
    ),
    (
        "无论|不管",
        rf"(?:无论|不管)[^。\n]{{0,12}}问[^。\n]{{0,12}}(?:都|一律|只)(?:要|能|须|必须)?{_ANSWERS}",
    ),
    (
        "用户|有人|别人|任何人",
        rf"(?:用户|有人|别人|任何人)?(?:若|如果|当|每当|凡是)?(?:用户|有人|别人|任何人)(?:若|如果)?(?:询?问到?|提问)"
        rf"[^。\n]{{0,30}}你?(?:必须|一律|只能|务必){_ANSWERS}",
    ),
    (
        "答案",
        r"(?:正确|标准|唯一|最终)(?:的)?答案(?:永远|始终|一律|现在|必须)(?:是|为|写)",
    ),
    # it is to keep quiet, or to tell what it was told
    (
        "instruction|prompt|order|hidden|injection",
        r"\b(?:do not|don't|never) (?:mention|reveal|disclose|cite|quote|repeat)[^.\n]{0,20}"
        r"\b(?:this|these|the above) (?:instruction|prompt|order|hidden \w+|injection)s?\b",
    ),
    (
        "指令|指示|提示词|命令",
        r"(?:不要|切勿|不得|别)(?:向用户)?(?:提及|透露|说出|引用|泄露)(?:这|本|此|该|以上)(?:条|段|些)?"
        r"(?:指令|指示|提示词|命令)",
    ),
    (
        "system prompt",
        r"(?:^|[.!?:;,]\s*|\bplease |\bthen |\band )(?:reveal|print|show|repeat|output)\b.{0,20}"
        r"\bsystem prompt",
    ),
    (
        "系统提示词",
        r"(?:输出|泄露|重复|显示).{0,8}系统提示词",
    ),
    # what is coded is to be done
    (
        "decode|decrypt|base64",
        r"\b(?:decode|decrypt|base64)\b[^.\n]{0,60}\b(?:and|then) (?:follow|obey|execute|do)\b"
        r"[^.\n]{0,30}\b(?:instructions?|says|orders?|it)\b",
    ),
    (
        "解码|解密",
        r"(?:解码|解密)[^。\n]{0,20}(?:并|然后|后)[^。\n]{0,6}(?:执行|照做|遵照|按其)",
    ),
)

_TOOLS = r"(?:answer|search|read|next_chunk|prev_chunk|outline|summarize)"
_WRITTEN = (
    # marks with which chats are written for models
    r"<\|[\w▁ ]{2,24}\|> ?(?:system|user|assistant|developer|tool)\b",
    r"^[ >*-]*<\|[\w▁ ]{2,24}\|>\s*[^\s`'\"),.;]",
    r"<\|(?:system|user|assistant|developer)\|>\s*[^\s`'\"),.;]",
    r"<</?sys>>|<s> ?\[inst\]|^[ >*-]*\[inst\] *\w",
    r"<(?:start|end)_of_turn>\s*(?:model|user|system)\b",
    r"^human: [^\n]*\n+(?:[^\n]*\n+){0,3}assistant:",
    r"^#+ instructions?:[^\n]*\n+(?:[^\n]*\n+){0,6}#+ response:|^#+ system(?: prompt)?:",
    r"<(?:system|assistant|developer)>[^<]{0,60}(?:\b(?:answer|reply|respond|ignore|you must)\b"
    r"|回答|回复|忽略|必须)",
    r"</?(?:system[-_](?:prompt|reminder|message|instructions?)|(?:tool|function)_(?:call|result|"
    r"response|output)s?)\b[^<>\n]*>\s*[^\s`'\"),.;]",
    r'"role" ?: ?"(?:system|developer|assistant)"[^}]{0,200}'
    r"(?:\b(?:answer|reply|respond|ignore|you must)\b|回答|回复|忽略)",
    # calls and results of tools, and answers, as they are sent
    rf'"(?:name|tool|function|tool_name|action)" ?: ?"{_TOOLS}" ?,\s*'
    r'"(?:arguments|parameters|input|args|action_input)" ?:',
    r'"response" ?:.{0,400}"citations" ?:|"citations" ?:.{0,400}"response" ?:'
    r'|"chunk_id" ?:.{0,300}"quote" ?:',
    r"^[ >*#-]*(?:tool|function) (?:call )?(?:result|output|response)s?(?: ?\([^)\n]*\))? ?:",
    r"^[ >*#-]*(?:工具|函数)(?:调用)?(?:的)?(?:返回)?(?:结果|内容|输出|返回)(?: ?\([^)\n]*\))? ?:",
    r"^(?:thought|observation|action(?: input)?) ?:[^\n]*\n+(?:[^\n]*\n+){0,4}"
    r"(?:final answer|action|observation) ?:",
    # the marks of documents
    r"</? ?doc-[0-9a-z]{1,12} ?>",
)
_SAYS = [(words.split("|"), re.compile(one, re.MULTILINE)) for words, one in _SPOKEN]
_HOLDS = re.compile("|".join(f"(?:{one})" for one in _WRITTEN), re.MULTILINE | re.DOTALL)
_CLOSED = ("doc", "document", "documents", "context", "search_results")
_CLOSES = re.compile(rf"</ ?({'|'.join(_CLOSED)}) ?>")
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED = re.compile(
    r"``[^`\n]+``|`[^`\n]+`|“[^“”\n]{1,200}”|「[^「」\n]{1,200}」|‘[^‘’\n]{1,200}’"
    r"|(?<!\w)\"[^\"\n]{1,200}\"(?!\w)"
)
_BLANK = re.compile(r"\n[ \t\r\u3000]*\n")


def reads_like_orders(text: str) -> bool:
    """Whether a text talks to the model that reads it, be it disguised, coded or quoted."""
    plain = undisguised(text)
    if _says(spoken(plain)) or _HOLDS.search(plain) or _closes_first(plain):
        return True
    return any(_says(spoken(undisguised(piece))) for piece in decoded(text))


def gives_orders(text: str, *, code: bool = False) -> bool:
    """Whether a text does so in its own voice: not in quotation marks, nor in code without `code`.

    A manual about prompts quotes orders as examples; what it says beside them is its own.
    """
    if not reads_like_orders(text):
        return False
    own = _QUOTED.sub(" … ", text if code else _CODE.sub("\n…\n", text))
    return reads_like_orders(own)


def split_orders(before: str, after: str) -> bool:
    """Whether an order at the end of one section goes on in the next, or has its say there."""
    tail = _BLANK.split(before.rstrip())[-1]
    head = _BLANK.split(after.strip())[0]
    first, _, rest = after.strip().partition("\n")
    said = _BLANK.split(rest.strip())[0] if first.startswith("#") else head
    if reads_like_orders(head) or reads_like_orders(said):
        return False
    chat = _HOLDS.search(undisguised(f"{tail}\n\n{head}"))
    return bool(chat) or gives_orders(" ".join(f"{tail} {said}".split()))


def _says(text: str) -> bool:
    return any(any(map(text.__contains__, words)) and one.search(text) for words, one in _SAYS)


def _closes_first(text: str) -> bool:
    """Whether a mark of documents is closed that this text has not opened."""
    return any(f"<{end[1]}" not in text[: end.start()] for end in _CLOSES.finditer(text))
