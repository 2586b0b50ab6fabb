"""Both adapters give the same answers, whatever is done to them."""

import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.todo_context.backlog.kit import DAY, EVERYWHERE, KINDS, LEASE, NOW, PERSON, Clock, Kit
from todo_context.backlog.item import Box, Priority, Status
from todo_context.backlog.moves import Who
from todo_context.backlog.opening import open_store
from todo_context.backlog.shapes import Draft, Edit, Outcome, Prune, Query
from todo_context.backlog.store import Store

Wish = Callable[[Store], Outcome]

whos = st.sampled_from([Who("S1"), Who("S2"), PERSON])
names = st.integers(0, 5).map(lambda number: f"td-{number:04d}")
lists = st.lists(names, min_size=1, max_size=3)
drafts = st.builds(
    Draft,
    text=st.sampled_from(["Port logger", "port LOGGER", "Straße", "100 %", "d"]),
    notes=st.sampled_from(["", "n\nN"]),
    project=st.sampled_from(["", "core", "web"]),
    tags=st.sampled_from([(), ("a",), ("a", 'q"')]),
    priority=st.sampled_from(Priority),
    origin=st.sampled_from(["", "", "plan:1"]),
    blocked_by=st.lists(names, max_size=2).map(tuple),
    parked_until=st.sampled_from(["", "", "2026-11-03", "soon"]),
)
prunes = st.builds(
    Prune,
    older_than=st.sampled_from([None, DAY, 10 * DAY]),
    statuses=st.sampled_from([(), (Status.DONE,)]),
    project=st.sampled_from([None, "core"]),
)


def _hard(prune: Prune, who: Who, closed: bool) -> Wish:
    def wish(store: Store) -> Outcome:
        token = store.hard_prune(prune, who, from_closed=closed).token
        return store.hard_prune(prune, who, token=token, from_closed=closed).outcome

    return wish


wishes: st.SearchStrategy[Wish] = st.one_of(
    st.builds(
        lambda d, who, force: lambda s: s.add(d, who, force=force),
        st.lists(drafts, min_size=1, max_size=3),
        whos,
        st.booleans(),
    ),
    st.builds(lambda n, who: lambda s: s.update(n, Edit(text="new", priority=Priority.HIGH), who), names, whos),
    st.builds(
        lambda e, who: lambda s: s.block(e, who), st.lists(st.tuples(names, names), min_size=1, max_size=3), whos
    ),
    st.builds(lambda n, who: lambda s: s.unblock([(n, "")], who), names, whos),
    st.builds(lambda n, who: lambda s: s.claim(n, who, lease=LEASE), names, whos),
    st.builds(lambda who: lambda s: s.claim(None, who, lease=LEASE), whos),
    st.builds(lambda who: lambda s: s.expire(who), whos),
    st.builds(lambda n, who: lambda s: s.release(n, who), lists, whos),
    st.builds(lambda n, who, until: lambda s: s.park(n, who, until), lists, whos, st.sampled_from(["", "2026-11-04"])),
    st.builds(lambda n, who: lambda s: s.unpark(n, who), lists, whos),
    st.builds(lambda n, who: lambda s: s.complete(n, who), lists, whos),
    st.builds(lambda n, who: lambda s: s.cancel(n, who), lists, whos),
    st.builds(lambda n, who: lambda s: s.reopen(n, who), lists, whos),
    st.builds(lambda p, who: lambda s: s.prune(p, who), prunes, whos),
    st.builds(lambda n, who: lambda s: s.restore(n, who), lists, whos),
    st.builds(_hard, prunes, whos, st.booleans()),
    st.builds(lambda n, who: lambda s: s.untrash(n, who), st.integers(1, 20), whos),
    st.builds(lambda who: lambda s: s.undo(who), whos),
    st.builds(lambda who: lambda s: s.undo(who), whos),
    st.builds(lambda who: lambda s: s.redo(who), whos),
    st.builds(lambda n, who: lambda s: s.forget(n, who), names, whos),
    st.builds(lambda who: lambda s: s.rename_project("core", "web", who), whos),
)

boxes = st.frozensets(st.sampled_from(Box), max_size=3)
queries = st.builds(
    Query,
    boxes=boxes,
    statuses=st.sampled_from([(), (Status.OPEN,), (Status.IN_PROGRESS,), (Status.DONE, Status.PARKED)]),
    project=st.sampled_from([None, "core", ""]),
    elsewhere=st.sampled_from([None, "core"]),
    tag=st.sampled_from(["", "a", 'q"']),
    text=st.sampled_from(["", "LOGGER", "strasse", "%", "n\nn"]),
    owner=st.sampled_from(["", "S1"]),
    at_least=st.sampled_from([None, Priority.LOW, Priority.HIGH, Priority.CRITICAL]),
    since=st.sampled_from(["", "2026-11-02"]),
    before=st.sampled_from(["", "2026-11-02"]),
    ready=st.booleans(),
    newest_first=st.booleans(),
    limit=st.sampled_from([None, 1, 5]),
    offset=st.integers(0, 2),
)


class Still(Clock):
    """A clock that moves only when it is told to: one store may look at it more often than the other."""

    def __call__(self) -> datetime:
        return self.now


def opened(kind: str, folder: Path) -> tuple[Store, Clock]:
    clock, made = Still(), iter(range(10_000))
    kit = Kit(kind, folder, clock)
    return open_store(kit.place, now=clock, make_id=lambda _: f"{next(made):04d}"), clock


@settings(max_examples=20)
@given(
    st.lists(st.tuples(wishes, st.sampled_from([0, 0, 1, 40])), min_size=6, max_size=16),
    st.lists(queries, min_size=2, max_size=8),
)
def test_what_is_done_to_both_is_the_same_in_both(story: list[tuple[Wish, int]], asked: list[Query]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        stores = [opened(kind, Path(folder, kind)) for kind in KINDS]
        for store, _ in stores:
            store.add([Draft(text=text, project="core") for text in "abcd"], PERSON)
        for wish, days in story:
            answers = []
            for store, clock in stores:
                clock.pass_by(days * DAY + timedelta(seconds=1))
                answers.append(wish(store))
            assert answers[0] == answers[1]

        told = [
            (
                [store.list(query) for query in (EVERYWHERE, *asked)],
                [store.count(query) for query in asked],
                store.counts(frozenset(Box)),
                store.log(1_000),
                store.changes(3, limit=5),
                store.waiting_for(["td-0000", "td-0001"]),
                store.health(lambda _: False),
            )
            for store, _ in stores
        ]
        assert told[0] == told[1]
        found = stores[0][0].list(EVERYWHERE).items
        assert len({item.id for item in found}) == len(found)
        assert all(item.created_at >= NOW.isoformat()[:10] for item in found)
        for store, _ in stores:
            store.close()
