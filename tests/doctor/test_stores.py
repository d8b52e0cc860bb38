"""What the doctor sees of a store of other machines."""

from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from fanshu import app
from fanshu.cluster.address import parse
from fanshu.cluster.connection import connect
from fanshu.doctor.checks import installation
from fanshu.doctor.findings import Finding
from fanshu.library.opensearch.schema import FORMAT
from fanshu.settings import load


def examined(**settings: object) -> dict[str, Finding]:
    return {one.code: one for one in installation(load(settings))}


def test_a_store_that_does_not_answer() -> None:
    found = examined(store="opensearch://u:hush@127.0.0.1:1/lib", store_retries=0)
    assert found["store_away"].level == "attention"
    assert "Connection refused" in str(found["store_away"].values["why"])
    assert "hush" not in str(found)
    assert "docs_unknown" in found


def test_an_address_that_is_none() -> None:
    assert examined(store="elsewhere")["store_away"].level == "attention"


@pytest.mark.cluster
def test_a_store_in_use(one_node: Any, tmp_path: Path) -> None:
    host = one_node.urls[0].partition("://")[2].strip("/")
    store = f"opensearch://{host}/doctored-{token_hex(4)}"
    assert "has no library" in str(examined(store=store)["store_away"].values["why"])
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    given = {"store": store, "store_replicas": 0, "docs": (str(tmp_path),)}
    library = app.open_library(load(given).settings)
    library.sync()
    found = examined(**given)
    assert found["store_ok"].values["version"] != "?"
    assert found["index_ok"].values["files"] == 1
    assert found["index_ok"].values["schema"] == FORMAT
    assert not [code for code, one in found.items() if one.level == "attention"]
    assert "store_asked" in examined(store=store)
    (tmp_path / "b.md").write_text("# B\n", encoding="utf-8")
    assert examined(**given)["index_behind"].values["count"] == 1
    with connect(parse(store)) as client:
        client.indices.delete(index=f"{parse(store).name}-*", ignore=404)
