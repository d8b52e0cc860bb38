"""The verb doctor."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from fanshu.cli.helping import Verb
from fanshu.cli.messages import Texts
from fanshu.cli.options import ASKING, LIBRARY, MODEL, Call, with_settings
from fanshu.cli.screen import FAINT, HEAD, WARNING, Line, line
from fanshu.errors import FanshuError
from fanshu.types import plain

if TYPE_CHECKING:
    from fanshu.doctor.findings import Finding

ATTENTION = 1


def add(app: typer.Typer, texts: Texts) -> None:
    """Put this verb on the program."""

    @app.command(cls=Verb, help=texts("help.doctor"), rich_help_panel=texts("help.more"))
    @with_settings(*LIBRARY, *MODEL, *ASKING, texts=texts)
    def doctor(
        call: Call,
        offline: Annotated[bool, typer.Option("--offline", help=texts("help.offline"))] = False,
    ) -> int:
        return _doctor(call, offline)


def _doctor(call: Call, offline: bool) -> int:
    from fanshu.doctor.examination import examine

    found = list(examine(call.loaded, offline=offline))
    ill = any(one.level == "attention" for one in found)
    if call.json:
        call.screen.json({"ok": not ill, "findings": [_as_json(one) for one in found]})
    else:
        call.screen.show(_lines(call.screen.texts, found))
    return ATTENTION if ill else 0


def _as_json(finding: "Finding") -> dict[str, object]:
    """A finding with its words in English, whatever the language of the terminal."""
    from fanshu.doctor.words import cause, cure, said

    known = {"area": finding.area, "code": finding.code, "level": finding.level}
    values = {name: plain(_flat(value)) for name, value in finding.values.items()}
    words = {"message": said(finding, "en"), "cause": cause(finding, "en")}
    cured = {"cure": cure(finding, "en"), "settings": finding.settings}
    return {**known, **words, **cured, "values": values}


def _flat(value: object) -> object:
    return value if isinstance(value, int | float | str) else str(value)


def _lines(texts: Texts, found: Sequence["Finding"]) -> Iterator[Line]:
    from fanshu.doctor.findings import Area
    from fanshu.doctor.words import AREAS

    zh = texts.language == "zh"
    for area in get_args(Area):
        inside = [one for one in found if one.area == area]
        if inside:
            yield line(AREAS[area][zh], HEAD)
        for one in inside:
            yield from _finding(texts, one)
    ill = sum(one.level == "attention" for one in found)
    yield line()
    yield line(texts("doctor.ill", count=ill) if ill else texts("doctor.well"))


def _finding(texts: Texts, finding: "Finding") -> Iterator[Line]:
    from dataclasses import replace

    from fanshu.doctor.words import LEVELS, cause, cure, said

    values = {name: _told(texts, value) for name, value in finding.values.items()}
    finding = replace(finding, values=values)
    level = LEVELS[finding.level][texts.language == "zh"]
    style = WARNING if finding.level == "attention" else ""
    yield ((f"  {level}  ", style or FAINT), (said(finding, texts.language), style))
    for text in (cause(finding, texts.language), cure(finding, texts.language)):
        if text and finding.level != "ok":
            yield line(f"      {text}", FAINT)


def _told(texts: Texts, value: object) -> object:
    """Errors and reasons of files in the language of the terminal."""
    if isinstance(value, FanshuError):
        return texts.error(value)
    if isinstance(value, str):  # where a setting comes from, a reason of a file, or a name
        return texts.known(f"config.{value}", texts.detail(value))
    return value
