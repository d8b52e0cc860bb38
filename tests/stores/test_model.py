"""Whatever is written in whatever order, a store holds what a dictionary would hold."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from fanshu.library.aliases import Alias
from fanshu.library.store import Store, Writer
from tests.stores.conftest import MakePlace
from tests.stores.places import Place, check_whole, counted, of_chunks, whole_text

PATHS = ["a.md", "b.md", "甲/a.md", "甲/丙.md"]
WORDS = ["超时", "retry", "v5", "缓存"]
PATH = st.sampled_from(PATHS)
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join), max_size=4)
ALIASES = st.booleans()
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("put"), PATH, TEXTS, ALIASES),
        st.tuples(st.just("touch"), PATH, st.integers(1, 2**40)),
        st.tuples(st.just("rename"), PATH, PATH),
        st.tuples(st.just("remove"), PATH),
    ),
    min_size=1,
    max_size=4,
)

Document = tuple[tuple[str, ...], int, str]  # texts of the chunks, time of change, an alias
Model = dict[str, Document]


class _Undone(Exception):
    """What ends a transaction that is to leave nothing."""


class Machine(RuleBasedStateMachine):
    """Transactions through two openings of one store, beside a dictionary."""

    place: Place

    @initialize()
    def open(self) -> None:
        self.stores = [self.place.store(), self.place.store()]
        self.model: Model = {}
        with self.stores[0].write() as writer:
            for path in self.stores[0].documents():
                writer.remove(path)

    @rule(by=st.integers(0, 1), changes=CHANGES)
    def written(self, by: int, changes: list[tuple[object, ...]]) -> None:
        before = self.stores[by].generation()
        with self.stores[by].write() as writer:
            self.model = changed(self.stores[by], writer, self.model, changes)
        assert self.stores[by].generation() >= before

    @rule(by=st.integers(0, 1), changes=CHANGES)
    def undone(self, by: int, changes: list[tuple[object, ...]]) -> None:
        with pytest.raises(_Undone), self.stores[by].write() as writer:
            changed(self.stores[by], writer, self.model, changes)
            raise _Undone

    @precondition(lambda self: self.model)
    @rule(by=st.integers(0, 1), changes=CHANGES)
    def written_while_another_looks(self, by: int, changes: list[tuple[object, ...]]) -> None:
        before = dict(self.model)
        with self.stores[1 - by].snapshot():
            same(self.stores[1 - by], before)
            self.written(by, changes)
            same(self.stores[1 - by], before)

    @rule(by=st.integers(0, 1))
    def opened_again(self, by: int) -> None:
        self.stores[by].close()
        self.stores[by] = self.place.store()

    @invariant()
    def both_hold_what_the_dictionary_holds(self) -> None:
        for store in getattr(self, "stores", ()):
            same(store, self.model)

    def teardown(self) -> None:
        for store in getattr(self, "stores", ()):
            store.close()


def changed(store: Store, writer: Writer, model: Model, changes: list[tuple[object, ...]]) -> Model:
    """Make changes in a transaction; what a dictionary holds after them."""
    new = dict(model)
    for kind, path, *more in changes:
        assert isinstance(path, str)
        if kind == "put":
            texts, alias = more
            assert isinstance(texts, list)
            record, pieces = of_chunks(path, *texts)
            long = f"long of {path}" if alias else ""
            writer.put(record, pieces, [Alias(long, "sn")] if long else [])
            new[path] = tuple(texts), record.mtime_ns, long
        elif path not in new:
            continue
        elif kind == "touch":
            (when,) = more
            assert isinstance(when, int)
            writer.touch(of_chunks(path, *new[path][0])[0]._replace(mtime_ns=when))
            new[path] = new[path][0], when, new[path][2]
        elif kind == "rename":
            (target,) = more
            assert isinstance(target, str)
            if target != path:
                record = of_chunks(target, *new[path][0])[0]
                writer.rename(path, record._replace(mtime_ns=new[path][1]))
                new[target] = new.pop(path)
        else:
            writer.remove(path)
            del new[path]
    return new


def same(store: Store, model: Mapping[str, Document]) -> None:
    """A store holds what a dictionary holds, and finds it."""
    documents = store.documents()
    assert {path: record.mtime_ns for path, record in documents.items()} == {
        path: when for path, (_, when, _) in model.items()
    }
    check_whole(store)
    for path, (texts, _, _) in model.items():
        assert documents[path].chunks == len(texts)
        assert whole_text(store, documents[path]) == "".join(texts)
    for word in WORDS:
        holding = sum(word in text.split() for texts, _, _ in model.values() for text in texts)
        assert counted(store, word) == holding
    below = sum(len(texts) for path, (texts, _, _) in model.items() if path.startswith("甲/"))
    assert counted(store, "甲") == below  # the folder is part of the name
    defined = {("sn", alias) for _, _, alias in model.values() if alias}
    assert set(store.aliases(["sn"], None)) == defined


def test_a_store_holds_what_a_dictionary_would(new_place: MakePlace, tmp_path: Path) -> None:
    made = new_place(tmp_path)

    class Here(Machine):
        place = made

    few = made.address.startswith("opensearch")
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Here,
        settings=settings(
            max_examples=12 if few else 25,
            stateful_step_count=8 if few else 15,
            suppress_health_check=list(HealthCheck),
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
        ),
    )
