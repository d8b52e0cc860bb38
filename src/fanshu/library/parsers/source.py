"""Code and configuration → document: the source as it is, a section a definition or a table.

What opens a section is seen by its line alone, without a parser for each language: a
definition that starts at the margin (methods one step in), `[section]`, a key with a block
below it. Comments and decorators right above belong to it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from re import Pattern

from fanshu.library.parsers.encoding import Decoded
from fanshu.library.parsers.sections import Heading, cut, line_starts
from fanshu.types import Document

MAX_TITLE = 120  # characters
MAX_LINE = 1_000  # characters looked at; minified code has lines of megabytes
MIN_SECTIONS = 2  # one definition alone needs no section
SMALL_CHARS = 1_500  # a file of less is read at once


@dataclass(frozen=True, slots=True)
class _Language:
    """`opens`: the outer definitions; `inner`: those inside one; group `title` names it."""

    opens: Pattern[str]
    inner: Pattern[str] | None = None
    comment: tuple[str, ...] = ()


def _pattern(source: str) -> Pattern[str]:
    return re.compile(source)


_PYTHON = _Language(
    _pattern(r"(?:async\s+)?(?P<title>(?:class|def)\s+\w+)"),
    _pattern(r"(?: {4}|\t)(?:async\s+)?(?P<title>def\s+\w+)"),
    ("#", "@"),
)
_SCRIPT = _Language(
    _pattern(
        r"(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
        r"(?P<title>(?:function\*?|class|interface|enum|namespace|type)\s+[\w$]+"
        r"|(?:const|let|var)\s+[\w$]+(?=\s*(?::[^=]{0,200})?=\s*(?:async\s*)?(?:function|\([^)]{0,300}\)\s*(?::[^=]{0,100})?=>|[\w$]+\s*=>)))"
    ),
    comment=("//", "/*", "*", "@"),
)
_JAVA = _Language(
    _pattern(
        r"(?:(?:public|protected|private|abstract|final|static|sealed|data|open|internal)\s+)*"
        r"(?P<title>(?:class|interface|enum|record|@interface|object)\s+\w+)"
    ),
    _pattern(
        r"(?: {2,4}|\t)(?:(?:public|protected|private|static|final|abstract|synchronized|default"
        r"|override|suspend|native)\s+)+(?:<[^>]{1,80}>\s*)?(?:[\w.<>\[\], ?]{1,120}\s+)?"
        r"(?P<title>\w+\s*\()"
    ),
    ("//", "/*", "*", "@"),
)
_GO = _Language(
    _pattern(r"(?P<title>func\s+(?:\([^)]{0,100}\)\s*)?\w+|type\s+\w+)"), comment=("//",)
)
_RUST = _Language(
    _pattern(
        r"(?:pub(?:\([^)]{0,40}\))?\s+)?(?:unsafe\s+|async\s+|const\s+)*"
        r"(?P<title>(?:fn|struct|enum|trait|mod|macro_rules!)\s+\w+|impl\b[^{]{0,100})"
    ),
    comment=("//", "#["),
)
_C = _Language(
    _pattern(
        r"(?!(?:if|for|while|switch|return|else|typedef|using|extern)\b)"
        r"(?P<title>(?:class|struct|enum|union|namespace)\s+\w+(?=[^;]*$)"
        r"|[A-Za-z_][\w\s*&:<>,~]{0,150}\([^;{}]{0,400}(?=[^;]*$))"
    ),
    comment=("//", "/*", "*"),
)
_SHELL = _Language(_pattern(r"(?P<title>function\s+[\w:.-]+|[\w:.-]+\s*\(\))"), comment=("#",))
_SQL = _Language(
    _pattern(
        r"(?i:(?P<title>(?:create|alter)\s+(?:or\s+replace\s+)?(?:\w+\s+){0,3}?"
        r"(?:table|view|index|function|procedure|trigger|sequence|type|schema|database)\s+"
        r"(?:if\s+(?:not\s+)?exists\s+)?[\w.\"`\[\]]+))"
    ),
    comment=("--", "/*", "*"),
)
_INI = _Language(
    _pattern(r"(?P<title>\[{1,2}[^\]\n]{1,100}\]{1,2})\s*(?:[#;].*)?$"), comment=("#", ";")
)
_YAML = _Language(
    _pattern(r"(?P<title>[\w.\"'/-][^:#\n]{0,100})\s*:\s*(?:[|>&!][^\n]*)?(?:#.*)?$"),
    comment=("#",),
)
_JSON = _Language(_pattern(r"(?: {1,4}|\t)\"(?P<title>[^\"\n]{1,100})\"\s*:\s*[\[{]\s*$"))
_TEX = _Language(
    _pattern(r"\s*\\(?P<title>(?:part|chapter|section)\*?\s*(?:\[[^\]]*\])?\{.{1,200}\})"),
    _pattern(r"\s*\\(?P<title>(?:subsection|subsubsection)\*?\s*(?:\[[^\]]*\])?\{.{1,200}\})"),
    ("%",),
)
_LANGUAGES: dict[str, _Language] = {
    ".py": _PYTHON, ".pyi": _PYTHON,
    ".js": _SCRIPT, ".ts": _SCRIPT, ".jsx": _SCRIPT, ".tsx": _SCRIPT, ".mjs": _SCRIPT,
    ".cjs": _SCRIPT, ".java": _JAVA, ".kt": _JAVA, ".cs": _JAVA, ".go": _GO, ".rs": _RUST,
    ".c": _C, ".h": _C, ".cpp": _C, ".hpp": _C, ".cc": _C,
    ".sh": _SHELL, ".bash": _SHELL, ".sql": _SQL,
    ".ini": _INI, ".cfg": _INI, ".conf": _INI, ".toml": _INI,
    ".yaml": _YAML, ".yml": _YAML, ".json": _JSON, ".tex": _TEX,
}  # fmt: skip
_TEX_TITLE = re.compile(r"\{(.*)\}\s*$")


def parse_source(suffix: str, decoded: Decoded) -> Document:
    """The document of a source file; `suffix` names its language, if it has one."""
    starts = line_starts(decoded.text)
    language = _LANGUAGES.get(suffix)
    headings: list[Heading] = []
    if language and len(decoded.text) > SMALL_CHARS:
        ends = [*starts[1:], len(decoded.text)]
        lines = [
            decoded.text[a : min(b, a + MAX_LINE)].rstrip()
            for a, b in zip(starts, ends, strict=True)
        ]
        headings = _headings(lines, starts, language)
    if len(headings) < MIN_SECTIONS:
        headings = []
    return Document(
        text=decoded.text,
        sections=cut(decoded.text, headings, 1, len(starts)),
        encoding=decoded.encoding,
    )


def _headings(lines: Sequence[str], starts: Sequence[int], language: _Language) -> list[Heading]:
    found: list[Heading] = []
    last = -1
    for at, line in enumerate(lines):
        rank = 1
        match = language.opens.match(line)
        if match is None and language.inner and found:
            rank, match = 2, language.inner.match(line)
        if match is None:
            continue
        first = _with_comments(lines, at, last + 1, language.comment)
        found.append(Heading(_title(match["title"]), rank, starts[first], first + 1))
        last = at
    return found


def _title(text: str) -> str:
    tex = _TEX_TITLE.search(text) if "{" in text else None
    text = tex[1] if tex else text.rstrip("({ \t")
    return " ".join(text.split())[:MAX_TITLE]


def _with_comments(lines: Sequence[str], at: int, least: int, comment: tuple[str, ...]) -> int:
    """The first line of what stands right above a definition and speaks of it."""
    while comment and at > least and lines[at - 1].lstrip().startswith(comment):
        at -= 1
    return at
