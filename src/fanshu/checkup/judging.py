"""From the facts of a library to its findings, kind by kind."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fanshu.checkup.claims import Claim
from fanshu.checkup.disagreements import Disagreement, disagreements
from fanshu.checkup.findings import MOST_SIDES, Finding, Kind, Side, finding_id
from fanshu.checkup.gathering import Gathered, suffix_of
from fanshu.checkup.mentions import Mention
from fanshu.checkup.outlines import Outlines
from fanshu.checkup.references import Dangling, dangling
from fanshu.checkup.showing import Shower
from fanshu.checkup.structure import Flaw, flaws
from fanshu.checkup.targets import Lost
from fanshu.checkup.twins import Twins, twins
from fanshu.library.dating import edition

LEAST = 0.3  # how sure a finding has to be at all
NAMED_NEWER, SAID_NEWER = 0.9, 0.8  # the names of the files tell, or dates and texts do
UNREADABLE = {"skipped": 0.5, "ocr_pending": 0.6, "partial_text": 0.7}
NO_DOCUMENT = "unsupported type"  # pictures and programs beside documents are no fault
CERTAIN = 0.95
STRUCTURED = frozenset(
    (".md", ".markdown", ".mdx", ".html", ".htm", ".docx", ".txt", ".rst", ".adoc")
)
BETWEEN = " / "


def finding(
    kind: Kind, code: str, sides: Sequence[Side], sure: float, key: Sequence[str], **more: Any
) -> Finding:
    """A finding with its id, sides cut to what is shown."""
    shown = tuple(sides[:MOST_SIDES])
    hidden = len(sides) - len(shown) + int(more.pop("more", 0))
    return Finding(finding_id(kind, code, *key), kind, code, shown, sure, more=hidden, **more)


# ---------------------------------------------------------------- values


def conflicts(found: Gathered, outlines: Outlines, show: Shower) -> Iterator[Finding]:
    """Different values for one thing."""
    for one in disagreements(found.claims, outlines):
        if one.sure >= LEAST:
            yield _conflict(one, show)


def _conflict(one: Disagreement, show: Shower) -> Finding:
    first = one.groups[0][0]
    sides = [show.claim(group[0]) for group in one.groups]
    values = BETWEEN.join(side.value for side in sides)
    kind: Kind = "contact" if first.form == "contact" else "conflict"
    told = {"found": values}
    if first.form == "parameter":
        told["aspect"] = first.aspect
    # More places of each value, the first of each value first.
    rest = [show.claim(claim) for group in one.groups for claim in group[1:]][:MOST_SIDES]
    places = sorted({claim.file_path for group in one.groups for claim in group})
    return finding(
        kind,
        first.form,
        [*sides, *rest],
        one.sure,
        [first.subject, first.aspect, "".join(first.tokens.words), values, *places],
        term=_subject(first),
        values=told,
        more=max(0, sum(map(len, one.groups)) - len(sides) - len(rest)),
    )


def _subject(claim: Claim) -> str:
    if claim.form == "contact":
        whose, _, label = claim.subject.split(" ", 2)
        if label.startswith(whose):  # 值班电话 says itself whose it is
            return label
        return f"{whose}{label}" if not label.isascii() else f"{whose} {label}".strip()
    return claim.subject


def copies(found: Gathered, outlines: Outlines, show: Shower) -> Iterator[Finding]:
    """Sections alike but for figures."""
    for one in twins(found.compared, outlines):
        yield _twin(one, show)


def _twin(one: Twins, show: Shower) -> Finding:
    sides, values = [], []
    for mine, theirs, at in one.different:
        left = show.span(one.one.chunk_id, mine.span, mine.tokens.figures[at].text)
        right = show.span(one.other.chunk_id, theirs.span, theirs.tokens.figures[at].text)
        sides += [left, right]
        values.append(BETWEEN.join((left.value, right.value)))
    return finding(
        "twin",
        "section",
        sides,
        one.sure,
        [one.one.file_path, one.other.file_path, *values],
        term=" · ".join(one.one.section_path[-1:]),
        values={"found": "; ".join(values[:3])},
    )


# ---------------------------------------------------------------- references, links


def references(found: Gathered, show: Shower) -> Iterator[Finding]:
    """Mentions of places that do not exist, one finding for each place that is missed."""
    lost: dict[tuple[str, str, str], list[Dangling]] = defaultdict(list)
    for one in dangling(found.places, found.mentions):
        here = one.chunk_id.rpartition("#")[0]
        lost[here, one.where, _called(one.mention)].append(one)
    for (here, where, called), places in lost.items():
        first = places[0]
        unit = first.mention.unit
        yield finding(
            "reference",
            unit if unit in ("document", "heading") else "number",
            [show.span(one.chunk_id, one.mention.span) for one in places[:MOST_SIDES]],
            max(one.sure for one in places),
            [here, where, called],
            term=called,
            values={"where": where},
            more=max(0, len(places) - MOST_SIDES),
        )


def _called(mention: Mention) -> str:
    return mention.written


def links(lost: Iterable[Lost], show: Shower) -> Iterator[Finding]:
    """Targets that are not there."""
    for one in lost:
        sides = [
            show.span(chunk_id, span) if chunk_id and span else _file(file_path, chunk_id)
            for file_path, chunk_id, span in one.places[:MOST_SIDES]
        ]
        yield finding(
            "link",
            one.code,
            sides,
            one.sure,
            [one.target],
            term=one.target,
            values={"count": str(one.count)} if one.code == "folder" else {},
            more=max(0, len(one.places) - MOST_SIDES),
        )


def _file(file_path: str, chunk_id: str = "") -> Side:
    return Side(file_path, chunk_id)


# ---------------------------------------------------------------- files and their sections


def superseded(found: Gathered) -> Iterator[Finding]:
    """Files beside which a newer version lies."""
    for file in found.files:
        newer = file.newer_version
        if newer:
            named = edition(file.file_path, None).family == edition(newer, None).family
            yield finding(
                "superseded",
                "newer",
                [_file(file.file_path), _file(newer)],
                NAMED_NEWER if named else SAID_NEWER,
                [file.file_path, newer],
                term=file.file_path,
                values={"old": file.file_path, "new": newer},
            )


def unreadable(found: Gathered) -> Iterator[Finding]:
    """Files of which nothing, or not everything, can be read."""
    for file in found.files:
        if file.state != "ok" and not (file.reason or "").startswith(NO_DOCUMENT):
            yield finding(
                "unreadable",
                file.state,
                [_file(file.file_path)],
                UNREADABLE.get(file.state, CERTAIN),
                [file.file_path, file.state],
                term=file.file_path,
                values={"reason": file.reason or "-"},
            )


def structure(found: Gathered, show: Shower) -> Iterator[Finding]:
    """Sections that say nothing or too much, and headings out of order."""
    for file_path, headings in found.headings.items():
        suffix = suffix_of(file_path)
        if suffix not in STRUCTURED:
            continue
        jumps: list[Flaw] = []
        for flaw in flaws(headings, suffix):
            if flaw.code == "jump":
                jumps.append(flaw)
            else:
                yield _flawed(file_path, [flaw], show)
        if jumps:
            yield _flawed(file_path, jumps, show)


def _flawed(file_path: str, found: Sequence[Flaw], show: Shower) -> Finding:
    first = found[0]
    kind: Kind = "headings" if first.code in ("jump", "twice", "gap", "back") else "section"
    values = {
        "before": first.before,
        "from_level": str(first.from_level),
        "to_level": str(first.to_level),
        "count": f"{first.count:,}",
    }
    return finding(
        kind,
        first.code,
        [show.section(one.chunk_id, one.term) for one in found[:MOST_SIDES]],
        first.sure,
        [file_path, first.term, first.before],
        term=first.term,
        values={name: value for name, value in values.items() if value not in ("", "0")},
        more=max(0, len(found) - MOST_SIDES),
    )


def terms(found: Gathered, show: Shower) -> Iterator[Finding]:
    """One term in several spellings."""
    for mixed in found.spellings.mixed():
        told = " · ".join(f"{written} ×{count}" for written, count, _ in mixed.forms)
        yield finding(
            "term",
            "spelling",
            [show.span(chunk_id, span, written) for written, _, (chunk_id, span) in mixed.forms],
            mixed.sure,
            [written for written, _, _ in mixed.forms],
            term=mixed.forms[0][0],
            values={"found": told},
        )
