"""Findings as JSON: the same for the command line and the service."""

from fanshu.checkup.findings import Finding
from fanshu.types import plain


def finding_json(one: Finding) -> dict[str, object]:
    """A finding for programs; its message is in English, whoever asks."""
    return {
        "id": one.id,
        "kind": one.kind,
        "code": one.code,
        "sure": round(one.sure, 2),
        "level": one.sureness,
        "message": one.message("en"),
        "term": one.term,
        "values": dict(one.values),
        "sides": [plain(side) for side in one.sides],
        "more": one.more,
        "verdict": plain(one.verdict),
    }
