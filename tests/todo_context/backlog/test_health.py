from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.todo_context.backlog.kit import DAY, LEASE, NOW, PERSON, S1, Kit, add, an_item, days_ago, the
from todo_context.backlog.health import Sight, flags_of
from todo_context.backlog.item import Item, Priority, Status
from todo_context.backlog.shapes import Flag, Prune
from todo_context.backlog.store import Store

SECRET = "sk-" + "a1B2c3D4e5F6g7H8i9J0"


def flags(*items: Item, now: datetime = NOW, alive: str = "") -> list[Flag]:
    return flags_of(Sight({item.id: item for item in items}, now, lambda owner: owner == alive))


def many(number: int, **fields: Any) -> list[Item]:
    words = [
        "alpha",
        "bravo",
        "charlie",
        "delta",
        "echo",
        "foxtrot",
        "golf",
        "hotel",
        "india",
        "juliet",
        "kilo",
        "lima",
        "mike",
        "november",
        "oscar",
        "papa",
    ]
    return [
        an_item(f"td-{n:04d}", f"{words[n % 16]} {words[n // 16 % 16]} {n * 7919}", **fields) for n in range(number)
    ]


def closed(id_: str, **fields: Any) -> Item:
    return an_item(id_, status=Status.DONE, closed_at=days_ago(1), **fields)


