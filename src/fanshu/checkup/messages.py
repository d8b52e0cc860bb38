"""What findings say, in English and Chinese: one table."""

from collections.abc import Mapping

from fanshu.types import Language

MESSAGES: Mapping[str, tuple[str, str]] = {
    "kind.conflict": ("Different values for one thing", "同一事项数值不一致"),
    "kind.contact": ("Different contacts for one thing", "联系方式不一致"),
    "kind.twin": ("Nearly the same text, different figures", "内容近似但数字不同"),
    "kind.superseded": ("Superseded versions", "已有新版的文件"),
    "kind.reference": ("References that lead nowhere", "引用落空"),
    "kind.link": ("Links and pictures that lead nowhere", "失效的链接和图片"),
    "kind.unreadable": ("Files that cannot be read", "读不出的文件"),
    "kind.headings": ("Headings out of order", "标题顺序有误"),
    "kind.section": ("Sections that say nothing, or too much", "空白、只有图片或过长的章节"),
    "kind.term": ("One term, several spellings", "同一术语写法不一"),
    "sure.high": ("sure", "很可能"),
    "sure.medium": ("likely", "有可能"),
    "sure.low": ("perhaps", "待核实"),
    "aspect.default": ("default", "默认值"),
    "aspect.maximum": ("upper limit", "上限"),
    "aspect.minimum": ("lower limit", "下限"),
    "aspect.recommended": ("recommended value", "建议值"),
    "aspect.value": ("value", "取值"),
    "aspect.set": ("setting", "设置值"),
    "conflict.parameter": ("{term}, {aspect}: {found}", "{term} 的{aspect}：{found}"),
    "conflict.statement": ("The same sentence with {found}", "同一句话，数值却是 {found}"),
    "contact.contact": ("{term}: {found}", "{term}：{found}"),
    "twin.section": (
        "Two sections alike but for {found}",
        "两节内容几乎相同，只有 {found} 不同",
    ),
    "superseded.newer": ("{old} has a newer version: {new}", "{old} 已有新版：{new}"),
    "reference.number": ("{term} does not exist in {where}", "{where} 中没有{term}"),
    "reference.document": ("No document is called {term}", "找不到名为 {term} 的文件"),
    "reference.heading": ("No section is called {term}", "找不到标题为 {term} 的章节"),
    "link.file": ("{term} does not exist", "{term} 不存在"),
    "link.anchor": ("{term}: no such place in the file", "{term}：目标文件里没有这个位置"),
    "link.image": ("Picture missing: {term}", "图片缺失：{term}"),
    "link.folder": ("{count} targets below {term} are missing", "{term} 下有 {count} 个目标缺失"),
    "unreadable.failed": ("{term} cannot be read: {reason}", "{term} 无法读取：{reason}"),
    "unreadable.encrypted": ("{term} is encrypted", "{term} 已加密"),
    "unreadable.no_text": ("{term} holds no text: {reason}", "{term} 没有文字：{reason}"),
    "unreadable.partial_text": (
        "{term} can be read only in part: {reason}",
        "{term} 只能读出一部分：{reason}",
    ),
    "unreadable.ocr_pending": (
        "{term} waits for text recognition: {reason}",
        "{term} 等待文字识别：{reason}",
    ),
    "unreadable.skipped": ("{term} was left out: {reason}", "{term} 未收入：{reason}"),
    "headings.jump": (
        "{term}: level {from_level} is followed by level {to_level}",
        "{term}：{from_level} 级标题之后直接是 {to_level} 级",
    ),
    "headings.twice": ("The number {term} is given twice", "编号 {term} 重复"),
    "headings.gap": ("After {before} comes {term}", "{before} 之后直接是 {term}"),
    "headings.back": ("{term} comes after {before}", "{term} 排在 {before} 之后"),
    "section.empty": ("“{term}” is empty", "“{term}”没有内容"),
    "section.placeholder": ("“{term}” is still to be written", "“{term}”尚未写完"),
    "section.pictures": ("“{term}” holds only pictures", "“{term}”只有图片，没有文字"),
    "section.long": ("“{term}” has {count} characters", "“{term}”有 {count} 字"),
    "term.spelling": ("{found}", "{found}"),
}


def said(language: Language, key: str, **values: str) -> str:
    """A message in one language, filled in."""
    known = {name: _value(language, name, value) for name, value in values.items()}
    return MESSAGES[key][language == "zh"].format(**known)


def _value(language: Language, name: str, value: str) -> str:
    """A value; an aspect that has a name of its own in that name."""
    named = MESSAGES.get(f"aspect.{value}") if name == "aspect" else None
    return named[language == "zh"] if named else value
