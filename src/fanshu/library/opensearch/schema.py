"""The index of a library: its fields, settings, and the version of both.

One index holds three kinds of documents, which all belong to a *unit*: a document's chunks as it
was at one time. `record`: what is known of a document, one for each time that this changed;
`chunk`; `alias`. All of a unit stand in one shard, and none of them is ever changed.
"""

from typing import Any

from fanshu.library import terms

FORMAT = f"1.{terms.VERSION}"
BUCKETS = 64  # fields that terms are spread over by their first character, for `vocabulary`
MAX_TERM = 32_766  # bytes; Lucene's limit
WINDOW = 50_000  # the most hits of one request

_KEPT = {"type": "keyword", "index": False, "doc_values": False}
_KEYWORD = {"type": "keyword", "doc_values": False}
_INTO_ALL = {**_KEPT, "copy_to": ["all"]}
_TERMS = {"type": "text", "analyzer": "terms", "position_increment_gap": 100}
_UNRANKED = {**_TERMS, "norms": False}


def settings(shards: int, replicas: int) -> dict[str, Any]:
    """Terms are cut at spaces only; what was written is seen when a writer says so."""
    return {
        "number_of_shards": shards,
        "number_of_replicas": replicas,
        "refresh_interval": "-1",
        "max_terms_count": 1_000_000,
        "max_result_window": WINDOW,
        "analysis": {
            "tokenizer": {"terms": {"type": "whitespace", "max_token_length": MAX_TERM}},
            "analyzer": {"terms": {"type": "custom", "tokenizer": "terms"}},
        },
    }


def mapping() -> dict[str, Any]:
    """Fields that are not named are kept and not looked at."""
    buckets = {bucket(number): {"type": "keyword", "index": False} for number in range(BUCKETS)}
    return {
        "_meta": {"format": FORMAT},
        "_source": {"excludes": ["heading", "first", "v"]},
        "dynamic": False,
        "properties": {
            "kind": _KEYWORD,
            "unit": {"type": "long"},
            "row": {"type": "long"},
            "key": _KEYWORD,  # of a record: the path's
            "root": _KEYWORD,
            "hash": _KEYWORD,
            "size": {"type": "integer", "index": False},  # terms of a chunk
            # A column stands in its field as often as it weighs (`columns.WEIGHTS`), so that the
            # engine's frequency of a phrase in `all` is the weighted one.
            "name": _INTO_ALL,
            "head": _INTO_ALL,
            "body": _INTO_ALL,
            "ident": _INTO_ALL,
            "all": _TERMS,
            "heading": _UNRANKED,  # the headings once, after a mark where they begin
            "first": _UNRANKED,  # the text of a document's first chunk that has no heading
            "v": {"properties": buckets},
            "alias": {"type": "keyword"},
            "other": {"type": "keyword"},
        },
    }


def bucket(number: int) -> str:
    """The name of a field of the vocabulary, below `v`."""
    return f"b{number:02}"


def state_index(replicas: int) -> dict[str, Any]:
    """The index that holds the state: one document, read by its id."""
    own = {"number_of_shards": 1, "number_of_replicas": replicas, "refresh_interval": "-1"}
    return {"settings": own, "mappings": {"enabled": False}}
