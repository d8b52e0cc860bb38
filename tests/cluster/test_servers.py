"""What other tests rest on: `scripts/opensearch` and the fixtures of servers.py."""

import json
import os
import random
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripts.opensearch_for_tests import server
from scripts.opensearch_for_tests.cluster import Cluster, answers
from scripts.opensearch_for_tests.server import ClusterError, Missing

from fanshu.library.terms import terms
from tests.waiting import until

from .servers import Servers

opensearchpy = pytest.importorskip("opensearchpy", reason="needs the extra `opensearch`")

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = ROOT / "scripts" / "opensearch"
# Asked before the home of a test takes the place of the developer's.
CACHE = server.cache_folder()
WORDS = (
    "请求 超时 连接 数据库 配置 重试 集群 节点 索引 副本 网关 鉴权 令牌 日志 参数 时间 超级 过时 "
    "TiDB tidb_gc_life_time v5.4.0 timeout retry OpenSearch 10024 缓存 一致 写入 读取 恢复"
).split()
SECTIONS = 10_000
TEXT = {"type": "text", "analyzer": "whitespace"}


def sections() -> list[str]:
    """Texts in which words stand next to each other, so that 请求超时 comes about by itself."""
    draw = random.Random(10)
    return ["".join(draw.choices(WORDS, k=12)) + "。" for _ in range(SECTIONS)]


def client(urls: list[str]) -> Any:
    return opensearchpy.OpenSearch(urls, timeout=60, max_retries=5, retry_on_timeout=True)


@pytest.fixture(scope="module")
def loaded(three_nodes: Cluster) -> Iterator[str]:
    """The name of an index of three shards, each with one copy, in which all sections stand."""
    name, search = f"proof-{uuid.uuid4().hex}", client(three_nodes.urls)
    shards = {"number_of_shards": 3, "number_of_replicas": 1}
    body = {"settings": shards, "mappings": {"properties": {"body": TEXT}}}
    search.indices.create(index=name, body=body)
    lines = (
        {"_index": name, "_id": str(number), "body": " ".join(terms(text)), "raw": text}
        for number, text in enumerate(sections())
    )
    done, errors = opensearchpy.helpers.bulk(search, lines, chunk_size=1000, refresh=True)
    assert (done, errors) == (SECTIONS, [])
    three_nodes.wait_green()
    yield name
    search.indices.delete(index=name)


def found(search: Any, index: str, words: str) -> set[int]:
    """The numbers of the sections with a phrase; every shard must have answered."""
    # The last term is a single character that makes the end of a run, not of the words asked for.
    phrase = " ".join(term for term in terms(words) if len(term) > 1)
    answer = search.search(
        index=index,
        body={"query": {"match_phrase": {"body": phrase}}, "size": SECTIONS, "_source": False},
    )
    assert answer["_shards"]["failed"] == 0
    assert not answer["timed_out"]
    return {int(hit["_id"]) for hit in answer["hits"]["hits"]}


def truly(words: str) -> set[int]:
    return {number for number, text in enumerate(sections()) if words in text}


@pytest.mark.cluster
def test_every_node_sees_three(three_nodes: Cluster) -> None:
    for url in three_nodes.urls:
        nodes = client([url]).cat.nodes(format="json")
        assert sorted(node["name"] for node in nodes) == ["node-1", "node-2", "node-3"]


@pytest.mark.cluster
@pytest.mark.parametrize("words", ["超时", "请求超时", "数据库连接超时", "级过"])
def test_our_terms_find_what_stands_there(three_nodes: Cluster, loaded: str, words: str) -> None:
    assert truly(words)
    assert found(client(three_nodes.urls), loaded, words) == truly(words)


@pytest.mark.cluster
@pytest.mark.parametrize("number", [1, 2, 3])
def test_answers_go_on_when_a_node_is_killed(
    three_nodes: Cluster, loaded: str, number: int
) -> None:
    expected = truly("超时")
    three_nodes.wait_green()
    three_nodes.kill(number)
    others = [url for at, url in enumerate(three_nodes.urls, 1) if at != number]
    search = client(others)
    until(lambda: answers(f"{others[0]}/_cluster/health?wait_for_nodes=2&timeout=1s"))
    assert found(search, loaded, "超时") == expected

    three_nodes.start(number)
    three_nodes.wait_green()
    assert found(client([three_nodes.urls[number - 1]]), loaded, "超时") == expected


@pytest.mark.cluster
def test_a_halted_node_goes_on(three_nodes: Cluster) -> None:
    three_nodes.pause(3)
    assert three_nodes.running(3)
    with pytest.raises(opensearchpy.ConnectionTimeout):
        opensearchpy.OpenSearch(three_nodes.urls[2], timeout=2, max_retries=0).info()
    three_nodes.resume(3)
    until(lambda: answers(three_nodes.urls[2]))


@pytest.mark.cluster
def test_a_point_in_time_stays_as_it_was(three_nodes: Cluster, loaded: str) -> None:
    search = client(three_nodes.urls)
    point = search.create_pit(index=loaded, keep_alive="1m")["pit_id"]
    search.index(index=loaded, id="new", body={"body": "超时"}, refresh=True)
    body = {"query": {"match_all": {}}, "track_total_hits": True, "size": 0}
    then = search.search(body=body | {"pit": {"id": point}})["hits"]["total"]["value"]
    now = search.search(index=loaded, body=body)["hits"]["total"]["value"]
    search.delete(index=loaded, id="new", refresh=True)
    assert search.delete_pit(body={"pit_id": [point]})["pits"][0]["successful"]
    assert (then, now) == (SECTIONS, SECTIONS + 1)


