"""The contract of a store: each adapter is held to all of it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.todo_context.backlog.kit import (
    DAY,
    EVERYWHERE,
    LEASE,
    PERSON,
    S1,
    S2,
    S3,
    Kit,
    add,
    an_item,
    codes,
    ids_in,
    the,
)
from todo_context.backlog.changes import FORGOTTEN
from todo_context.backlog.item import Box, Priority, Status
from todo_context.backlog.moment import stamp
from todo_context.backlog.moves import Who
from todo_context.backlog.opening import open_store
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.shapes import Draft, Edit, Outcome, Prune, Query
from todo_context.backlog.store import Store

Verb = Callable[[], Outcome]


def test_reading_where_no_store_is_leaves_no_trace(kit: Kit, store: Store) -> None:
    assert store.list(Query()).items == ()
    assert store.seq() == 0
    assert store.counts(frozenset(Box)) == {}
    assert store.changes(0).changes == ()
    assert store.renew(S1, LEASE) == 0
    assert store.expire(S1).batch == 0
    assert not kit.folder.exists()


def test_what_one_adds_another_reads(kit: Kit, store: Store) -> None:
    draft = Draft(
        text=" Port\nlogger ",
        notes="to structlog\r\n",
        project="core",
        tags=("#infra",),
        priority=Priority.HIGH,
        source="s-12",
        extra={"mood": "good"},
    )

    made = store.add([draft], S1)

    (item,) = kit.open().list(Query()).items
    assert item == made.items[0]
    assert (item.text, item.notes, item.project, item.tags, item.source) == (
        "Port logger",
        "to structlog",
        "core",
        ("infra",),
        "s-12",
    )
    assert item.extra == {"mood": "good"}
    assert len(item.id) == len("td-4k2m")


def test_each_draft_is_added_or_refused_for_itself(store: Store) -> None:
    (old,) = add(store, "Port logger", project="core")

    made = store.add(
        [
            Draft(text="port  LOGGER", project="core"),
            Draft(text="Port logger", project="web"),
            Draft(text=" \x1b[2J "),
            Draft(text="waits", blocked_by=("td-zzzz",)),
        ],
        S1,
    )

    assert [(no.code, no.index, no.others) for no in made.refusals] == [
        ("exists", 0, (old,)),
        ("blank", 2, ()),
        ("unknown", 3, ()),
    ]
    assert len(made.changes) == 1
    assert store.count(EVERYWHERE) == 2


def test_the_same_text_is_added_by_force_or_once_the_first_is_closed(store: Store) -> None:
    (old,) = add(store, "Port logger")
    assert store.add([Draft(text="Port logger")], S1, force=True).changes

    for id_ in ids_in(store, Box.ACTIVE):
        store.complete([id_], S1)

    assert store.add([Draft(text="Port logger")], S1).changes
    assert the(store, old).status is Status.DONE


def test_the_same_origin_adds_nothing_a_second_time(store: Store) -> None:
    once = store.add([Draft(text="a", origin="plan:s-1:7")], S1)
    again = store.add([Draft(text="a, said otherwise", origin="plan:s-1:7")], S1)

    assert again.same == once.items
    assert not again.changes
    assert store.count(EVERYWHERE) == 1


@pytest.mark.parametrize("cut", [slice(None), slice(3, None), slice(3, 6), slice(0, 6)])
def test_an_item_is_named_by_its_id_or_a_beginning_that_only_it_has(store: Store, cut: slice) -> None:
    (id_,) = add(store, "a")

    found = store.resolve(id_[cut].upper())

    assert not isinstance(found, Refusal)
    assert found.id == id_


@pytest.mark.parametrize("named", ["td-AbC-123", "AbC-123", "AbC", "td-AbC"])
def test_an_id_of_another_program_is_named_without_its_prefix_in_its_own_case(store: Store, named: str) -> None:
    store.take_in([an_item("td-AbC-123", origin="armory:td-AbC-123")], S1)

    found = store.resolve(named)

    assert not isinstance(found, Refusal)
    assert found.id == "td-AbC-123"


def test_a_beginning_that_several_have_names_them(store: Store) -> None:
    ids = add(store, *(f"n{number}" for number in range(400)))
    beginnings = [id_[:6] for id_ in ids]
    shared = next((begins for begins in beginnings if beginnings.count(begins) > 1), None)
    if shared is not None:
        found = store.resolve(shared)
        assert isinstance(found, Refusal)
        assert found.code == "ambiguous"
        assert set(found.others) == {id_ for id_ in ids if id_.startswith(shared)}
    for odd in ("zz", "td-", "", "td-0000", "%", "td-%", "*"):
        found = store.resolve(odd)
        assert isinstance(found, Refusal)
        assert found.code in {"unknown", "blank"}


def test_an_edit_changes_what_it_names_and_says_no_change_else(store: Store) -> None:
    (id_,) = add(store, "a", notes="n", tags=("x",))

    made = store.update(id_, Edit(text=" b ", priority=Priority.LOW, tags=()), S2)
    again = store.update(id_, Edit(text="b"), S2)

    assert made.changes[0].fields == ("text", "tags", "priority")
    assert (made.items[0].notes, made.changes[0].by) == ("n", "S2")
    assert not again.changes
    assert again.same[0].text == "b"
    assert codes(store.update(id_, Edit(text=" "), S1)) == ["blank"]


def test_a_list_filters_orders_and_pages(store: Store) -> None:
    low, high, web, critical = (
        add(store, text, project=project, priority=priority, tags=tags, notes=notes)[0]
        for text, project, priority, tags, notes in [
            ("Low one", "core", Priority.LOW, ("a",), ""),
            ("High one", "core", Priority.HIGH, (), "Straße"),
            ("Web", "web", Priority.MED, ("a", "b"), ""),
            ("Burns", "ops", Priority.CRITICAL, (), ""),
        ]
    )
    store.claim(low, S1, lease=LEASE)

    def ids(**wanted: Any) -> list[str]:
        return [item.id for item in store.list(Query(**wanted)).items]

    assert ids() == [low, critical, high, web]
    assert ids(project="core") == [low, high]
    assert ids(elsewhere="core", at_least=Priority.CRITICAL) == [critical]
    assert ids(at_least=Priority.HIGH) == [critical, high]
    assert ids(tag="a") == [low, web]
    assert ids(text="ONE") == [low, high]
    assert ids(text="STRASSE") == [high]
    assert ids(text="%") == []
    assert ids(owner="S1") == [low]
    assert ids(statuses=(Status.OPEN,)) == [critical, high, web]
    assert ids(ready=True) == [critical, high, web]
    assert ids(newest_first=True) == [low, critical, web, high]
    assert ids(limit=2, offset=1) == [critical, high]
    assert ids(since=the(store, critical).updated_at) == [low, critical]
    assert ids(before=the(store, critical).updated_at) == [high, web]
    assert ids(boxes=frozenset()) == []
    assert store.list(Query(limit=4)).has_more is False
    assert store.list(Query(limit=3)).has_more is True
    assert store.count(Query(project="core", limit=1)) == 2
    assert store.counts(frozenset({Box.ACTIVE, Box.CLOSED})) == {
        "core": {Box.ACTIVE: 2},
        "web": {Box.ACTIVE: 1},
        "ops": {Box.ACTIVE: 1},
    }


def test_an_item_goes_through_its_life(store: Store) -> None:
    (id_,) = add(store, "a")

    life: list[tuple[Verb, Box]] = [
        (lambda: store.park([id_], S1), Box.PARKED),
        (lambda: store.unpark([id_], S1), Box.ACTIVE),
        (lambda: store.park([id_], S1, until="2026-12-24"), Box.PARKED),
        (lambda: store.unpark([id_], S1), Box.ACTIVE),
        (lambda: store.claim(id_, S1, lease=LEASE), Box.ACTIVE),
        (lambda: store.release([id_], S1), Box.ACTIVE),
        (lambda: store.complete([id_], S1), Box.CLOSED),
        (lambda: store.prune(Prune(older_than=None), S1), Box.ARCHIVE),
        (lambda: store.restore([id_], S1), Box.CLOSED),
        (lambda: store.reopen([id_], S1), Box.ACTIVE),
        (lambda: store.cancel([id_], S1), Box.CLOSED),
        (lambda: store.prune(Prune(older_than=None), S1), Box.ARCHIVE),
        (lambda: store.restore([id_], S1, reopen=True), Box.ACTIVE),
    ]
    for verb, box in life:
        made = verb()
        assert len(made.changes) == 1
        assert not made.refusals
        assert ids_in(store, box) == [id_]

    verbs = [change.verb for change in store.log(reference=id_, limit=50)]
    assert verbs[::-1] == [
        *("add", "park", "unpark", "park", "unpark", "claim", "release", "complete", "prune", "restore", "reopen"),
        *("cancel", "prune", "reopen"),
    ]


def test_of_several_items_each_is_changed_refused_or_as_it_was(store: Store) -> None:
    one, two = add(store, "one", "two")
    store.complete([two], S1)

    made = store.complete([one, two, "td-zzzz", one], S2)

    assert [change.item for change in made.changes] == [one]
    assert [item.id for item in made.same] == [two]
    assert [(no.code, no.index) for no in made.refusals] == [("unknown", 2)]


def test_d05_what_is_completed_stays_until_somebody_deletes_it(kit: Kit, store: Store) -> None:
    ids = add(store, "a", "b", "c", "d")
    store.complete(ids, S1)
    assert store.list(Query()).items == ()

    kit.clock.pass_by(30 * DAY)
    later = kit.open()
    later.expire(S2)

    assert ids_in(later, Box.CLOSED) == ids
    assert len(later.prune(Prune(older_than=timedelta(days=7)), S2).changes) == 4
    kit.clock.pass_by(400 * DAY)
    add(later, "another")
    assert ids_in(later, Box.ARCHIVE) == ids


def test_d08_edges_are_judged_one_by_one_in_the_order_of_the_batch(store: Store) -> None:
    a, b, c, done = add(store, "a", "b", "c", "done")
    store.complete([done], S1)

    made = store.block([(a, a), (a, b), (b, c), (c, a), (b, done), (b, "td-zzzz"), (a, b)], S1)

    assert [(no.code, no.index) for no in made.refusals] == [("self", 0), ("cycle", 3), ("closed", 4), ("unknown", 5)]
    assert [change.item for change in made.changes] == [a, b]
    assert the(store, a).blocked_by == (b,)
    assert [item.id for item in store.list(Query(ready=True)).items] == [c]
    assert {item.id for item in store.waiting_for([c, b])} == {a, b}
    store.complete([c], S1)
    assert [item.id for item in store.list(Query(ready=True)).items] == [b]
    assert store.unblock([(a, "")], S1).items[0].blocked_by == ()
    assert {item.id for item in store.list(Query(ready=True)).items} == {a, b}


def test_an_edge_can_be_taken_away_whose_blocker_is_gone(store: Store) -> None:
    a, b = add(store, "a", "b")
    store.block([(a, b)], S1)
    store.undo(S1)
    store.block([(a, b)], S1)
    assert store.unblock([(a, b[3:])], S1).items[0].blocked_by == ()


def test_the_next_one_is_the_first_that_is_ready(store: Store) -> None:
    low, waits, high = add(store, "low", "waits", "high")
    store.update(high, Edit(priority=Priority.HIGH), S1)
    store.update(waits, Edit(priority=Priority.CRITICAL), S1)
    store.block([(waits, low)], S1)

    assert [store.claim(None, S1, lease=LEASE).items[0].id for _ in range(2)] == [high, low]
    nothing = store.claim(None, S2, lease=LEASE)

    assert codes(nothing) == ["nothing"]
    assert "S1 works on" in nothing.refusals[0].fact
    assert "1 waits for others" in nothing.refusals[0].fact
    store.complete([low], S1)
    assert store.claim(None, S2, lease=LEASE).items[0].id == waits


def test_a_claim_can_be_about_a_project(store: Store) -> None:
    add(store, "a", project="core")
    (web,) = add(store, "b", project="web")

    assert store.claim(None, S1, lease=LEASE, query=Query(project="web")).items[0].id == web
    assert codes(store.claim(None, S1, lease=LEASE, query=Query(project="web"))) == ["nothing"]


def test_a_lease_is_renewed_and_over_and_taken_over(kit: Kit, store: Store) -> None:
    (id_,) = add(store, "a")
    store.claim(id_, S1, lease=LEASE)
    before = store.seq()

    kit.clock.pass_by(LEASE - timedelta(minutes=1))
    assert store.renew(S1, LEASE) == 1
    assert store.claim(id_, S1, lease=LEASE).same[0].id == id_
    assert store.seq() == before
    kit.clock.pass_by(LEASE - timedelta(minutes=1))
    assert codes(store.claim(id_, S2, lease=LEASE)) == ["held"]
    assert store.expire(S2).changes == ()
    assert codes(store.release([id_], S2)) == ["held"]

    kit.clock.pass_by(timedelta(minutes=2))
    taken = store.claim(None, S2, lease=LEASE)

    assert taken.changes[0].before is not None
    assert taken.changes[0].before.owner == "S1"
    assert taken.items[0].owner == "S2"
    assert store.renew(S1, LEASE) == 0


def test_leases_that_are_over_are_released_and_the_history_says_by_whom(kit: Kit, store: Store) -> None:
    ids = add(store, "a", "b", "c")
    store.claim(ids[0], S1, lease=LEASE)
    store.claim(ids[1], S1, lease=None)
    kit.clock.pass_by(LEASE)

    made = store.expire(S3)

    assert [(change.item, change.verb, change.by) for change in made.changes] == [(ids[0], "expire", "S3")]
    assert the(store, ids[0]).status is Status.OPEN
    assert the(store, ids[1]).owner == "S1"


def test_a_person_releases_what_another_holds(store: Store) -> None:
    (id_,) = add(store, "a")
    store.claim(id_, S1, lease=LEASE)

    assert store.release([id_], PERSON).changes


def test_what_was_deleted_by_two_steps_comes_back(kit: Kit, store: Store) -> None:
    old, young, waits, active = add(store, "old", "young", "waits", "active")
    store.block([(waits, old)], S1)
    store.complete([old], S1)
    kit.clock.pass_by(200 * DAY)
    store.complete([young], S1)
    store.prune(Prune(older_than=None), S1)
    prune = Prune(older_than=180 * DAY)

    shown = store.hard_prune(prune, PERSON)

    assert (shown.ids, shown.titles, shown.waiting) == ((old,), ("old",), (waits,))
    assert len(shown.token) == 8
    assert store.seq() == store.log(1)[0].seq
    assert the(store, old).archived_at
    done = store.hard_prune(prune, PERSON, token=shown.token, reason="too old")
    assert [change.item for change in done.outcome.changes] == [old]
    assert ids_in(store, Box.TRASH) == [old]
    assert the(store, old).trashed_reason == "too old"
    assert codes(store.complete([old], S1)) == ["deleted"]
    back = store.untrash(done.outcome.batch, S2)
    assert [item.id for item in back.items] == [old]
    assert set(ids_in(store, Box.ARCHIVE)) == {old, young}
    assert codes(store.untrash(done.outcome.batch, S2)) == ["nothing"]
    assert set(ids_in(store, Box.ACTIVE)) == {waits, active}


def test_a_token_is_for_the_set_that_was_shown(store: Store) -> None:
    one, two, three = add(store, "one", "two", "three")
    store.complete([one, two], S1)
    store.prune(Prune(older_than=None), S1)
    prune = Prune(older_than=None)
    shown = store.hard_prune(prune, S1)
    store.complete([three], S2)
    store.prune(prune, S2)
    store.reopen([one], S2)

    refused = store.hard_prune(prune, S1, token=shown.token)

    assert codes(refused.outcome) == ["token"]
    assert "1 more, 1 fewer" in refused.outcome.refusals[0].fact
    assert ids_in(store, Box.TRASH) == []
    assert store.hard_prune(prune, S1, token=refused.token).outcome.changes
    assert codes(store.hard_prune(prune, S1, token="00000000").outcome) == ["token"]


def test_a_hard_prune_never_takes_what_is_open_and_closed_ones_only_when_told(store: Store) -> None:
    active, parked, closed = add(store, "active", "parked", "closed")
    store.park([parked], S1)
    store.complete([closed], S1)
    everything = Prune(older_than=None)

    assert store.hard_prune(everything, PERSON).ids == ()
    shown = store.hard_prune(everything, PERSON, from_closed=True)

    assert shown.ids == (closed,)
    assert store.hard_prune(everything, PERSON, token=shown.token, from_closed=True).outcome.changes
    assert set(ids_in(store, Box.ACTIVE, Box.PARKED)) == {active, parked}


def test_the_trash_is_emptied_after_30_days_at_the_next_hard_prune_and_its_ids_are_not_used_again(
    kit: Kit, store: Store
) -> None:
    (old,) = add(store, "old")
    store.complete([old], S1)
    prune = Prune(older_than=None)
    store.prune(prune, S1)
    store.hard_prune(prune, S1, token=store.hard_prune(prune, S1).token)
    kit.clock.pass_by(31 * DAY)
    add(store, "another")
    assert ids_in(store, Box.TRASH) == [old]

    store.hard_prune(prune, S1, token=store.hard_prune(prune, S1).token)

    assert ids_in(store, Box.TRASH) == []
    gone = store.resolve(old)
    assert isinstance(gone, Refusal)
    assert gone.code == "deleted"
    assert [change.verb for change in store.log(reference=old)][:2] == ["purge", "delete"]
    assert store.log(reference=old)[0].before is not None


def test_undo_goes_back_over_whatever_was_done_last_by_anyone(store: Store) -> None:
    (a, b) = add(store, "a", "b")
    before = store.list(EVERYWHERE).items
    store.complete([a, b], S1)
    store.park([a], S1)

    made = store.undo(S2)

    assert {change.item for change in made.changes} == {a, b}
    assert {(change.verb, change.by) for change in made.changes} == {("undo", "S2")}
    assert store.list(EVERYWHERE).items == before
    assert {change.item for change in store.redo(S3).changes} == {a, b}
    assert {item.status for item in store.list(EVERYWHERE).items} == {Status.DONE}
    store.undo(S1)
    store.undo(S1)
    assert store.list(EVERYWHERE).items == ()
    assert codes(store.undo(S1)) == ["nothing"]
    assert {item.id for item in store.redo(S1).items} == {a, b}
    assert store.list(EVERYWHERE).items == before


def test_every_verb_is_undone_and_done_again(store: Store) -> None:
    a, b, c = add(store, "a", "b", "c", project="core")
    store.cancel([c], S1)

    verbs: list[Verb] = [
        lambda: store.add([Draft(text="new", blocked_by=(a,))], S1),
        lambda: store.update(a, Edit(text="z", notes="n"), S1),
        lambda: store.block([(a, b)], S1),
        lambda: store.unblock([(a, b)], S1),
        lambda: store.rename_project("core", "web", S1),
        lambda: store.claim(b, S1, lease=LEASE),
        lambda: store.release([b], S1),
        lambda: store.park([a], S1, until="2027-01-01"),
        lambda: store.complete([b], S1),
        lambda: store.prune(Prune(older_than=None), S1),
        lambda: store.restore([c], S1),
        lambda: store.prune(Prune(older_than=None), S1),
        lambda: (
            store.hard_prune(
                Prune(older_than=None), S1, token=store.hard_prune(Prune(older_than=None), S1).token
            ).outcome
        ),
    ]
    for verb in verbs:
        before = sorted(store.list(EVERYWHERE).items, key=lambda item: item.id)
        assert verb().changes
        after = sorted(store.list(EVERYWHERE).items, key=lambda item: item.id)
        assert store.undo(S2).changes
        assert sorted(store.list(EVERYWHERE).items, key=lambda item: item.id) == before
        assert store.redo(S2).changes
        assert sorted(store.list(EVERYWHERE).items, key=lambda item: item.id) == after


def test_a_project_gets_another_name_in_every_box(store: Store) -> None:
    open_, done = add(store, "a", "b", project="cro")
    add(store, "c", project="core")
    store.complete([done], S1)
    store.prune(Prune(older_than=None), S1)

    made = store.rename_project("cro", "core", S1)

    assert {change.item for change in made.changes} == {open_, done}
    assert codes(store.rename_project("cro", "core", S1)) == ["nothing"]


def test_what_changed_since_is_told_once_and_in_order(store: Store) -> None:
    (a,) = add(store, "a")
    seen = store.seq()
    store.claim(a, S2, lease=LEASE)
    store.complete([a], S2)
    add(store, "b", "c")

    news = store.changes(seen)

    assert [change.verb for change in news.changes] == ["claim", "complete", "add", "add"]
    assert [change.seq for change in news.changes] == [seen + 1, seen + 2, seen + 3, seen + 4]
    assert not news.is_cut
    assert store.changes(news.seq).changes == ()
    first = store.changes(0, limit=2)
    assert (first.is_cut, [change.verb for change in first.changes], first.seq) == (True, ["add", "claim"], 2)
    assert store.changes(10**6).is_cut


def test_the_history_is_trimmed_after_90_days_but_not_the_last_of_it(kit: Kit, store: Store) -> None:
    (a,) = add(store, "a")
    for number in range(210):
        store.update(a, Edit(text=f"text {number}"), S1)
    kit.clock.pass_by(91 * DAY)

    store.update(a, Edit(text="now"), S1)

    news = store.changes(0, limit=1000)
    assert news.is_cut
    assert news.seq == 212
    assert len(news.changes) == 200
    assert store.undo(S1).items[0].text == "text 209"
    assert store.seq() == 213


def test_what_is_forgotten_is_nowhere_any_more(kit: Kit, store: Store) -> None:
    made = store.add([Draft(text="key hunter2hunter2", notes="more hunter2hunter2", project="core")], PERSON)
    id_ = made.items[0].id
    add(store, "other")
    store.update(id_, Edit(text="key again hunter2hunter2"), PERSON)
    kit.clock.pass_by(2 * DAY)
    store.complete([id_], PERSON)

    store.forget(id_, PERSON)

    assert the(store, id_).text == the(store, id_).notes == FORGOTTEN
    assert the(store, id_).status is Status.DONE
    for path in kit.folder.iterdir():
        assert b"hunter2" not in path.read_bytes()
    assert len(store.backups()) == 1
    assert store.log(1)[0].verb == "forget"
    store.undo(S1)
    assert the(store, id_).status is Status.OPEN
    assert codes(store.forget("td-zzzz", PERSON)) == ["unknown"]


def test_d08_a_batch_of_drafts_may_wait_for_what_is_there(store: Store) -> None:
    (a,) = add(store, "a")

    made = store.add([Draft(text="b", blocked_by=(a[3:], a))], S1)

    assert made.items[0].blocked_by == (a,)
    assert [item.id for item in store.waiting_for([a])] == [made.items[0].id]


def test_the_id_grows_where_short_ones_are_taken(kit: Kit) -> None:
    lengths: list[int] = []

    def make_id(length: int) -> str:
        lengths.append(length)
        return "a" * length

    store = open_store(kit.place, now=kit.clock, make_id=make_id)

    assert add(store, "one", "two") == ["td-aaaa", "td-aaaaa"]
    assert lengths == [4, 4, 4, 4, 5]


@pytest.mark.parametrize("verb", ["park", "complete", "cancel", "update", "release"])
def test_no_session_touches_what_another_one_works_on_and_a_person_may(verb: str, store: Store) -> None:
    (id_,) = add(store, "a")
    store.claim(id_, S1, lease=LEASE)

    def do(who: Who) -> Outcome:
        return store.update(id_, Edit(text="b"), who) if verb == "update" else getattr(store, verb)([id_], who)

    assert codes(do(S2)) == ["held"]
    assert the(store, id_).owner == "S1"
    assert codes(do(PERSON)) == []


def test_undo_goes_back_over_all_that_was_done_by_itself_since(kit: Kit) -> None:
    store = kit.open()
    (id_,) = add(store, "a")
    store.claim(id_, S1, lease=LEASE)
    assert [change.verb for change in store.succeed(S1.name, S2, LEASE).changes] == ["succeed"]
    kit.clock.pass_by(2 * LEASE)
    assert store.expire(S3).items == (the(store, id_),)

    undone = store.undo(PERSON)

    assert (undone.refusals, the(store, id_).status, the(store, id_).owner) == ((), Status.OPEN, "")
    assert [change.of for change in undone.changes] == [2]
    assert store.redo(PERSON).refusals == ()
    assert the(store, id_).owner == S1.name


def test_what_somebody_did_since_is_still_no_reason_to_go_over_it(kit: Kit) -> None:
    store = kit.open()
    (id_,) = add(store, "a")
    store.claim(id_, S1, lease=LEASE)
    kit.clock.pass_by(2 * LEASE)
    store.expire(S3)
    store.update(id_, Edit(text="b"), S2)
    store.undo(PERSON)
    store.forget(id_, PERSON)

    assert codes(store.undo(PERSON)) == ["moved"]


def test_what_woke_by_itself_is_open_after_its_parking_was_undone(kit: Kit) -> None:
    store = kit.open()
    (id_,) = add(store, "a")
    store.park([id_], S1, stamp(kit.clock.now + DAY))
    kit.clock.pass_by(2 * DAY)

    store.undo(S1)

    assert (the(kit.open(), id_).status, the(kit.open(), id_).parked_until) == (Status.OPEN, "")


def test_nobody_is_succeeded_who_holds_nothing(kit: Kit) -> None:
    store = kit.open()
    add(store, "a")
    before = store.seq()

    assert store.succeed("S7", S2, LEASE) == Outcome()
    assert store.seq() == before