@pytest.mark.parametrize(
    ("items", "found"),
    [
        pytest.param(many(15), [], id="15 active are enough"),
        pytest.param(many(16), [("ACTIVE_LARGE", 5)], id="16 are too many"),
        pytest.param([an_item(updated_at=days_ago(31))], [("STALE", 1)], id="open for 31 days"),
        pytest.param([an_item(updated_at=days_ago(29))], [], id="open for 29 days"),
        pytest.param(
            [an_item(status=Status.IN_PROGRESS, owner="S1", updated_at=days_ago(4))], [("STALE", 1)], id="held for long"
        ),
        pytest.param(
            [an_item(status=Status.IN_PROGRESS, owner="S1", lease_until=days_ago(1), updated_at=days_ago(4))],
            [("LEASE_LOST", 1)],
            id="a lease that is over",
        ),
        pytest.param(
            [an_item(status=Status.IN_PROGRESS, owner="alive", lease_until=days_ago(1))], [], id="whose owner is alive"
        ),
        pytest.param([an_item(blocked_by=("td-zzzz",))], [("BLOCKED_MISSING", 1)], id="a blocker that is gone"),
        pytest.param(
            [an_item(blocked_by=("td-bbbb",)), closed("td-bbbb", trashed_at=days_ago(1))],
            [("BLOCKED_MISSING", 1)],
            id="a blocker in the trash",
        ),
        pytest.param(
            [an_item(blocked_by=("td-bbbb",)), replace(closed("td-bbbb"), status=Status.CANCELLED)],
            [("BLOCKED_CANCELLED", 1)],
            id="a blocker that was cancelled",
        ),
        pytest.param([an_item(blocked_by=("td-bbbb",)), closed("td-bbbb")], [], id="a blocker that is done"),
        pytest.param(
            [an_item("td-a", "one", blocked_by=("td-b",)), an_item("td-b", "two", blocked_by=("td-a",))],
            [("CYCLE", 2), ("NEVER_READY", 2)],
            id="a ring",
        ),
        pytest.param(
            [an_item(blocked_by=("td-bbbb",)), an_item("td-bbbb", "other", status=Status.PARKED)],
            [("NEVER_READY", 1)],
            id="all wait for what is parked",
        ),
        pytest.param(
            [an_item(text="Port  logger"), an_item("td-bbbb", "port LOGGER")], [("DUPLICATE", 2)], id="the same twice"
        ),
        pytest.param(
            [an_item(text="Port the logger to structlog"), an_item("td-bbbb", "port logger the to structlog")],
            [("DUPLICATE", 2)],
            id="the same words",
        ),
        pytest.param(
            [an_item(text="Port logger"), an_item("td-bbbb", "Port logger", project="web")], [], id="in two projects"
        ),
        pytest.param(
            [*(replace(each, project="core") for each in many(3)), an_item(project="crore")],
            [("PROJECT_TYPO", 1)],
            id="a project misspelled",
        ),
        pytest.param(
            [*(replace(each, project="ab") for each in many(3)), an_item(project="cd")], [], id="short names differ"
        ),
        pytest.param([an_item(text="漢字" * 21)], [("TITLE_LONG", 1)], id="84 columns"),
        pytest.param([an_item(text="漢字" * 20)], [], id="80 columns"),
        pytest.param([closed("td-aaaa", notes=f"key {SECRET}")], [("SECRET", 1)], id="a secret"),
        pytest.param(
            [an_item(status=Status.PARKED, updated_at=days_ago(61))], [("PARKED_OLD", 1)], id="parked for long"
        ),
        pytest.param(many(11, status=Status.PARKED), [("PARKED_LARGE", 11)], id="11 parked"),
        pytest.param(many(5, source="run-7", updated_at=days_ago(3)), [("ORPHANS", 5)], id="orphans"),
        pytest.param(many(4, source="run-7", updated_at=days_ago(3)), [], id="too few for orphans"),
        pytest.param(
            many(1_001, status=Status.DONE, closed_at=days_ago(9), archived_at=days_ago(1)),
            [("ARCHIVE_LARGE", 0)],
            id="a large archive",
        ),
        pytest.param([an_item(updated_at="soon")], [("DATES", 1)], id="a date that nobody can read"),
        pytest.param([an_item(updated_at=days_ago(-2))], [("DATES", 1)], id="a date to come"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_a_flag_stands_for_a_signal(items: list[Item], found: list[tuple[str, int]]) -> None:
    told = flags(*items, alive="alive")

    assert [(flag.code, len(flag.ids)) for flag in told] == found
    assert all(flag.fact and flag.step for flag in told)
    assert SECRET[:8] not in repr(told)


def test_of_too_many_the_oldest_of_low_priority_are_named() -> None:
    items = [replace(each, priority=Priority.HIGH) for each in many(16)]
    items[3] = replace(items[3], priority=Priority.LOW)
    items[9] = replace(items[9], priority=Priority.LOW, created_at=days_ago(9))

    assert flags(*items)[0].ids[:2] == ("td-0009", "td-0003")


def test_many_titles_are_compared_in_no_time() -> None:
    flags(*many(3_000))


def test_to_fix_is_one_change_set_and_can_be_undone(kit: Kit, store: Store) -> None:
    a, b, c = add(store, "a", "b", "c")
    store.claim(a, S1, lease=LEASE)
    store.block([(b, c)], S1)
    store.complete([c], S1)
    prune = Prune(older_than=None)
    store.prune(prune, S1)
    store.hard_prune(prune, S1, token=store.hard_prune(prune, S1).token)
    kit.clock.pass_by(DAY)
    fixable = {flag.code for flag in store.health(lambda _: False) if flag.is_fixable}
    assert fixable == {"LEASE_LOST", "BLOCKED_MISSING"}

    made = store.fix(PERSON, lambda _: False)

    assert {change.item for change in made.changes} == {a, b}
    assert (the(store, a).owner, the(store, b).blocked_by) == ("", ())
    assert not store.health(lambda _: False)
    store.undo(PERSON)
    assert {flag.code for flag in store.health(lambda _: False)} == fixable


def test_health_changes_nothing_and_makes_nothing(kit: Kit, store: Store) -> None:
    assert store.health(lambda _: False) == []
    assert not kit.folder.exists()
    add(store, "a")
    whole = kit.path.read_bytes()

    store.health(lambda _: False)

    assert kit.path.read_bytes() == whole


def test_a_store_in_a_wrong_clock_is_flagged(kit: Kit, store: Store) -> None:
    kit.clock.now = NOW + 400 * DAY
    add(store, "a")
    kit.clock.now = NOW

    assert [flag.code for flag in store.health(lambda _: False)] == ["DATES"]


def test_what_cannot_be_an_item_is_flagged(tmp_path: Path) -> None:
    kit = Kit("json", tmp_path / "backlog")
    kit.folder.mkdir()
    kit.path.write_text('{"version": 1, "todos": [5]}')
    kit.path.chmod(0o600)

    (flag,) = kit.open().health(lambda _: False)

    assert flag.code == "STORE"
    assert "1 entry that is no item" in flag.fact
