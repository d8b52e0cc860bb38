"""Old office files through LibreOffice, when it is installed: `soffice --headless --convert-to`."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

from fanshu.library.parsers.needs import libreoffice_for, soffice
from fanshu.library.parsers.package import Unreadable

SECONDS = 120.0  # the first start makes a profile, which takes most of the time
# Files come from anywhere: no macro runs, and nothing is fetched because a file links to it.
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop>
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop>
<prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop>
</item></oor:items>
"""
_TARGETS = {"docx": "docx:MS Word 2007 XML", "xlsx": "xlsx", "pptx": "pptx"}


def converted(
    data: bytes, kind: str, to: str, program: str | None = None, seconds: float = SECONDS
) -> bytes:
    """A file of `kind` (its extension without dot) as `to`: docx, xlsx or pptx.

    `program`: LibreOffice's, looked for when not given. Raises: Unreadable, `skipped` when
    there is none, `failed` when it cannot read the file or takes longer than `seconds`.
    """
    program = program or soffice()
    if program is None:
        raise Unreadable("skipped", libreoffice_for(kind))
    with tempfile.TemporaryDirectory(prefix="fanshu-") as name:
        folder = Path(name)
        source = folder / f"source.{kind}"
        source.write_bytes(data)
        user = folder / "profile" / "user"
        user.mkdir(parents=True)
        (user / "registrymodifications.xcu").write_text(_SETTINGS, encoding="utf-8")
        message = _run(program, source, to, seconds)
        result = folder / "out" / f"source.{to}"
        if not result.is_file():
            raise Unreadable("failed", f"corrupt: LibreOffice cannot read it: {message}"[:200])
        return result.read_bytes()


def _run(program: str, source: Path, to: str, seconds: float) -> str:
    """Convert into the folder `out` beside the source; what the program had to say."""
    folder = source.parent
    command = [
        program,
        f"-env:UserInstallation={(folder / 'profile').as_uri()}",  # none is shared, none is left
        "--headless", "--norestore", "--nolockcheck", "--convert-to", _TARGETS[to],
        "--outdir", str(folder / "out"), str(source),
    ]  # fmt: skip
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise Unreadable("failed", f"LibreOffice does not start: {error.strerror}") from error
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        _end(process)
        raise Unreadable("failed", f"timeout: not converted in {seconds:.0f} seconds") from error
    return output.decode("utf-8", "replace").strip().rpartition("\n")[2]


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the program with the children it started."""
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()
