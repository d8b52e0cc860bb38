"""Phone numbers, mail addresses and who is responsible, each with the words that say whose."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fanshu.agent.amounts import Figure
from fanshu.checkup.tokens import words_of
from fanshu.library.terms import CJK, fold

MOST_CHARS = 1_000  # of a passage looked at

_PHONES = (
    r"(?:联系|值班|服务|投诉|报修|咨询)?电话|热线|手机号?码?|传真|分机号?|内线"
    r"|\b(?:telephone|phone|hotline|fax|extension)(?: number)?\b"
)
_MAILS = r"电子邮[箱件]|邮箱|邮件地址|\be-?mail(?: address)?\b|\bmailbox\b"
_PEOPLE = (
    r"联系人|负责人|责任人|对接人|接口人|值班长|管理员|\b(?:owner|maintainer|contact(?: person)?)\b"
)
_KINDS = f"{_PHONES}|{_MAILS}|{_PEOPLE}"
_WHOSE = rf"(?P<whose>[{CJK}A-Za-z0-9/ -]{{0,16}}?)"
_MARKS = r"[\s`*<\"“|]{0,6}"
_JOIN = rf"{_MARKS}(?:[：:=]|为|是|\bis\b|\bat\b|\bof\b)?{_MARKS}(?:内线|分机|ext\.?)?{_MARKS}"
_STATED = rf"{_MARKS}(?:[：:=]|(?<=\s)\||\bis\b|[为是]){_MARKS}"
_PHONE = r"\+?\(?\d[\d() -]{2,18}\d(?![\d.元年月日天万千百%人个次])"
_MAIL = r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,6}"
_NAME = rf"[{CJK}]{{2,4}}(?![{CJK}])|[A-Z][a-z]+(?: [A-Z][a-z]+){{1,2}}"
_CONTACT = re.compile(
    rf"{_WHOSE}(?:(?P<p>{_PHONES}){_JOIN}(?P<phone>{_PHONE})|(?P<m>{_MAILS}){_JOIN}(?P<mail>{_MAIL})"
    rf"|(?P<n>{_PEOPLE}){_STATED}(?P<name>(?-i:{_NAME})))",
    re.IGNORECASE,
)
_MAY = re.compile(_KINDS, re.IGNORECASE)
_NOISE = re.compile(r"[\s\W_]+|联系|number|address|号码?$")


@dataclass(frozen=True, slots=True)
class Contact:
    """A way to reach somebody: `label` says whose and which (folded), `value` its number.

    `specific`: the label says whose it is, not only what it is.
    """

    label: str
    value: Figure
    specific: bool


def contacts(text: str) -> Iterator[Contact]:
    """The contacts that a passage names."""
    text = text[:MOST_CHARS]
    if not _MAY.search(text):
        return
    for match in _CONTACT.finditer(text):
        kind = next(name for name in ("phone", "mail", "name") if match[name])
        label = match["p"] or match["m"] or match["n"]
        whose = "".join(words_of(match["whose"])) + _whose(fold(label))
        start, end = match.span(kind)
        key = re.sub(r"\D", "", match[kind]) if kind == "phone" else fold(match[kind])
        value = Figure(match[kind], start, end, "identifier", key)
        yield Contact(f"{whose} {kind} {_NOISE.sub('', fold(label))}", value, bool(whose))


def _whose(label: str) -> str:
    """What the label itself says of whose it is: 值班电话 is the one of those on duty."""
    found = re.match("值班|服务|投诉|报修|咨询", label)
    return found[0] if found else ""
