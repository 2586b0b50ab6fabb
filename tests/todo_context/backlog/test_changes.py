from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.todo_context.backlog.kit import an_item, days_ago, items
from todo_context.backlog.changes import Change, ChangeSet, Retrace, differing, forgotten, net, retraced, to_retrace
from todo_context.backlog.item import Item, Status
from todo_context.backlog.refusal import Refusal


def change(seq: int, before: Item | None, after: Item | None, verb: str = "update") -> Change:
    item = (after or before or an_item()).id
    return Change(seq=seq, at="", by=f"S{seq}", verb=verb, batch=seq, item=item, before=before, after=after)


@pytest.mark.parametrize(
    ("sets", "action", "of"),
    [
        pytest.param("", "undo", None, id="nothing"),
        pytest.param("a b", "undo", 2, id="the newest"),
        pytest.param("a b u2", "undo", 1, id="then the one before"),
        pytest.param("a b u2 u1", "undo", None, id="until there is none"),
        pytest.param("a b u2 c", "undo", 4, id="a new one comes first"),
        pytest.param("a b u2 c u4", "undo", 1, id="and what was undone stays so"),
        pytest.param("a b u2 r2", "undo", 2, id="what was done again is undone again"),
        pytest.param("a b f", "undo", 2, id="what is final is passed over"),
        pytest.param("a b", "redo", None, id="nothing was undone"),
        pytest.param("a b u2 u1", "redo", 1, id="the one undone last"),
        pytest.param("a b u2 u1 r1", "redo", 2, id="then the one before"),
        pytest.param("a b u2 u1 r1 r2", "redo", None, id="until all are back"),
        pytest.param("a b u2 c", "redo", None, id="not over what came after"),
        pytest.param("a b u2 f", "redo", 2, id="what is final is nothing that came after"),
        pytest.param("a b h", "undo", 2, id="housekeeping is passed over"),
        pytest.param("a b u2 h", "redo", 2, id="housekeeping is nothing that came after"),
    ],
)
def test_which_set_comes_next(sets: str, action: Retrace, of: int | None) -> None:
    verbs = {"u": "undo", "r": "redo", "f": "forget", "h": "expire"}
    made = [
        ChangeSet(number, verbs.get(name[0], "update"), int(name[1:] or 0))
        for number, name in enumerate(sets.split(), 1)
    ]

    found = to_retrace(reversed(made), action)

    assert (found.batch if found else None) == of


@given(st.lists(st.sampled_from(["do", "undo", "redo"]), max_size=30))
def test_undo_and_redo_are_a_stack(wishes: list[str]) -> None:
    sets: list[ChangeSet] = []
    done: list[int] = []
    undone: list[int] = []

    for wish in wishes:
        number = len(sets) + 1
        if wish == "do":
            sets.append(ChangeSet(number, "update"))
            done.append(number)
            undone.clear()
            continue
        found = to_retrace(reversed(sets), "undo" if wish == "undo" else "redo")
        stack, other = (done, undone) if wish == "undo" else (undone, done)
        assert (found.batch if found else None) == (stack[-1] if stack else None)
        if found is not None:
            other.append(stack.pop())
            sets.append(ChangeSet(number, wish, found.batch))


def test_only_as_many_sets_are_read_as_it_takes() -> None:
    def sets() -> Iterable[ChangeSet]:
        yield ChangeSet(9, "update")
        pytest.fail("The rest is not asked for.")

    assert to_retrace(sets(), "undo") == ChangeSet(9, "update")


@given(items, items)
def test_a_set_is_gone_over_and_back(one: Item, other: Item) -> None:
    other = replace(other, id=one.id)
    made = [change(1, one, other)]

    assert retraced(made, {one.id: other}, "undo") == [(other, one)]
    assert retraced(made, {one.id: one}, "redo") == [(one, other)]


def test_d13_what_is_not_as_it_was_left_is_not_gone_over() -> None:
    before, after = an_item(), an_item(status=Status.DONE, closed_at=days_ago(1))
    made = [change(1, before, after, "complete"), change(1, an_item("td-bbbb"), an_item("td-bbbb", text="new"))]

    for there in ({}, {after.id: before}, {after.id: an_item(status=Status.DONE, closed_at=days_ago(2))}):
        no = retraced(made, there, "undo")

        assert isinstance(no, Refusal)
        assert no.code == "moved"
        assert no.others == ("td-aaaa", "td-bbbb")
        assert "complete by S1 (set 1)" in no.fact


def test_a_lease_that_was_begun_anew_is_no_difference() -> None:
    claimed = an_item(status=Status.IN_PROGRESS, owner="S1", lease_until=days_ago(-1))
    now = an_item(status=Status.IN_PROGRESS, owner="S1", lease_until=days_ago(-2))

    assert retraced([change(1, an_item(), claimed)], {now.id: now}, "undo") == [(now, an_item())]


def test_several_changes_come_to_one_an_item_or_to_none() -> None:
    one, two, three = an_item(), an_item(text="two"), an_item(text="three")
    added = an_item("td-bbbb")

    found = net([change(1, one, two), change(2, None, added), change(3, two, three), change(4, added, None)])

    assert [(each.item, each.before, each.after, each.by) for each in found] == [("td-aaaa", one, three, "S3")]
    assert net([change(1, one, two), change(2, two, one)]) == []


def test_what_differs_is_named() -> None:
    assert differing(an_item(), an_item(text="new", tags=("a",), updated_at="later")) == ("text", "tags")
    assert differing(None, an_item()) == ()


@given(items)
def test_nothing_that_was_written_is_left_of_what_is_forgotten(item: Item) -> None:
    empty = forgotten(item)

    assert empty.text == "(forgotten)"
    assert not empty.extra
    assert item.text not in (empty.notes, empty.trashed_reason)
