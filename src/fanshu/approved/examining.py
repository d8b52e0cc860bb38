"""Looking at the evidence of one approved answer again."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fanshu.approved.approval import ORDER, Approved, Contradiction, Examined, Kept, now
from fanshu.approved.approving import against, verdict_on
from fanshu.approved.rivals import rivals
from fanshu.approved.standing import Ground, Standing, Today, squashed, stand
from fanshu.types import Answer, ApprovalState, Chunk, Citation


def examine(
    one: Approved, ground: Ground, known: Examined | None = None, fresh: Sequence[Chunk] = ()
) -> Examined:
    """How an answer stands over the library of `ground`.

    `known`: how it stood before, so that a citation is followed from where it was last. `fresh`:
    chunks that were not there then, which may state another value.
    """
    last = known.now if known else tuple(each.citation for each in one.evidence)
    before = known.standings if known else (None,) * len(one.evidence)
    today = [_stands(one, at, ground, last[at], before[at]) for at in range(len(one.evidence))]
    worse = tuple(_unsupported(one, today))
    found = tuple(_contradictions(one, ground, known, fresh))
    return Examined(
        at=now(),
        state=_state([each.standing for each in today], found, worse),
        standings=tuple(each.standing for each in today),
        now=tuple(map(_followed, today, last)),
        contradictions=found,
        unsupported=worse,
    )


def as_approved(one: Approved) -> Examined:
    """How an answer stands that has just been approved: its evidence is that of now."""
    places = tuple(each.citation for each in one.evidence)
    standings = tuple(
        Standing(
            number,
            "unchanged",
            cited.chunk_id,
            cited.passage,
            now=cited.chunk_id,
            file_path=cited.file_path,
            section_path=cited.section_path,
            lines=cited.lines,
            page=cited.page,
        )
        for number, cited in enumerate(places, 1)
    )
    return Examined(one.at, "unchanged", standings, places)


def _stands(
    one: Approved, at: int, ground: Ground, last: Citation, before: Standing | None
) -> Today:
    """What became of a passage. One that had changed `before` has not gone while what took its
    place is there, though that is new no more.
    """
    evidence = one.evidence[at]
    today = stand(at + 1, evidence.citation, ground, evidence.section, last)
    if today.standing.state == "gone" and before and before.state == "changed":
        return _still_changed(before, ground) or today
    return today


def _still_changed(before: Standing, ground: Ground) -> Today | None:
    """What took the place of a passage, where it stands now."""
    words = squashed((before.passage_now or "").rpartition("\n")[2])
    for chunk in ground.file(before.file_path or "") if words else ():
        if words in squashed(chunk.text) and (whole := ground.read(chunk.chunk_id)):
            now = replace(before, now=whole.chunk_id, lines=whole.lines, page=whole.page)
            return Today(replace(now, section_path=whole.section_path), whole)
    return None


def _followed(today: Today, last: Citation) -> Citation:
    """A citation where its passage stands now; where it stood last when it does not."""
    if today.standing.state in ("unchanged", "moved") and today.citation:
        return replace(today.citation, passage=last.passage)
    return last


def _unsupported(one: Approved, today: Sequence[Today]) -> Iterator[str]:
    """What the answer says that its evidence, although it still stands, does not hold any more:
    a figure that stood in a heading or in the name of the file.
    """
    chunks = [each.chunk for each in today if each.chunk]
    cited = [each.citation for each in today if each.citation]
    whole = all(each.standing.state in ("unchanged", "moved") for each in today)
    if not whole or all(map(_same_place, one.evidence_chunks, chunks)):
        return
    verdict = verdict_on(one.answer, cited, chunks, one.strictness)
    yield from (item for item in against(verdict) if item not in one.answer.unsupported)


def _same_place(then: tuple[str, str, tuple[str, ...]], chunk: Chunk) -> bool:
    return then == (chunk.hash, chunk.file_path, chunk.section_path)


def _contradictions(
    one: Approved, ground: Ground, known: Examined | None, fresh: Sequence[Chunk]
) -> Iterator[Contradiction]:
    """Those that still stand, and new ones; without those that somebody has accepted."""
    found: dict[str, Contradiction] = {}
    for old in known.contradictions if known else ():
        text = "".join(chunk.text for chunk in ground.file(old.file_path))
        if squashed(old.passage) in squashed(text):
            found[old.key] = old
    for new in rivals(one.evidence, fresh):
        found.setdefault(new.key, new)
    yield from (each for key, each in found.items() if key not in one.accepted)


def _state(
    standings: Sequence[Standing], found: Sequence[Contradiction], worse: Sequence[str]
) -> ApprovalState:
    """The worst of all that is known."""
    states: set[ApprovalState] = {each.state for each in standings}
    states |= {"superseded" for each in standings if each.newer_version}
    states |= {"contradicted"} if found else set()
    states |= {"changed"} if worse else set()
    return next(state for state in ORDER if state in states)


def state_today(answer: Answer, ground: Ground) -> ApprovalState | None:
    """How any answer stands today by its citations, whether or not somebody approved it; None for
    one that cites nothing.
    """
    today = [
        stand(number, cited, ground).standing for number, cited in enumerate(answer.citations, 1)
    ]
    return _state(today, (), ()) if today else None


def still(kept: Kept, ground: Ground) -> Kept:
    """An answer with how it stands at this moment."""
    return replace(kept, examined=examine(kept.approved, ground, kept.examined))
