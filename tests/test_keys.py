import sys
from pathlib import Path

import pytest

from fanshu.app import open_model, public
from fanshu.errors import ConfigError
from fanshu.keys import key_from_command, key_from_file
from fanshu.settings import Settings
from tests.models.fake_server import FakeServer, message
from tests.models.test_json_mode import START, TOOLS


def python(code: str) -> str:
    return f"'{sys.executable}' -c '{code}'"


def test_the_first_line_of_a_file_is_the_key(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("\n  sk-123 \nuser: me\n")
    assert key_from_file(str(file)) == "sk-123"


def test_the_first_line_that_a_command_prints_is_the_key() -> None:
    assert key_from_command(python('print("sk-123\\nuser: me")')) == "sk-123"


def test_a_command_is_run_without_a_shell(tmp_path: Path) -> None:
    made = tmp_path / "made"
    code = "import sys; print(len(sys.argv))"
    assert key_from_command(f"{python(code)} '$(touch {made})' ; touch {made}") == "5"
    assert not made.exists()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "No such file"),
        ("\n \n", "is empty"),
        ("\udcff\udcfe", "no text"),
        ("钥匙", "no key"),
    ],
)
def test_a_file_without_a_key(tmp_path: Path, content: str | None, why: str) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_text(content, "utf-8", errors="surrogateescape")
    with pytest.raises(ConfigError, match=f"api_key_file.*{why}"):
        key_from_file(str(file))


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (python('import sys; print("sk-secret"); sys.exit("sk-secret")'), "exit code 1"),
        (python("pass"), "printed nothing"),
        ("no-such-key-store get", "No such file"),
        ("'open", "not closed"),
        ("", "cannot be run"),
        (python('print("not sk-secret")'), "no key"),
    ],
)
def test_a_command_that_gives_no_key_tells_no_secret(command: str, why: str) -> None:
    with pytest.raises(ConfigError, match=f"api_key_command.*{why}") as caught:
        key_from_command(command)
    assert "sk-secret" not in str(caught.value)


def test_a_command_that_hangs_is_stopped() -> None:
    with pytest.raises(ConfigError, match=r"more than 0\.2 seconds"):
        key_from_command(python("import time; time.sleep(60)"), seconds=0.2)


@pytest.mark.parametrize("kind", ["file", "command"])
async def test_the_app_takes_the_key_from_there(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "key"
    file.write_text("sk-from-there")
    given = {"file": str(file), "command": python(f'print(open("{file}").read())')}
    with FakeServer(message("30 s")) as server:
        settings = Settings(model="small", base_url=server.url, **{f"api_key_{kind}": given[kind]})
        model = open_model(settings)
        await model.next(START, TOOLS)
        await model.close()
    assert server.headers[0]["Authorization"] == "Bearer sk-from-there"


def test_nothing_about_keys_and_headers_is_kept_in_traces() -> None:
    settings = Settings(
        api_key="sk-secret",
        api_key_file="/keys/sk-secret",
        api_key_command="get sk-secret",
        headers={"X-Token": "sk-secret"},
    )
    assert "sk-secret" not in str(public(settings))
    assert "sk-secret" not in str(settings.headers)
