"""Several libraries: from folders, from a file, and another plan without a restart."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from fanshu.errors import ConfigError
from fanshu.serve.planning import plan
from fanshu.settings import Settings
from tests.serve.served import Served, plan_of, write
from tests.waiting import PATIENCE, until


def test_folders_are_libraries_by_their_names(tmp_path: Path) -> None:
    for name in ("manuals", "our rules"):
        (tmp_path / name).mkdir()
    made = plan(Settings(), [str(tmp_path / "manuals"), str(tmp_path / "our rules")])
    assert [one.name for one in made.libraries] == ["manuals", "our-rules"]
    named = plan(Settings(), [f"x={tmp_path / 'manuals'}"], flags={"port": 9, "host": None})
    assert (named.libraries[0].name, named.service.port) == ("x", 9)
    with pytest.raises(ConfigError, match="names both"):
        plan(Settings(), [f"x={tmp_path / 'manuals'}", f"x={tmp_path / 'our rules'}"])


def test_a_library_in_a_store_may_have_no_documents_here(tmp_path: Path) -> None:
    store = "opensearch://search:9200/manuals"
    (only,) = plan(Settings(store=store), ()).libraries
    assert (only.name, only.settings.docs) == ("manuals", ())
    (filled,) = plan(Settings(store=store, docs=("a",)), ("a",)).libraries
    assert filled.settings.docs == ("a",)
    file = tmp_path / "libraries.toml"
    file.write_text(f'[libraries.rules]\nstore = "{store}"\n[libraries.own]\ndocs = "m"\n')
    rules, own = plan(Settings(), (), file).libraries
    assert (rules.settings.store, rules.settings.docs) == (store, ())
    assert (own.settings.store, len(own.settings.docs)) == (None, 1)


STORE = "opensearch://search:9200"


def test_a_store_is_one_library_whose_roots_are_the_folders() -> None:
    asks = plan(Settings(store=f"{STORE}/manuals"), ())
    assert [(one.name, one.settings.docs) for one in asks.libraries] == [("manuals", ())]
    indexes = plan(Settings(store=f"{STORE}/all"), ["a=./a", "b=./b"])
    assert [(one.name, one.settings.docs) for one in indexes.libraries] == [
        ("all", ("a=./a", "b=./b"))
    ]


def test_libraries_in_a_store_have_places_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "libraries.toml"
    text = f'[libraries.a]\nstore = "{STORE}/a"\n[libraries.b]\nstore = "{STORE}/%s"\n'
    file.write_text(text % "b", encoding="utf-8")
    assert [one.name for one in plan(Settings(), (), file).libraries] == ["a", "b"]
    file.write_text(text % "a", encoding="utf-8")
    with pytest.raises(ConfigError, match="two libraries"):
        plan(Settings(), (), file)


def test_a_file_names_libraries_with_settings_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "libraries.toml"
    file.write_text(
        'hits = 7\n[serve]\nport = 9000\nruns-each = 1\n[libraries.manuals]\ndocs = "m"\n'
        'title = "Our manuals"\nexclude = "*.txt"\n'
        '[libraries.rules]\ndocs = ["r"]\nhits = 3\nwritable = true\n'
    )
    made = plan(Settings(hits=7), (), file, {"port": 9001})
    manuals, rules = made.libraries
    assert (manuals.title, manuals.settings.hits, manuals.writable) == ("Our manuals", 7, False)
    assert manuals.settings.docs == (str(tmp_path / "m"),)
    assert manuals.settings.exclude == ("*.txt",)
    assert (rules.settings.hits, rules.writable) == (3, True)
    assert (made.service.port, made.service.runs_each) == (9001, 1)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[serve]\nprot = 1\n", "serve.prot"),
        ('[serve]\nport = "x"\n', "serve.port"),
        ("[libraries.a]\n", "libraries.a.docs"),
        ('[libraries.a]\ndocs = "x"\nhits = 0\n', "libraries.a.hits"),
        ('[libraries."a/b"]\ndocs = "x"\n', "cannot be a name"),
        ("libraries = 3\n", "must be tables"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "libraries.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(named)):
        plan(Settings(), (), file)


def test_another_plan_counts_without_a_restart(
    service: Served, folders: dict[str, Path], tmp_path: Path
) -> None:
    more = write(tmp_path / "more", {"more.md": "# More\n\nMarmalade.\n"})
    libraries = service.app.service.libraries
    kept = libraries.all["rules"]
    changed = {"rules": folders["rules"], "more": more}
    service.call(lambda: libraries.change(plan_of(changed, {"model": None})))
    with service.client() as http:
        names = [one["name"] for one in http.get("/v1/me").json()["libraries"]]
        found = http.get("/v1/search", params={"q": "marmalade", "library": "more"}).json()
        gone = http.get("/v1/search", params={"q": "timeout", "library": "manuals"})
    assert names == ["rules", "more"]
    assert found["total"] == 1
    assert gone.status_code == 404
    assert libraries.all["rules"] is kept


@pytest.mark.slow
def test_the_command_serves_hears_signals_and_ends(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    """A process of its own: it says where it listens, takes a new file, ends when told to."""
    file = tmp_path / "libraries.toml"
    table = '[libraries.{}]\ndocs = "{}"\n'
    file.write_text(table.format("manuals", folders["manuals"]))
    process = subprocess.Popen(
        [sys.executable, "-m", "fanshu", "serve", "--config", str(file), "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "FANSHU_LANGUAGE": "en"},
    )
    assert process.stderr
    try:
        said = process.stderr.readline()
        match = re.search(r"Serving manuals at (\S+)/", said)
        assert match, said + process.stderr.read()
        with httpx.Client(base_url=match[1], timeout=PATIENCE) as http:
            assert http.get("/v1/search", params={"q": "timeout"}).json()["total"] == 1
            text = file.read_text() + table.format("rules", folders["rules"])
            file.write_text(text)
            process.send_signal(signal.SIGHUP)
            asked = {"library": "rules"}
            until(lambda: http.get("/v1/outline", params=asked).status_code == 200)
            file.write_text("[libraries.x]\n")  # wrong: all stays as it was
            process.send_signal(signal.SIGHUP)
            while "stay as they were" not in (said := process.stderr.readline()):
                assert said
            assert len(http.get("/v1/me").json()["libraries"]) == 2
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) in (0, -signal.SIGTERM)
    finally:
        process.kill()
        process.stderr.close()
        process.wait()
