"""armory's file, version 1, to the letter: what it says is read, what nobody changed stays as it stands."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.todo_context.backlog.kit import DAY, NOW, PERSON, S1, Kit, add, items, the
from todo_context.backlog import armory
from todo_context.backlog.item import Box, Item, Priority, Status
from todo_context.backlog.moment import stamp
from todo_context.backlog.opening import open_store
from todo_context.backlog.shapes import Edit, Prune, Query

TODO: dict[str, Any] = {
    "id": "td-mf2k9x1a7qkz0p",
    "text": "Port logger",
    "project": "core",
    "tags": ["infra"],
    "priority": "high",
    "status": "open",
    "source": "s-12",
    "createdAt": "2026-10-01T09:00:00.000Z",
    "updatedAt": "2026-10-01T09:00:00.000Z",
    "closedAt": None,
}
ODD: list[Any] = [
    {**TODO, "id": "td-odd1", "status": "waiting", "priority": "urgent", "createdAt": 1_790_000_000_000},
    {**TODO, "id": "td-odd2", "mood": {"good": [1, 2.5, None]}, "notes": "one\ntwo", "project": None},
    {**TODO, "id": "td-odd3", "text": "two\nlines", "tags": None, "notes": "", "blockedBy": []},
    {**TODO, "id": "td-odd4", "text": ""},
    {**TODO, "text": "the same id again"},
    "no object",
    {**TODO, "id": "td-odd5", "extra\ud800": "\ud800", "createdAt": "2026-10-01"},
]

ARMORY_STATUSES = {"open", "in_progress", "done", "cancelled", "parked"}


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit("json", tmp_path / "backlog")


def written(kit: Kit, *todos: object, **rest: object) -> dict[str, Any]:
    whole = {"version": 1, "updatedAt": "2026-10-01T09:00:00.000Z", **rest, "todos": [TODO, *todos]}
    kit.folder.mkdir(exist_ok=True)
    kit.path.write_text(json.dumps(whole, indent=2))
    return whole


def read(kit: Kit) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(kit.path.read_text())
    return found


def by_id(whole: dict[str, Any]) -> dict[str, Any]:
    return {todo["id"]: todo for todo in reversed(whole["todos"]) if isinstance(todo, dict)}


def test_an_armory_file_is_read(kit: Kit) -> None:
    written(kit)

    (item,) = kit.open().list(Query()).items

    assert item == Item(
        id="td-mf2k9x1a7qkz0p",
        text="Port logger",
        project="core",
        tags=("infra",),
        priority=Priority.HIGH,
        status=Status.OPEN,
        source="s-12",
        created_at="2026-10-01T09:00:00.000Z",
        updated_at="2026-10-01T09:00:00.000Z",
    )


def test_a_change_of_one_item_leaves_everything_else_as_it_was_written(kit: Kit) -> None:
    before = written(kit, *ODD, theme="dark", more={"a": [1]})

    kit.open().complete([TODO["id"]], S1)

    after = read(kit)
    assert [todo for todo in after["todos"] if todo not in before["todos"]] == [
        {**TODO, "status": "done", "closedAt": stamp(kit.clock.now), "updatedAt": stamp(kit.clock.now)}
        | {key: after["todos"][0][key] for key in ("closedAt", "updatedAt")}
    ]
    assert len(after["todos"]) == len(before["todos"])
    assert {key: after[key] for key in ("version", "theme", "more")} == {
        "version": 1,
        "theme": "dark",
        "more": {"a": [1]},
    }
    assert not [path for path in kit.folder.iterdir() if ".aside-" in path.name]


def test_of_a_changed_item_only_the_changed_keys_are_written(kit: Kit) -> None:
    before = by_id(written(kit, *ODD))

    for id_ in ("td-odd1", "td-odd2", "td-odd3", "td-odd5"):
        kit.open().update(id_, Edit(priority=Priority.LOW), S1)
        after = by_id(read(kit))[id_]

        assert {key for key in after if after[key] != before[id_].get(key)} == {"priority", "updatedAt"}
        assert list(after) == list(before[id_])


def test_what_is_written_keeps_armory_s_rules(kit: Kit) -> None:
    store = kit.open()
    a, b, c, d, e = add(store, "a", "b", "c", "d", "e", project="core")
    store.park([a], S1)
    store.park([b], S1, until="2027-01-01")
    store.complete([c, e], S1)
    store.claim(d, S1, lease=DAY)
    store.prune(Prune(older_than=None), S1)
    store.restore([e], S1)

    whole = read(kit)

    assert whole["version"] == 1
    assert all(list(todo)[:10] == list(TODO) for todo in whole["todos"])
    assert {todo["status"] for todo in whole["todos"]} <= ARMORY_STATUSES
    assert {todo["id"]: todo["status"] for todo in whole["todos"]} == {
        a: "parked",
        b: "parked",
        c: "done",
        d: "in_progress",
        e: "done",
    }
    assert the(kit.open(), b).status is Status.OPEN
    kit.clock.pass_by(100 * DAY)
    assert b in [item.id for item in kit.open().list(Query()).items]


def test_what_armory_writes_between_is_kept(kit: Kit) -> None:
    store = kit.open()
    (ours,) = add(store, "ours")
    # As armory does it: it reads all, passes on what it does not know, and replaces the file.
    whole = read(kit)
    whole["todos"] += [TODO]
    new = kit.folder / "todo.json.tmp"
    new.write_text(json.dumps(whole, indent=2))
    new.replace(kit.path)

    store.claim(ours, S1, lease=None)

    assert {item.id for item in kit.open().list(Query()).items} == {ours, TODO["id"]}
    assert [change.verb for change in store.log()] == ["claim", "add"]


def test_a_deleted_item_is_in_armory_s_list_no_more_and_comes_back_to_it(kit: Kit) -> None:
    store = kit.open()
    (a,) = add(store, "a")
    store.complete([a], S1)
    prune = Prune(older_than=None)
    store.prune(prune, S1)
    done = store.hard_prune(prune, PERSON, token=store.hard_prune(prune, PERSON).token)

    assert read(kit)["todos"] == []
    store.untrash(done.outcome.batch, PERSON)
    assert [todo["id"] for todo in read(kit)["todos"]] == [a]


def test_the_file_is_one_line_an_item_and_a_change_touches_few_of_them(kit: Kit) -> None:
    store = kit.open()
    a, *_ = add(store, *(f"n{number}" for number in range(20)))
    before = kit.path.read_text().split("\n")

    store.complete([a], S1)

    after = kit.path.read_text().split("\n")
    # The time, the item, the two counters, the comma of the change before, and the change.
    assert len([line for line in after if line not in before]) <= 6


def test_a_link_to_the_file_stays_one(kit: Kit, tmp_path: Path) -> None:
    written(kit)
    link = tmp_path / "link.json"
    link.symlink_to(kit.path)

    open_store(f"json:{link}", now=kit.clock).complete([TODO["id"]], S1)

    assert link.is_symlink()
    assert by_id(read(kit))[TODO["id"]]["status"] == "done"


def test_a_mark_at_the_beginning_of_the_file_is_no_break(kit: Kit) -> None:
    written(kit)
    kit.path.write_bytes(b"\xef\xbb\xbf" + kit.path.read_bytes())

    assert len(kit.open().list(Query()).items) == 1


def test_nothing_is_written_where_nothing_changes(kit: Kit) -> None:
    written(kit)
    before = kit.path.stat()

    kit.open().complete(["td-zzzz"], S1)

    assert os.path.samestat(kit.path.stat(), before)


@given(st.lists(items, unique_by=lambda item: item.id))
def test_a_document_is_the_same_after_it_was_written_and_read(found: list[Item]) -> None:
    document = armory.Document(items={item.id: item for item in found}, seq=7, batch=3, gone={"td-x"})

    again = armory.read(armory.write(document, NOW))

    assert (again.seq, again.batch, again.gone) == (7, 3, {"td-x"})
    assert again.items.keys() == document.items.keys()
    assert armory.read(armory.write(again, NOW)).items == again.items


@pytest.mark.parametrize("target", ["sqlite", "json"])
def test_an_armory_file_taken_in_twice_is_new_once(kit: Kit, target: str, tmp_path: Path) -> None:
    written(
        kit, {**TODO, "id": "td-2", "text": "b", "status": "done"}, {**TODO, "id": "td-3", "text": "c", "mood": "x"}
    )
    text = kit.path.read_text()
    store = Kit(target, tmp_path / "other", kit.clock).open()
    given_items, _ = armory.imported(text)

    dry = store.take_in(given_items, PERSON, dry_run=True)
    assert len(dry.changes) == 3
    assert store.list(Query(boxes=frozenset(Box))).items == ()
    first = store.take_in(given_items, PERSON)
    second = store.take_in(given_items, PERSON)

    assert len(first.changes) == 3
    assert {item.origin for item in first.items} == {f"armory:{id_}" for id_ in (TODO["id"], "td-2", "td-3")}
    assert (len(second.changes), len(second.same)) == (0, 3)
    assert the(store, "td-3").extra == {"mood": "x"}
    assert the(store, "td-2").closed_at
    # What was closed here is not opened by an older or a newer word from there.
    store.complete([TODO["id"]], S1)
    newer = text.replace('"updatedAt": "2026-10-01', '"updatedAt": "2027-10-01').replace("Port logger", "Port loggers")
    third = store.take_in(armory.imported(newer)[0], PERSON)
    assert the(store, TODO["id"]).status is Status.DONE
    assert the(store, TODO["id"]).text == "Port loggers"
    assert len(third.changes) == 3
    assert store.undo(S1).changes


def test_one_that_cannot_be_taken_in_keeps_all_out(kit: Kit) -> None:
    written(kit)
    store = Kit("sqlite", kit.folder / "other", kit.clock).open()
    found, _ = armory.imported(kit.path.read_text())

    made = store.take_in([*found, Item(id="td-9", text="key sk-" + "a1B2c3" * 5, origin="armory:9")], PERSON)

    assert [no.index for no in made.refusals] == [1]
    assert not made.changes
    assert store.list(Query()).items == ()


def test_what_is_exported_is_an_armory_file(kit: Kit) -> None:
    store = Kit("sqlite", kit.folder / "other", kit.clock).open()
    (a, b) = add(store, "a", "b")
    store.park([a], S1, until="2027-01-01")

    whole = json.loads(armory.exported(list(store.export()), NOW))

    assert (whole["version"], list(whole)) == (1, ["version", "updatedAt", "todos"])
    assert {todo["id"]: todo["status"] for todo in whole["todos"]} == {a: "parked", b: "open"}
