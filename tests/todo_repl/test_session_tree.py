"""Going about in the tree of a session, and what a person sees of it."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.todo_repl.session_kit import CWD, append_as_another, file_of, ids, say, set_plan, tasks
from todo_context.plan.model import Json
from todo_repl.session import Session, SessionError, read_branch
from todo_repl.session_points import points, progress_here


def lines(session: Session) -> list[str]:
    """The rows of the tree as text: indented by depth, `*` on the branch, `<` where the session stands."""
    return [
        "  " * node.depth
        + f"{node.kind}: {node.text}"
        + (f" [{node.label}]" if node.label else "")
        + " *" * node.is_on_branch
        + " <" * node.is_here
        for node in session.tree()
    ]


def test_the_plan_goes_back_and_forth_with_the_leaf(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        asked = say(session, "Plan it.")
        three = set_plan(session, "one", "two", "three")
        four = set_plan(session, "one", "two", "three", "four")

        for target, plan in ((three, 3), (asked, 0), (four, 4), (None, 0), (four, 4), (three, 3)):
            session.move_to(target)

            assert len(tasks(session.branch())) == plan
            assert session.leaf_id == session.branch()[-1]["id"]
            without_move = ids(session.branch())[:-1]
            assert without_move == ([] if target is None else ids(session.branch_to(target)))


@pytest.mark.parametrize("closed", [True, False], ids=["left", "killed"])
def test_where_the_leaf_is_outlives_the_process_without_a_further_message(tmp_path: Path, *, closed: bool) -> None:
    session = Session.create(tmp_path / "s.jsonl", CWD)
    three = set_plan(session, "one", "two", "three")
    say(session, "more")
    set_plan(session, "one")
    session.move_to(three)
    content = file_of(session).read_bytes()
    if closed:
        session.close()
    path = tmp_path / "copy.jsonl"
    path.write_bytes(content)
    session.close()

    assert tasks(read_branch(path)) == ["one", "two", "three"]
    with Session.open(path) as again:
        assert again.leaf_id == session.leaf_id
        assert again.branch() == session.branch()
        assert set_plan(again, "other") == again.leaf_id
        assert again.branch()[-1]["data"] == {**as_dict(again.branch()[-1]["data"]), "seq": 2}


def as_dict(value: Json) -> dict[str, Json]:
    assert isinstance(value, dict)
    return value


def test_before_all_is_a_place_too(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        first = say(session, "hi")
        session.move_to(None)
        again = say(session, "hello")
        move = session.branch()[0]

        assert [move["type"], move["customType"], move["parentId"]] == ["custom", "todo_leaf", None]
        assert ids(session.branch())[1:] == [again]
        assert ids(session.children(None)) == [first, move["id"]]
        assert ids(session.children(str(move["id"]))) == [again]
        assert session.children(again) == []


def test_to_stay_is_no_entry(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        session.move_to(None)
        assert not (tmp_path / "s.jsonl").exists()
        session.move_to(say(session, "hi"))

        assert len(session.entries()) == 1


def test_nobody_can_go_where_nothing_is() -> None:
    with Session.memory(CWD) as session:
        say(session, "hi")

        with pytest.raises(SessionError, match=r"there is no entry nowhere\. Choose one of its tree\."):
            session.move_to("nowhere")
        assert len(session.entries()) == 1


def test_a_branch_that_was_given_stays_when_the_leaf_moves() -> None:
    with Session.memory(CWD) as session:
        first, second = say(session, "a"), say(session, "b")
        before = session.branch()
        session.move_to(first)
        say(session, "c")

        assert ids(before) == [first, second]


def test_a_tree_shows_what_was_said_and_planned_and_where_it_parts() -> None:
    with Session.memory(CWD) as session:
        say(session, "Plan it.")
        call: Json = {"type": "toolCall", "id": "c", "name": "todo_write", "arguments": {}}
        session.append_message({"role": "assistant", "content": [call]})
        planned = set_plan(session, "one", by="model")
        session.append_message(
            {"role": "toolResult", "toolName": "todo_write", "content": [], "details": {"phases": []}}
        )
        answered = say(session, "Done.", role="assistant")
        say(session, "Now two.")
        say(session, "No.", role="assistant")
        session.move_to(answered)
        three = say(session, "Now three.")
        # As pi writes them, where a person labels an entry and takes the label off again.
        session.append("label", {"targetId": planned, "label": "the plan"})
        session.append("label", {"targetId": answered, "label": "gone"})
        session.append("label", {"targetId": answered})

        assert lines(session) == [
            "person: Plan it. *",
            "plan: init [the plan] *",
            "model: Done. *",
            "  person: Now two.",
            "  model: No.",
            "  person: Now three. * <",
        ]
        parent = session.tree()[-1].parent_id
        assert session.entry(str(parent)) is not None
        session.move_to(parent)
        say(session, "Now four.")
        assert lines(session)[-2:] == ["  person: Now three.", "  person: Now four. * <"]
        assert [node.id for node in session.tree()][-2] == three


def test_every_entry_is_in_the_tree_once_whatever_its_parents(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with Session.create(path, CWD) as session:
        say(session, "root")
    text: Json = {"role": "user", "content": "x"}
    for entry_id, parent in (
        ("o", "gone"),
        ("s", "s"),
        ("r1", "r3"),
        ("r2", "r1"),
        ("r3", "r2"),
        ("d", None),
        ("d", "o"),
    ):
        append_as_another(path, entry_id, parent, type="message", message=text)

    with Session.open(path) as session:
        assert [(node.id, node.depth) for node in session.tree()][1:] == [
            ("o", 0), ("d", 0), ("s", 0), ("r1", 0), ("r2", 0), ("r3", 0),
        ]  # fmt: skip
        assert ids(session.children("o")) == ["d"]
        assert [node.id for node in session.tree() if node.is_on_branch] == ["o", "d"]


def test_a_tree_as_deep_as_it_is_long_is_no_trouble() -> None:
    with Session.memory(CWD) as session:
        for n in range(5_000):
            say(session, str(n))

        assert len(session.tree()) == 5_000
        assert session.tree()[-1].depth == 0


def test_the_name_is_the_one_that_was_given_last_on_any_branch(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        assert session.name == ""
        hi = say(session, '"session_info"')
        session.rename(" the\n first ")
        session.move_to(hi)
        assert session.name == "the first"
        assert session.entries()[1]["name"] == "the first"
    with Session.open(tmp_path / "s.jsonl") as session:
        assert session.name == "the first"
        session.rename("")
        assert session.name == ""


records = st.tuples(
    st.sampled_from(["entry", "edit", "result", "said"]), st.sampled_from([None, 1, 2, 3, 5]), st.integers(0, 9)
)


@given(st.lists(records, max_size=12))
def test_the_progress_of_a_point_is_that_of_its_branch(found: list[tuple[str, int | None, int]]) -> None:
    entries: list[dict[str, Json]] = []
    for number, (kind, seq, back) in enumerate(found, 1):
        parent = entries[-1 - back]["id"] if back < len(entries) else None
        plan: dict[str, Json] = {"phases": [{"name": "A", "tasks": [{"content": "x"} for _ in range(number)]}]}
        data: dict[str, Json] = plan if seq is None else {**plan, "seq": seq}
        base: dict[str, Json] = {"id": f"{number:08x}", "parentId": parent, "timestamp": "2026-12-01T00:00:00.000Z"}
        entries.append({**base, **_record(kind, data)})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        with Session.create(path, CWD) as session:
            say(session, "first")
        with path.open("a") as file:
            file.writelines(f"{json.dumps(entry)}\n" for entry in entries)
        with Session.open(path) as session:
            for point in points(session):
                at = point.leads_to if point.node.kind == "person" else point.node.id
                assert point.progress == progress_here(session.branch_to(at or ""))


def _record(kind: str, data: dict[str, Json]) -> dict[str, Json]:
    match kind:
        case "said":
            return {"type": "message", "message": {"role": "user", "content": "more"}}
        case "result":
            message: Json = {"role": "toolResult", "toolName": "todo_write", "toolCallId": "c", "details": data}
            return {"type": "message", "message": message}
        case _:
            return {"type": "custom", "customType": "todo_write" if kind == "entry" else "user_todo_edit", "data": data}
