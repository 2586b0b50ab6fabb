"""A session in memory and in a file: what is stored, and what comes back."""

import json
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_context.errors import TodoContextError
from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_repl.session import Session, SessionError, read_branch

NOON = datetime(2026, 11, 30, 12, 0, 0, 7_900, tzinfo=UTC)
STAMP = "2026-11-30T12:00:00.007Z"
CWD = "/home/user/project"

HEADER = {
    "type": "session",
    "version": 3,
    "id": "01900000-0000-7000-8000-000000000001",
    "timestamp": "2026-11-30T12:00:00.000Z",
    "cwd": CWD,
    "todoContext": {"v": 1},
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def noon() -> datetime:
    return NOON


def custom(entry_id: object, parent_id: object, n: int = 0) -> dict[str, object]:
    stamp = "2026-11-30T12:00:01.000Z"
    return {"type": "custom", "customType": "t", "data": n, "id": entry_id, "parentId": parent_id, "timestamp": stamp}


def written(path: Path, *records: object) -> Path:
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def records(path: Path) -> list[dict[str, Json]]:
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    return [json.loads(line) for line in lines]


def ids(entries: Sequence[Entry]) -> list[Json]:
    return [entry["id"] for entry in entries]


def reopened(path: Path) -> tuple[Sequence[Entry], Sequence[Entry]]:
    with Session.open(path) as session:
        return session.entries(), session.branch()


def test_create_makes_nothing_on_disk(tmp_path: Path) -> None:
    with Session.create(tmp_path / "folder" / "s.jsonl", CWD) as session:
        assert session.path == tmp_path / "folder" / "s.jsonl"
        assert (session.storage, session.leaf_id, session.entries(), tuple(session.branch())) == (
            "session",
            None,
            (),
            (),
        )

    assert list(tmp_path.iterdir()) == []


def test_the_first_append_writes_the_header_of_pi_with_our_key(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD, now=noon) as session:
        session.append_custom("todo_write", {"v": 1})

    header = records(tmp_path / "s.jsonl")[0]
    assert list(header) == ["type", "version", "id", "timestamp", "cwd", "todoContext"]
    assert header == {**HEADER, "id": session.id, "timestamp": STAMP}


def test_an_entry_has_pis_envelope(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD, now=noon) as session:
        first = session.append_message({"role": "user"})
        second = session.append_custom("t", {"v": 1})
        third = session.append_custom_message("t", "Edited.", display=False)

    assert all(re.fullmatch("[0-9a-f]{8}", entry_id) for entry_id in (first, second, third))
    assert records(tmp_path / "s.jsonl")[1:] == [
        {"type": "message", "id": first, "parentId": None, "timestamp": STAMP, "message": {"role": "user"}},
        {"type": "custom", "id": second, "parentId": first, "timestamp": STAMP, "customType": "t", "data": {"v": 1}},
        {"type": "custom_message", "id": third, "parentId": second, "timestamp": STAMP, "customType": "t",
         "content": "Edited.", "display": False},
    ]  # fmt: skip
    assert session.leaf_id == third


def test_a_time_of_another_zone_is_written_in_utc(tmp_path: Path) -> None:
    zone = timezone(timedelta(hours=5))
    with Session.create(tmp_path / "s.jsonl", CWD, now=lambda: NOON.astimezone(zone)) as session:
        session.append_custom("t", {})

    assert [record["timestamp"] for record in records(tmp_path / "s.jsonl")] == [STAMP, STAMP]


def test_no_field_takes_the_place_of_the_envelope(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD, now=noon) as session:
        entry_id = session.append("label", {"id": "x", "parentId": "y", "timestamp": "z", "type": "w", "label": "here"})

    assert session.entries()[0] == {
        "type": "label", "id": entry_id, "parentId": None, "timestamp": STAMP, "label": "here",
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["2026-11-30T12-00-00-000Z_01900000-0000-7000-8000-0000000000ff.jsonl", "s.jsonl", "s_x.jsonl"]
)
def test_the_id_is_the_one_in_the_name_if_it_has_one(tmp_path: Path, name: str) -> None:
    session = Session.create(tmp_path / name, CWD)

    assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", session.id)
    assert (session.id in name) == ("01900000" in name)


def test_memory_has_the_same_interface_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Session.memory(CWD) as session:
        first = session.append_message({"role": "user"})
        second = session.append_custom("t", {"n": 1})

        assert (session.path, session.storage, session.cwd, session.leaf_id) == (None, "memory", CWD, second)
        assert ids(session.branch()) == ids(session.entries()) == [first, second]

    assert list(tmp_path.iterdir()) == []


def test_what_was_stored_comes_back(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        session.append_message({"role": "user", "content": [{"type": "text", "text": "hi"}]})
        session.append_custom("todo_write", {"v": 1, "phases": []})

    with Session.open(tmp_path / "s.jsonl") as again:
        assert (again.id, again.cwd, again.leaf_id) == (session.id, CWD, session.leaf_id)
        assert (again.entries(), again.branch(), again.notices) == (session.entries(), session.branch(), ())


def test_it_goes_on_after_the_leaf(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        first = session.append_custom("t", {})
    with Session.open(tmp_path / "s.jsonl") as again:
        second = again.append_custom("t", {})

    assert [(record["id"], record["parentId"]) for record in records(tmp_path / "s.jsonl")[1:]] == [
        (first, None),
        (second, first),
    ]


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_memory_holds_what_the_file_gives_back(
    tmp_path_factory: pytest.TempPathFactory, fields: dict[str, Json]
) -> None:
    path = tmp_path_factory.mktemp("any") / "s.jsonl"
    with Session.create(path, CWD) as session:
        session.append_custom("t", fields)
        session.append_custom("t", {})

    entries, _ = reopened(path)
    assert entries == session.entries()
    assert len(path.read_bytes().split(b"\n")) == 4


def test_text_is_utf_8_and_a_line_separator_splits_nothing(tmp_path: Path) -> None:
    text = "Grüße \u2028 \u2029 \x85 \x0b 日本 🎉\nend"
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        session.append_custom("t", {"text": text})

    assert "Grüße \u2028".encode() in (tmp_path / "s.jsonl").read_bytes()
    assert reopened(tmp_path / "s.jsonl")[0][0]["data"] == {"text": text}


def test_half_a_character_becomes_the_replacement_character(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", "/tmp/\udcff") as session:
        session.append_custom("t", {"\ud83d": ["a\udc80b"]})

    assert session.entries()[0]["data"] == {"\ufffd": ["a\ufffdb"]}
    assert reopened(tmp_path / "s.jsonl")[0] == session.entries()


def test_half_a_character_written_as_an_escape_is_replaced_on_reading(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        HEADER,
        r'{"type":"custom","id":"aaaaaaa1","parentId":null,"data":["\ud83d!","\ud83d\ude00","\\ud83d"]}',
    )

    assert read_branch(path)[0]["data"] == ["\ufffd!", "😀", "\\ud83d"]


def test_a_number_that_json_has_not_becomes_null(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        session.append_custom("t", {"n": [float("nan"), float("-inf"), 1.5], "text": "NaN"})

    assert b'"data":{"n":[null,null,1.5],"text":"NaN"}' in (tmp_path / "s.jsonl").read_bytes()
    assert reopened(tmp_path / "s.jsonl")[0] == session.entries()


def test_an_entry_nested_too_deeply_is_refused_and_the_session_goes_on(tmp_path: Path) -> None:
    deep: Json = []
    for _ in range(100_000):
        deep = [deep]
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        with pytest.raises(SessionError, match="nested too deeply"):
            session.append_custom("t", {"deep": deep})
        session.append_custom("t", {"n": 2})

    assert [entry["data"] for entry in reopened(tmp_path / "s.jsonl")[0]] == [{"n": 2}]
    while isinstance(deep, list) and deep:  # Taken apart by hand: the interpreter would do it by recursion.
        deep = deep.pop()


def test_a_caller_that_changes_its_object_later_changes_no_entry() -> None:
    data: dict[str, Json] = {"tasks": ["one"]}
    with Session.memory(CWD) as session:
        session.append_custom("t", data)
        data["tasks"] = []

    assert session.entries()[0]["data"] == {"tasks": ["one"]}


def test_a_branch_once_given_does_not_grow() -> None:
    with Session.memory(CWD) as session:
        session.append_custom("t", {})
        before = session.branch()
        session.append_custom("t", {})

    assert (len(before), len(session.branch())) == (1, 2)


def test_a_closed_session_takes_nothing_more(tmp_path: Path) -> None:
    for session in (Session.create(tmp_path / "s.jsonl", CWD), Session.memory(CWD)):
        session.close()
        session.close()

        with pytest.raises(SessionError, match=r"the session is closed\. Open it again\."):
            session.append_custom("t", {})
    assert list(tmp_path.iterdir()) == []


def test_files_are_0600_and_folders_0700_whatever_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "s.jsonl"
    before = os.umask(0o022)
    try:
        with Session.create(path, CWD) as session:
            session.append_custom("t", {})
            modes = {p.relative_to(tmp_path).as_posix(): p.stat().st_mode & 0o777 for p in tmp_path.rglob("*")}
    finally:
        os.umask(before)

    assert modes == {"a": 0o700, "a/b": 0o700, "a/b/s.jsonl": 0o600, "a/b/s.jsonl.lock": 0o600}


def test_closing_leaves_the_session_file_alone_in_its_folder(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        session.append_custom("t", {})

    assert list(tmp_path.iterdir()) == [tmp_path / "s.jsonl"]


def test_lines_that_cannot_be_read_are_skipped_and_named(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        HEADER,
        custom("aaaaaaa1", None),
        "{torn",
        "",
        "[1]",
        HEADER,
        {"type": "custom"},
        custom("", "aaaaaaa1"),
        custom(7, "aaaaaaa1"),
        "[" * 100_000,
        custom("aaaaaaa2", "aaaaaaa1"),
    )

    with Session.open(path) as session:
        assert ids(session.branch()) == ids(session.entries()) == ["aaaaaaa1", "aaaaaaa2"]
        assert session.notices == (
            "s.jsonl: line 3: no JSON object, skipped",
            "s.jsonl: line 5: no JSON object, skipped",
            "s.jsonl: line 6: a second header, skipped",
            "s.jsonl: line 7: an entry without an id, skipped",
            "s.jsonl: line 8: an entry without an id, skipped",
            "s.jsonl: line 9: an entry without an id, skipped",
            "s.jsonl: line 10: no JSON object, skipped",
        )


def test_bytes_that_are_no_utf_8_cost_a_character_not_an_entry(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", HEADER, custom("aaaaaaa1", None))
    path.write_bytes(path.read_bytes().replace(b'"data": 0', b'"data": "\xff"'))

    assert read_branch(path)[0]["data"] == "\ufffd"


def test_an_entry_of_an_unknown_type_is_kept_with_all_its_keys(tmp_path: Path) -> None:
    strange = {"type": "from_tomorrow", "id": "aaaaaaa1", "parentId": None, "x": {"y": [1]}}
    path = written(tmp_path / "s.jsonl", HEADER, strange)

    assert reopened(path) == ((strange,), (strange,))


def test_of_entries_with_one_id_the_last_wins(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        HEADER,
        custom("aaaaaaa1", None, 1),
        custom("aaaaaaa1", None, 2),
        custom("aaaaaaa2", "aaaaaaa1"),
    )

    entries, branch = reopened(path)
    assert ids(entries) == ["aaaaaaa1", "aaaaaaa1", "aaaaaaa2"]
    assert [entry["data"] for entry in branch] == [2, 0]


def test_a_branch_is_cut_where_a_parent_is_missing(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        HEADER,
        custom("aaaaaaa1", None),
        custom("aaaaaaa3", "aaaaaaa2"),
        custom("aaaaaaa4", "aaaaaaa3"),
    )

    with Session.open(path) as session:
        assert ids(session.branch()) == ["aaaaaaa3", "aaaaaaa4"]
        assert session.notices == (
            "s.jsonl: what came before entry aaaaaaa3 is missing; the conversation begins there",
        )


@pytest.mark.parametrize(
    ("links", "branch"),
    [
        pytest.param([("aaaaaaa1", "aaaaaaa1")], ["aaaaaaa1"], id="its own parent"),
        pytest.param([("aaaaaaa1", "aaaaaaa2"), ("aaaaaaa2", "aaaaaaa1")], ["aaaaaaa1", "aaaaaaa2"], id="a ring"),
        pytest.param(
            [("aaaaaaa1", "aaaaaaa2"), ("aaaaaaa2", "aaaaaaa1"), ("aaaaaaa3", "aaaaaaa2")],
            ["aaaaaaa1", "aaaaaaa2", "aaaaaaa3"],
            id="a tail on a ring",
        ),
        pytest.param([("aaaaaaa1", 7)], ["aaaaaaa1"], id="a parent that is no text"),
        pytest.param([("aaaaaaa1", ["x"])], ["aaaaaaa1"], id="a parent that is a list"),
    ],
)
def test_no_parent_hangs_the_branch(tmp_path: Path, links: list[tuple[str, object]], branch: list[str]) -> None:
    path = written(tmp_path / "s.jsonl", HEADER, *(custom(entry_id, parent) for entry_id, parent in links))

    with Session.open(path) as session:
        new = session.append_custom("t", {})
        assert ids(session.branch()) == [*branch, new]
    assert ids(reopened(path)[1]) == [*branch, new]


def test_the_branch_of_the_last_entry_leaves_out_the_others(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        HEADER,
        custom("aaaaaaa1", None),
        custom("aaaaaaa2", "aaaaaaa1"),
        custom("aaaaaaa3", "aaaaaaa1"),
    )

    entries, branch = reopened(path)
    assert ids(entries) == ["aaaaaaa1", "aaaaaaa2", "aaaaaaa3"]
    assert ids(branch) == ["aaaaaaa1", "aaaaaaa3"]


def test_20_000_entries_in_a_row_come_back(tmp_path: Path) -> None:
    chain = [custom(f"{n:08x}", f"{n - 1:08x}" if n else None, n) for n in range(20_000)]
    path = written(tmp_path / "s.jsonl", HEADER, *chain)

    with Session.open(path) as session:
        session.append_custom("t", {})
        assert [entry["data"] for entry in session.branch()[:-1]] == list(range(20_000))
    assert len(read_branch(path)) == 20_001


def test_a_file_that_was_there_before_is_not_written_over(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", "somebody's")
    with (
        Session.create(path, CWD) as session,
        pytest.raises(SessionError, match="another program made a file of this name"),
    ):
        session.append_custom("t", {})

    assert path.read_text(encoding="utf-8") == "somebody's\n"


def test_an_error_is_one_line_and_known_to_the_operator_and_to_the_port(tmp_path: Path) -> None:
    with pytest.raises(SessionError) as caught:
        Session.open(tmp_path / "a\n\x1b[31mb.jsonl")

    assert isinstance(caught.value, TodoContextError)
    assert isinstance(caught.value, OSError)
    assert str(caught.value) == f"{tmp_path}/a b.jsonl: cannot be read (No such file or directory). Check the path."
    assert caught.value.path == tmp_path / "a\n\x1b[31mb.jsonl"


def nested(levels: int) -> dict[str, Json]:
    deep: Json = "end"
    for _ in range(levels):
        deep = [deep]
    return {"x": deep}


def test_what_is_nested_deeply_can_be_read(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        session.append_custom("t", nested(150))
    assert len(read_branch(tmp_path / "s.jsonl")) == 1


@pytest.mark.parametrize("levels", [201, 990, 100_000])
def test_what_is_nested_too_deeply_is_refused(levels: int, tmp_path: Path) -> None:
    with Session.create(tmp_path / "s.jsonl", CWD) as session:
        session.append_custom("t", {"x": 1})
        with pytest.raises(SessionError, match="nested too deeply"):
            session.append_custom("t", nested(levels))
    assert len(read_branch(tmp_path / "s.jsonl")) == 1


def test_a_mark_of_the_byte_order_before_the_header_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with Session.create(path, CWD) as session:
        session.append_custom("t", {"x": 1})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    with Session.open(path) as session:
        session.append_custom("t", {"x": 2})

    assert len(read_branch(path)) == 2


def test_a_working_folder_that_none_can_be_is_none(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with Session.create(path, "/a\0b") as session:
        session.append_custom("t", {"x": 1})
    with Session.open(path) as session:
        assert session.cwd == ""
