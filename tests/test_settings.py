"""Where settings come from, who may say what, and what a wrong one says."""

import os
from pathlib import Path

import pytest

from fanshu.errors import ConfigError
from fanshu.settings import OWNER_ONLY, Settings, load, table, user_config
from fanshu.settings_file import split_name


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("FANSHU_SEARCH_SECONDS")  # what all tests share
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def owner_file(text: str) -> Path:
    path = user_config()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_any_source_everything_is_the_default(work: Path) -> None:
    loaded = load(folder=work)
    assert loaded.settings == Settings()
    assert loaded.origin == {}
    assert not loaded.settings.configured


def test_sources_count_in_order(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner_file("hits = 1\nmax_rounds = 1\npart_chars = 400\ncontext_tokens = 9000")
    (work / "fanshu.toml").write_text("hits = 2\nmax_rounds = 2\npart_chars = 500")
    monkeypatch.setenv("FANSHU_HITS", "3")
    monkeypatch.setenv("FANSHU_MAX_ROUNDS", "3")
    loaded = load({"hits": 4, "language": None}, folder=work)
    settings = loaded.settings
    assert (settings.hits, settings.max_rounds) == (4, 3)
    assert (settings.part_chars, settings.context_tokens) == (500, 9000)
    assert loaded.origin["hits"] == "flag"
    assert loaded.origin["max_rounds"] == "environment"
    assert loaded.origin["part_chars"] == str(work / "fanshu.toml")
    assert loaded.origin["context_tokens"] == str(user_config())
    assert "language" not in loaded.origin


@pytest.mark.parametrize("name", sorted(OWNER_ONLY))
def test_a_file_among_documents_cannot_send_them_elsewhere(work: Path, name: str) -> None:
    odd = {"trace": "true", "trace_days": "9", "trace_mb": "9", "headers": "{X-Evil = 'x'}"}
    odd["parsers"] = "{'.md' = 'evil:parse'}"
    odd |= dict.fromkeys(("store_timeout", "store_retries", "store_shards", "store_replicas"), "9")
    value = odd.get(name, '"http://evil.test"')
    (work / "fanshu.toml").write_text(f"{name} = {value}\nhits = 7")
    loaded = load(folder=work)
    assert getattr(loaded.settings, name) == getattr(Settings(), name)
    assert loaded.settings.hits == 7
    (dropped,) = loaded.dropped
    assert dropped.names == (name,)
    assert dropped.file == str(work / "fanshu.toml")


@pytest.mark.parametrize("docs", ["/etc", "..", "sub/../..", "x=/etc", "~"])
def test_a_file_among_documents_cannot_widen_what_is_read(work: Path, docs: str) -> None:
    (work / "fanshu.toml").write_text(f"docs = ['sub', '{docs}']")
    loaded = load(folder=work)
    assert loaded.settings.docs == (".",)
    assert loaded.dropped[0].names == ("docs",)


def test_a_link_out_of_the_folder_is_outside(work: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (work / "inside").symlink_to(tmp_path / "secret")
    (work / "fanshu.toml").write_text("docs = 'inside'")
    assert load(folder=work).dropped


def test_docs_of_a_file_begin_beside_it(work: Path) -> None:
    (work / "sub").mkdir()
    (work / "fanshu.toml").write_text("docs = ['sub', 'N=sub/deep']")
    docs = load(folder=work).settings.docs
    assert docs == (str(work / "sub"), f"N={work / 'sub' / 'deep'}")


def test_a_file_named_on_purpose_is_trusted_and_stands_alone(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner_file("hits = 3")
    named = work / "fanshu.toml"
    named.write_text('model = "ollama:qwen3"\nbase-url = "http://localhost:1/v1"')
    assert load(folder=work).settings.model is None
    settings = load(config=named, folder=work).settings
    assert settings.model == "ollama:qwen3"
    assert settings.base_url == "http://localhost:1/v1"
    assert settings.hits == Settings().hits
    monkeypatch.setenv("FANSHU_CONFIG", str(named))
    assert load(folder=work).settings.model == "ollama:qwen3"


def test_the_owner_may_work_in_the_configuration_folder() -> None:
    path = owner_file('model = "ollama:qwen3"')
    loaded = load(folder=path.parent)
    assert loaded.settings.model == "ollama:qwen3"
    assert not loaded.dropped


def test_excludes_add_up(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner_file("exclude = ['private/**']")
    (work / "fanshu.toml").write_text("exclude = 'drafts/'")
    monkeypatch.setenv("FANSHU_EXCLUDE", os.pathsep.join(["*.bak", "old/"]))
    settings = load({"exclude": ("tmp/",)}, folder=work).settings
    assert settings.exclude == ("tmp/", "*.bak", "old/", "drafts/", "private/**")


def test_the_environment_separates_folders_like_path(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FANSHU_DOCS", os.pathsep.join(["a", "B=b"]))
    assert load(folder=work).settings.docs == ("a", "B=b")


def test_an_empty_variable_is_not_set(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FANSHU_MODEL", "")
    monkeypatch.setenv("FANSHU_HITS", "")
    assert load(folder=work).settings == Settings()


def test_a_switch_in_the_environment(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FANSHU_TRACE", "0")
    assert load(folder=work).settings.trace is False


def test_a_key_is_never_printed(work: Path) -> None:
    settings = load({"api_key": "sk-very-secret"}, folder=work).settings
    assert "very-secret" not in f"{settings!r} {settings} {settings.model_dump(mode='json')}"
    assert settings.api_key is not None
    assert settings.api_key.get_secret_value() == "sk-very-secret"


def test_headers_are_a_table_or_json_and_never_printed(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner_file('[headers]\nX-Team = "docs-secret"')
    loaded = load(folder=work)
    assert loaded.settings.headers["X-Team"].get_secret_value() == "docs-secret"
    monkeypatch.setenv("FANSHU_HEADERS", '{"X-Team": "other-secret"}')
    settings = load(folder=work).settings
    assert settings.headers["X-Team"].get_secret_value() == "other-secret"
    assert "secret" not in f"{settings!r} {settings} {settings.model_dump(mode='json')}"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("X-Team: docs-secret", "a JSON object"),
        ('["docs-secret"]', "a table of names and values"),
        ('{"X-Team": 1}', "must be text"),
        ('{"X Team": "docs-secret"}', "'X Team' is no name"),
        ('{"X-Team": "docs-secret\\nHost: x"}', "the value of 'X-Team'"),
        ('{"X-Team": "docs-secret \u94a5"}', "the value of 'X-Team'"),
    ],
)
def test_wrong_headers_are_said_without_their_value(
    work: Path, monkeypatch: pytest.MonkeyPatch, value: str, said: str
) -> None:
    monkeypatch.setenv("FANSHU_HEADERS", value)
    with pytest.raises(ConfigError, match=f"headers.*{said}") as caught:
        load(folder=work)
    assert "secret" not in str(caught.value)


def test_files_named_by_a_settings_file_lie_beside_it() -> None:
    file = owner_file('api_key_file = "key"\nca_file = "/etc/ca.pem"')
    settings = load().settings
    assert settings.api_key_file == str(file.parent / "key")
    assert settings.ca_file == "/etc/ca.pem"


def test_a_wrong_value_names_its_flag_or_variable(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match=r"at most 10 \(from --max-rounds\)"):
        load({"max_rounds": 11}, folder=work)
    monkeypatch.setenv("FANSHU_HITS", "0")
    with pytest.raises(ConfigError, match=r"at least 1 \(from FANSHU_HITS\)"):
        load(folder=work)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max_rounds = 11", "at most 10 (from "),
        ("max_rounds = 'x'", "a whole number"),
        ("modle = 'x'", "no setting of that name"),
        ("docs = []", "names no folder"),
        ("max_file_mb = inf", "finite"),
        ("timeout = nan", "timeout"),
        ("timeout = 0", "more than 0 "),
        ("docs = 5", "docs"),
        ("exclude = 5", "exclude"),
        ("language = 'fr'", "'zh' or 'en'"),
        ("= broken", "cannot be read"),
    ],
)
def test_a_wrong_file_is_one_clear_line(work: Path, text: str, said: str) -> None:
    (work / "fanshu.toml").write_text(text)
    with pytest.raises(ConfigError) as failure:
        load(folder=work)
    assert said in str(failure.value)
    assert str(work / "fanshu.toml") in str(failure.value)
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize("docs", ["", "  ", "N="])
def test_an_empty_name_is_no_folder(work: Path, docs: str) -> None:
    with pytest.raises(ConfigError, match="names no folder"):
        load({"docs": ("docs", docs)}, folder=work)


def test_a_pattern_that_is_none_is_said(work: Path) -> None:
    with pytest.raises(ConfigError, match=r"exclude.*'!'"):
        load({"exclude": ("*.bak", "!")}, folder=work)


def test_no_number_of_days_is_too_many_for_a_date() -> None:
    owner_file("trace_days = 1e9")
    with pytest.raises(ConfigError, match="36500"):
        load()


def test_a_wrong_value_is_not_repeated_when_it_may_be_a_key(work: Path) -> None:
    owner_file("api_key = ['sk-very-secret']")
    with pytest.raises(ConfigError) as failure:
        load(folder=work)
    assert "very-secret" not in str(failure.value)


def test_bytes_that_are_no_text_are_one_clear_line(work: Path) -> None:
    (work / "fanshu.toml").write_bytes(b"hits = 3 # \xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read"):
        load(folder=work)


def test_a_missing_named_file_is_said(work: Path) -> None:
    with pytest.raises(ConfigError, match="there is no file"):
        load(config=work / "none.toml", folder=work)


def test_names_of_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b").mkdir()
    assert split_name("NAME=some/where") == ("NAME", "some/where")
    assert split_name("some/where=x") == ("", "some/where=x")
    assert split_name("a=b") == ("", "a=b")
    assert split_name("=x") == ("", "=x")


def test_the_table_covers_every_setting() -> None:
    rows = table()
    assert [row.name for row in rows] == list(Settings.model_fields)
    assert all(row.meaning.endswith(".") for row in rows)
    assert {row.name for row in rows if row.owner_only} == OWNER_ONLY
    assert next(row for row in rows if row.name == "max_rounds").variable == "FANSHU_MAX_ROUNDS"


# ------------------------------------------------------------------------------- stores


def test_with_a_store_of_others_nothing_is_indexed_unless_named(work: Path) -> None:
    far = "opensearch://search:9200/manuals"
    assert load({"store": far}, folder=work).settings.docs == ()
    assert Settings(store=far).docs == ()
    assert load({"store": far, "docs": ("a",)}, folder=work).settings.docs == ("a",)
    assert load({"store": "sqlite:/tmp/a.db"}, folder=work).settings.docs == (".",)
    assert load(folder=work).settings.docs == (".",)


def test_documents_that_a_file_beside_them_names_do_not_go_to_others(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "fanshu.toml").write_text("docs = '.'\nhits = 4")
    assert load(folder=work).settings.docs == (str(work),)
    monkeypatch.setenv("FANSHU_STORE", "opensearch://search:9200/manuals")
    loaded = load(folder=work)
    assert (loaded.settings.docs, loaded.settings.hits) == ((), 4)
    assert loaded.dropped[0].names == ("docs",)
    trusted = load(config=work / "fanshu.toml", folder=work)
    assert trusted.settings.docs == (str(work),)


@pytest.mark.parametrize("docs", [(), [], "", ("",)])
def test_no_documents_are_wrong_where_there_is_no_store(docs: object) -> None:
    with pytest.raises(ValueError, match="names no folder"):
        Settings(docs=docs)  # type: ignore[arg-type]


def test_a_store_in_a_file_begins_beside_the_settings(work: Path) -> None:
    owner = owner_file("store = 'sqlite:lib/a.db'\nstore-ca-file = 'ca.pem'")
    settings = load(folder=work).settings
    assert settings.store == f"sqlite:{owner.parent}/lib/a.db"
    assert settings.store_ca_file == f"{owner.parent}/ca.pem"


def test_a_login_in_an_address_is_not_shown() -> None:
    settings = Settings(store="opensearch://ann:p@ss/w@search:9200/lib", store_password="hush")
    assert settings.store_shown == "opensearch://search:9200/lib"
    assert "hush" not in repr(settings)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("opensearch:/ann:pw@search/lib", "opensearch:/search/lib"),
        ("ann:pw@search/lib", "search/lib"),
        ("//ann:p/w@search/lib", "//search/lib"),
        ("sqlite://ann:pw@search/lib", "sqlite://search/lib"),
        ("sqlite:mine@home/index.db", "sqlite:mine@home/index.db"),
    ],
)
def test_nor_is_it_where_the_address_is_wrong(written: str, shown: str) -> None:
    settings = Settings.model_construct(store=written)
    assert settings.store_shown == shown
