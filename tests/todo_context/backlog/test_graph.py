from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.todo_context.backlog.kit import NOW, an_item, days_ago, items
from todo_context.backlog.graph import edge_refusal, rings, way
from todo_context.backlog.item import Item, Status
from todo_context.backlog.order import is_claimable, open_blockers


def graph(edges: str, **fields: Any) -> dict[str, Item]:
    """Items by their letters: "ab bc" is a that waits for b that waits for c."""
    names = sorted(set(edges) - {" "})
    return {
        name: an_item(name, blocked_by=tuple(edge[1] for edge in edges.split() if edge[0] == name), **fields)
        for name in names
    }


@pytest.mark.parametrize(
    ("edges", "new", "code", "names"),
    [
        pytest.param("ab", "cb", None, "", id="D08 a valid one"),
        pytest.param("ab", "aa", "self", "a", id="D08 itself"),
        pytest.param("ab", "ba", "cycle", "b -> a -> b", id="D08 back"),
        pytest.param("ab bc", "ca", "cycle", "c -> a -> b -> c", id="D08 over others"),
        pytest.param("ab bc cd xc", "da", "cycle", "d -> a -> b -> c -> d", id="D08 over many"),
        pytest.param("ab", "az", "unknown", "z", id="D08 not there"),
    ],
)
def test_d08_an_edge_is_refused_that_makes_no_sense(edges: str, new: str, code: str | None, names: str) -> None:
    found = graph(edges)

    no = edge_refusal(found.get(new[0], an_item(new[0])), new[1], found.get)

    assert (no.code if no else None) == code
    if no is not None:
        assert names in no.fact


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        pytest.param({"status": Status.DONE}, "closed", id="done"),
        pytest.param({"status": Status.CANCELLED}, "closed", id="cancelled"),
        pytest.param({"status": Status.DONE, "trashed_at": days_ago(1), "trashed_batch": 4}, "deleted", id="deleted"),
    ],
)
def test_d08_what_is_closed_already_is_no_new_blocker(fields: dict[str, Any], code: str) -> None:
    no = edge_refusal(an_item("a"), "b", {"b": an_item("b", **fields)}.get)

    assert no is not None
    assert no.code == code
    assert no.others == ("b",)


@given(st.lists(items, unique_by=lambda item: item.id))
def test_a_ring_is_found_exactly_where_something_waits_for_itself(found: list[Item]) -> None:
    by_id = {item.id: item for item in found}
    in_rings = {id_ for ring in rings(found) for id_ in ring}

    waits_for_itself = {
        item.id for item in found if any(b == item.id or way(b, item.id, by_id.get) for b in item.blocked_by)
    }
    assert bool(in_rings) == bool(waits_for_itself)
    assert in_rings <= waits_for_itself
    for ring in rings(found):
        assert all(after in by_id[before].blocked_by for before, after in zip(ring, (*ring[1:], ring[0]), strict=True))


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=20))
def test_edges_that_are_let_in_never_make_a_ring(edges: list[tuple[str, str]]) -> None:
    found = {name: an_item(name) for name in "abcdef"}

    for name, blocker in edges:
        if edge_refusal(found[name], blocker, found.get) is None:
            found[name] = an_item(name, blocked_by=(*found[name].blocked_by, blocker))

    assert rings(found.values()) == []


def test_a_blocker_that_is_missing_closed_or_deleted_blocks_nothing() -> None:
    found = {
        "a": an_item("a", blocked_by=("b", "c", "d", "e", "f")),
        "b": an_item("b"),
        "c": an_item("c", status=Status.DONE),
        "d": an_item("d", status=Status.PARKED),
        "e": an_item("e", trashed_at=days_ago(1)),
    }

    assert open_blockers(found["a"], found.get) == ("b", "d")
    assert not is_claimable(found["a"], NOW, found.get)
    assert is_claimable(found["b"], NOW, found.get)
