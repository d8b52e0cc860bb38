"""Matching, counting and ranking by the engine, with the results of `sqlite_finding`."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from fanshu.library.opensearch.engine import Engine
from fanshu.library.opensearch.moment import Moment
from fanshu.library.opensearch.queries import (
    OPEN_BYTES,
    Condition,
    Expression,
    Leaf,
    Within,
    condition,
    expression_of,
    leaves,
    narrower,
)
from fanshu.library.opensearch.scoring import engine_idf, idf, score
from fanshu.library.opensearch.sources import bucket_of, columns_in
from fanshu.library.store import Candidate, DocIds, Query
from fanshu.library.terms import Phrase

ALIASES = 100  # of all names in one query; a name that has more is no name
MARGIN = 60  # candidates more than wanted: the engine's lengths are coarse
MANY = 440  # … of many that differ in little but their lengths
ALIKE = 1  # phrases of such a query

Sources = dict[int, Mapping[str, Any]]  # by row


class Finding:
    """Searches of one moment, until `ends` (see `Engine.search`). Found chunks go to `sources`."""

    def __init__(
        self, engine: Engine, index: str, moment: Moment, ends: float | None, sources: Sources
    ) -> None:
        self._engine, self._index, self._moment = engine, index, moment
        self._ends, self._sources = ends, sources

    # ---------------------------------------------------------------- counting

    def count(self, query: Query, docs: DocIds, cap: int) -> int:
        """How many chunks match, counted up to `cap`."""
        return self.counts_of([query], docs, cap)[0]

    def counts_of(self, queries: Sequence[Query], docs: DocIds, cap: int) -> list[int]:
        """How many chunks match each, counted up to `cap`."""
        return self.counts(list(map(expression_of, queries)), self._moment.within(docs), cap)

    def counts(
        self, expressions: Sequence[Expression], within: Within, cap: int | None
    ) -> list[int]:
        """How many chunks match each, up to `cap` (None: all of them), on one journey."""
        moment = self._moment
        unknown = [
            one
            for one in dict.fromkeys(expressions)
            if moment.count_known(one, within, cap) is None
        ]
        bodies = [
            {
                "size": 0,
                "track_total_hits": True if cap is None else cap,
                "query": moment.chunks_where(condition(one), within),
            }
            for one in unknown
        ]
        found = self._engine.searches(self._index, bodies, self._ends) if bodies else []
        counted: dict[Expression, int] = {}
        for one, answer in zip(unknown, found, strict=True):
            count = int(answer["hits"]["total"]["value"])
            moment.keep_count(one, within, count, whole=cap is None or count < cap)
            counted[one] = count if cap is None else min(count, cap)
        return [self._known(one, within, cap, counted) for one in expressions]

    def _known(
        self, one: Expression, within: Within, cap: int | None, counted: Mapping[Expression, int]
    ) -> int:
        if one in counted:
            return counted[one]
        return self._moment.count_known(one, within, cap) or 0

    def files(self, query: Query, docs: DocIds, cap: int) -> Mapping[str, int]:
        """How many chunks of each document match, over the first `cap` matches."""
        moment, within = self._moment, self._moment.within(docs)
        expression = expression_of(query)
        asked = moment.chunks_where(condition(expression), within)
        if self.counts([expression], within, cap + 1)[0] > cap:
            asked = _before(asked, self._row_at(expression, within, cap))
        by_unit = {"terms": {"field": "unit", "size": cap}}
        body = {"size": 0, "track_total_hits": False, "query": asked, "aggs": {"units": by_unit}}
        answer = self._engine.search(self._index, body, self._ends)
        buckets = answer["aggregations"]["units"]["buckets"]
        counted = ((moment.by_unit.get(one["key"]), one["doc_count"]) for one in buckets)
        return {record.path: count for record, count in counted if record}

    # ---------------------------------------------------------------- words

    def vocabulary(self, prefix: str, limit: int) -> Sequence[tuple[str, int]]:
        """Terms that begin so, with their number of chunks, most frequent first."""
        if limit < 1 or len(prefix.encode("utf-8", "replace")) > OPEN_BYTES:
            return []
        terms = {
            "field": f"v.{bucket_of(prefix)}",
            "size": limit,
            "shard_size": 3 * limit + 1_000,
            "include": "".join(map(_escaped, prefix)) + ".*",
            "order": [{"_count": "desc"}, {"_key": "asc"}],
        }
        asked = {"prefix": {"all": prefix}}
        found = self._gathered(asked, None, {"terms": terms})
        return [(one["key"], one["doc_count"]) for one in found]

    def aliases(self, names: Collection[str], docs: DocIds) -> Sequence[tuple[str, str]]:
        """(a name, another for the same) as some documents define them, for these names."""
        fields = [{one: {"terms": {"field": one}}} for one in ("alias", "other")]
        asked = {"terms": {"alias": list(names)}}
        found = self._gathered(asked, docs, {"composite": {"size": ALIASES, "sources": fields}})
        return [(one["key"]["alias"], one["key"]["other"]) for one in found]

    def _gathered(self, asked: Condition, docs: DocIds, by: Condition) -> list[Mapping[str, Any]]:
        """What matches, gathered by something."""
        query = self._moment.chunks_where(asked, self._moment.within(docs))
        body = {"size": 0, "track_total_hits": False, "query": query, "aggs": {"by": by}}
        answer = self._engine.search(self._index, body, self._ends)
        found: list[Mapping[str, Any]] = answer["aggregations"]["by"]["buckets"]
        return found

    # ---------------------------------------------------------------- ranking

    def candidates(
        self, query: Query, docs: DocIds, limit: int, scored: int, matches: int | None
    ) -> Sequence[Candidate]:
        """The chunks that match, best first by BM25; see `sqlite_finding.candidates`."""
        within = self._moment.within(docs)
        whole = expression_of(query)
        few = matches is not None and matches <= scored
        steps = [(whole, few or (matches is None and self._few(whole, within, scored)))]
        if not steps[0][1]:
            for one in narrower(query):
                if not steps[-1][1]:
                    steps.append((one, self._few(one, within, scored)))
        found: dict[int, Candidate] = {}
        for expression, affordable in reversed(steps):
            if len(found) < limit:
                beyond = None if affordable else self._row_at(expression, within, scored)
                for best in self._best(expression, within, limit, beyond):
                    found.setdefault(best.row, best)
        return list(found.values())[:limit]

    def _few(self, expression: Expression, within: Within, scored: int) -> bool:
        return self.counts([expression], within, scored + 1)[0] <= scored

    def _row_at(self, expression: Expression, within: Within, place: int) -> int | None:
        """The row of the match at a place, counted from 0, None when there are not so many."""
        body = {
            "size": 1,
            "from": place,
            "sort": [{"row": "asc"}],
            "track_total_hits": False,
            "_source": False,
            "query": self._moment.chunks_where(condition(expression), within),
        }
        hits = self._engine.search(self._index, body, self._ends)["hits"]["hits"]
        return int(hits[0]["sort"][0]) if hits else None

    def _best(
        self, expression: Expression, within: Within, limit: int, beyond: int | None
    ) -> list[Candidate]:
        """The best matches by BM25 among the rows before `beyond`.

        The engine names more than are wanted, in about the right order.
        """
        moment = self._moment
        phrases = list(dict.fromkeys(leaves(expression)))
        singles = {leaf: _singly(leaf) for leaf in phrases}
        margin = MANY if beyond is not None or len(phrases) <= ALIKE else MARGIN
        size = limit + margin
        count = moment.count_known(expression, within, None)
        every = count is not None and count <= size
        needed = (
            phrases if every else [*phrases, *(one for some in singles.values() for one in some)]
        )
        counts = dict(zip(needed, self.counts(needed, moment.within(None), None), strict=True))
        chunks = moment.totals.chunks
        idfs = {leaf: idf(chunks, counts[leaf]) for leaf in phrases}

        def boost(leaf: Leaf) -> float:
            # The engine takes the sum over the terms of a phrase.
            own = sum(engine_idf(chunks, counts[one]) for one in singles[leaf])
            return idfs[leaf] / own if own > 0 else idfs[leaf]

        asked = moment.chunks_where(condition(expression, None if every else boost), within)
        # The engine's lengths are coarse: among equals by its measure, the shortest come first.
        order = [] if every else [{"_score": "desc"}, {"size": "asc"}]
        body = {
            "size": size,
            "track_total_hits": False,
            "query": _before(asked, beyond),
            "sort": [*order, {"row": "asc"}],
        }
        found = []
        answer = self._engine.search(self._index, body, self._ends, ranked=not every)
        for hit in answer["hits"]["hits"]:
            source = hit["_source"]
            self._sources[source["row"]] = source
            value = score(expression, columns_in(source), idfs, moment.totals)
            found.append(Candidate(source["row"], value))
        return sorted(found, key=lambda one: (-one.score, one.row))[:limit]


def _singly(leaf: Leaf) -> list[Leaf]:
    """The terms of a phrase, each for itself; none for one whose end is open."""
    if leaf.phrase.prefix:
        return []
    return [Leaf(Phrase((term,)), leaf.place) for term in leaf.phrase.terms]


def _before(asked: Condition, beyond: int | None) -> Condition:
    if beyond is None:
        return asked
    earlier = {"range": {"row": {"lt": beyond}}}
    return {"bool": {"must": [asked], "filter": [earlier]}}


def entries_where(conditions: Iterable[Condition]) -> Condition:
    """A condition that holds where one of several does."""
    return {"bool": {"should": list(conditions), "minimum_should_match": 1}}


def _escaped(char: str) -> str:
    """A character as itself in the engine's patterns."""
    return char if char.isalnum() else f"\\{char}"