@pytest.mark.cluster
def test_scripts_and_deleting_by_query(one_node: Servers) -> None:
    search, name = client(one_node.urls), "proof-of-modules"
    search.indices.create(index=name, body={"settings": {"number_of_replicas": 0}})
    try:
        more = {"script": {"source": "ctx._source.n += params.by", "params": {"by": 2}}}
        for key, number in (("a", 1), ("b", 5)):
            search.index(index=name, id=key, body={"n": number}, refresh=True)
        search.update(index=name, id="a", body=more, refresh=True)
        assert search.get(index=name, id="a")["_source"] == {"n": 3}
        query = {"query": {"term": {"n": 3}}}
        assert search.delete_by_query(index=name, body=query, refresh=True)["deleted"] == 1
        assert search.count(index=name)["count"] == 1
    finally:
        search.indices.delete(index=name)


# ------------------------------------------------------------------ the command, from outside


def run(*words: str | Path) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"FANSHU_OPENSEARCH_HOME": str(CACHE), "PYTHON": sys.executable}
    return subprocess.run(
        [COMMAND, *words], capture_output=True, text=True, timeout=290, env=environment
    )


def processes(folder: Path) -> list[int]:
    """Those whose command names a folder, as Linux lists them."""
    lines = {int(one.parent.name): one for one in Path("/proc").glob("[0-9]*/cmdline")}
    return [pid for pid, line in lines.items() if str(folder) in reading(line)]


def reading(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:  # has ended meanwhile
        return ""


@pytest.mark.cluster
def test_a_stopped_cluster_leaves_no_process_and_keeps_its_data(tmp_path: Path) -> None:
    place = ("--folder", tmp_path / "cluster")
    started = run("start", *place, "--port", "0")
    assert started.returncode == 0, started.stderr
    url = started.stdout.strip()
    cluster = Cluster(tmp_path / "cluster")
    try:
        assert cluster.urls == [url]
        assert processes(tmp_path) == [cluster.process(1)]
        assert (tmp_path / "cluster" / "urls").read_text() == f"{url}\n"
        assert "answers" in run("status", *place).stdout
        client([url]).index(index="kept", id="1", body={"text": "翻书"})
        assert run("stop", *place).returncode == 0
        assert not processes(tmp_path)
        assert "INFO  o.o.n.Node closed" in cluster.log(1).read_text("utf-8")
        assert run("status", *place).returncode == 3

        assert run("start", *place, "--port", "0").stdout.strip() == url
        assert client([url]).get(index="kept", id="1")["_source"] == {"text": "翻书"}
    finally:
        assert run("stop", *place, "--delete").returncode == 0
    assert not (tmp_path / "cluster").exists()


@pytest.mark.cluster
def test_a_node_ends_with_the_process_that_wanted_it(tmp_path: Path, one_node: Servers) -> None:
    owner = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    cluster = Cluster(tmp_path / "cluster", cache=CACHE)
    try:
        cluster.bring_up(ends_with=owner.pid)
        owner.kill()
        owner.wait()
        until(lambda: not cluster.running(1))
    finally:
        owner.kill()
        cluster.delete()


@pytest.mark.cluster
def test_without_maven_the_first_start_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_node: Servers
) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("java", "javac", "jar"):
        (tools / tool).symlink_to(server.java(tool))
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(Missing, match="apt-get install maven"):
        Cluster(tmp_path / "cluster", cache=tmp_path / "cache").bring_up()
    Cluster(tmp_path / "cluster", cache=CACHE).bring_up()  # built before: Java will do
    Cluster(tmp_path / "cluster").delete()


# ------------------------------------------------------------------- without any OpenSearch


def test_without_java_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(Missing, match=r"no `java` below JAVA_HOME.*default-jdk-headless"):
        Cluster(tmp_path / "cluster", cache=tmp_path).bring_up()


def test_a_hiccup_of_the_registry_is_no_failure(tmp_path: Path) -> None:
    said = tmp_path / "said"
    command = ["sh", "-c", f"echo again >> {said}; wc -l < {said}; [ $(wc -l < {said}) -ge 3 ]"]
    with pytest.raises(ClusterError, match=r"^not fetched\.\n2$"):
        server.step(command, "not fetched", pauses=(0,))
    server.step(command, "not fetched", pauses=(0,))


def test_a_process_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    """The number of a process that has ended is given to others."""
    member = {"http": 1, "transport": 2, "pid": os.getpid(), "begun": "long ago"}
    kept = {"members": [member]}
    (tmp_path / "cluster.json").write_text(json.dumps(kept))
    cluster = Cluster(tmp_path)
    assert not cluster.running(1)
    cluster.kill(1)
    with pytest.raises(ClusterError, match="Node 1 does not run"):
        cluster.pause(1)
    cluster.shut_down()


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    built = server.Server(tmp_path, "java")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ClusterError, match=rf"Port {port} is in use.*--port"):
            Cluster(tmp_path / "cluster", server=built).bring_up(port=port)


@pytest.mark.parametrize(
    ("said", "old"),
    [
        ('openjdk version "17.0.15" 2025-04-15', False),
        ('openjdk version "25" 2025-09-16', False),
        ('openjdk version "11.0.2" 2019-01-15', True),
        ('java version "1.8.0_202"', True),
    ],
)
def test_an_old_java_is_refused(said: str, old: bool) -> None:
    if old:
        with pytest.raises(Missing, match="17 or later"):
            server.demand_java(said)
    else:
        server.demand_java(said)
