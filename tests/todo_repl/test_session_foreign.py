"""Session files that another program began: read, never continued, never changed."""

import json
import os
import shlex
import shutil
from pathlib import Path

import pytest

from todo_repl.session import Session, SessionError, read_branch

SAMPLES = Path(__file__).parent / "samples"
NAMES = sorted(path.name for path in SAMPLES.glob("*.jsonl"))
HEADER = {"type": "session", "version": 3, "id": "x", "timestamp": "2026-11-30T12:00:00.000Z", "cwd": "/"}


def header(**keys: object) -> str:
    return json.dumps({**HEADER, **keys}) + "\n"


@pytest.mark.parametrize(
    ("name", "branch"),
    [
        (
            "pi-1.6.0-session.jsonl",
            "9ff771ad 0e7694e4 d080b41f 6e5c935a 6b20c37e ceec9cb2 30592e49 ea8cab2e d1c4a14a",
        ),
        ("handwritten-minimal.jsonl", "aaaaaaa1 aaaaaaa2 aaaaaaa3"),
        (
            "pi-version-1.jsonl",
            "00000002 00000003 00000004 00000005 00000006 00000007 00000008 00000009 0000000a 0000000b",
        ),
        ("pi-version-2.jsonl", "b0000000 b0000001 b0000002 b0000003 b0000006 b0000007 b0000008 b0000009 b000000a"),
        ("aelix-leaf.jsonl", "3159e8b6 334765ef 013cbd84"),
        ("pi-python-leaf.jsonl", "98fc62d4 66874c89 46f9da14"),
        ("aelix-session.jsonl", "2492b760 6c902d0a e3cc63c9 f43ba621 a2d01903"),
        ("pi-python-session.jsonl", "a185c631 40479a82 8037695b 71e1210e a173941e"),
    ],
)
def test_its_branch_is_read(name: str, branch: str) -> None:
    assert [entry["id"] for entry in read_branch(SAMPLES / name)] == branch.split()


def test_the_title_line_of_omp_is_passed_over() -> None:
    branch = read_branch(SAMPLES / "omp-18.2.3-session.jsonl")

    assert (branch[0]["id"], branch[0]["parentId"]) == ("54ed409f", None)
    assert any(entry["type"] == "message" for entry in branch)


@pytest.mark.parametrize("name", NAMES)
def test_opening_to_go_on_is_refused_and_leaves_the_file_alone(tmp_path: Path, name: str) -> None:
    path = Path(shutil.copy(SAMPLES / name, tmp_path / "it's.jsonl"))
    with pytest.raises(SessionError) as caught:
        Session.open(path)

    assert str(caught.value) == (
        f"{path}: another program began this session, so it opens read-only here."
        f" Its plan: todo-context show {shlex.quote(str(path))}"
    )
    assert path.read_bytes() == (SAMPLES / name).read_bytes()
    assert list(tmp_path.iterdir()) == [path]


def test_a_foreign_file_is_not_even_locked(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLES / "handwritten-minimal.jsonl", tmp_path / "s.jsonl"))
    (tmp_path / "s.jsonl.lock").mkdir()

    with pytest.raises(SessionError, match="read-only"):
        Session.open(path)


def test_a_torn_foreign_file_is_not_mended(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    torn = (SAMPLES / "handwritten-minimal.jsonl").read_bytes()[:-9]
    path.write_bytes(torn)

    with pytest.raises(SessionError, match="read-only"):
        Session.open(path)
    assert len(read_branch(path)) == 2
    assert path.read_bytes() == torn


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("# Notes\nmore\n", 'no session file, it starts with "# Notes".', id="text"),
        pytest.param("\n\n  {1}\n", 'no session file, it starts with "{1}".', id="blank lines first"),
        pytest.param('{"type":"session"}\n', 'no session file, it starts with "{"type":"session"}".', id="no id"),
        pytest.param('{"type":"title"}\n{"a":1}\n', 'no session file, it starts with "{"a":1}".', id="after a title"),
        pytest.param("\x1b[31mred\x07\u202e\n", 'no session file, it starts with "red".', id="controls"),
        pytest.param("x" * 81 + "\n", f'no session file, it starts with "{"x" * 79}…".', id="81 characters"),
        pytest.param("x" * 80 + "\n", f'no session file, it starts with "{"x" * 80}".', id="80 characters"),
        pytest.param(header(version=99), "session format version 99, this reads versions 1 to 3.", id="version 99"),
        pytest.param(header(version="3"), 'session format version "3", this reads versions 1 to 3.', id="as text"),
        pytest.param(header(version=True), "session format version true, this reads versions 1 to 3.", id="a boolean"),
        pytest.param(header(version=[3]), "session format version [3], this reads versions 1 to 3.", id="a list"),
        pytest.param(
            '{"type":"session","version":1e999,"id":"x"}\n',
            "session format version Infinity, this reads versions 1 to 3.",
            id="infinite",
        ),
    ],
)
def test_a_file_that_is_none_is_refused_by_both_with_what_was_seen(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(content, encoding="utf-8")

    for reader in (Session.open, read_branch):
        with pytest.raises(SessionError) as caught:
            reader(path)
        assert caught.value.fact == message
    assert path.read_text(encoding="utf-8") == content


def test_a_newer_format_is_sent_to_an_update(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(header(version=4), encoding="utf-8")

    with pytest.raises(SessionError) as caught:
        read_branch(tmp_path / "s.jsonl")
    assert caught.value.step == "Update todo-context."


@pytest.mark.parametrize("version", [None, 0, 1, 2, 2.5, float("-inf")])
def test_an_older_format_is_read_and_not_gone_on_with(tmp_path: Path, version: object) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(header(version=version), encoding="utf-8")

    with pytest.raises(SessionError, match="opens read-only here"):
        Session.open(path)
    assert read_branch(path) == ()


def test_a_session_of_ours_in_an_older_format_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(header(version=2, todoContext={"v": 1}), encoding="utf-8")

    with pytest.raises(SessionError, match=r"says format version 2, a session of todo-context has 3\. Its plan:"):
        Session.open(path)


def test_a_session_of_ours_goes_on_where_another_program_left_it(tmp_path: Path) -> None:
    """Aelix and pi-python store a leaf when a person goes elsewhere in the tree, pi stores nothing then."""
    path = tmp_path / "s.jsonl"
    stamp = "2026-11-30T12:00:00.000Z"
    entries = [
        {"type": "custom", "customType": "t", "id": "a", "parentId": None, "timestamp": stamp},
        {"type": "custom", "customType": "t", "id": "b", "parentId": "a", "timestamp": stamp},
        {"type": "leaf", "id": "c", "parentId": "b", "timestamp": stamp, "targetId": "a"},
    ]
    lines = "".join(json.dumps(entry) + "\n" for entry in entries)
    path.write_text(header(todoContext={"v": 1}) + lines, encoding="utf-8")

    with Session.open(path) as session:
        new = session.append_custom("t", {})
        assert [entry["id"] for entry in session.branch()] == ["a", new]
    assert [entry["id"] for entry in read_branch(path)] == ["a", new]


@pytest.mark.parametrize("reader", [Session.open, read_branch])
@pytest.mark.parametrize(
    ("name", "reason"), [("missing.jsonl", "No such file or directory"), ("folder", "Is a directory")]
)
def test_what_cannot_be_read_is_named_with_its_reason(tmp_path: Path, reader: object, name: str, reason: str) -> None:
    (tmp_path / "folder").mkdir()
    assert callable(reader)

    with pytest.raises(SessionError, match=rf"{name}: cannot be read \({reason}\)\. Check the path\."):
        reader(tmp_path / name)


def test_an_empty_file_has_no_branch_to_show(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").touch()

    with pytest.raises(SessionError, match="no session file, it is empty"):
        read_branch(tmp_path / "s.jsonl")


@pytest.mark.parametrize("ours", [{"v": 2}, {}, 7, {"v": "\x1b[31m" + "x" * 999}])
def test_a_session_of_another_version_of_ours_is_only_read(tmp_path: Path, ours: object) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(header(todoContext=ours), encoding="utf-8")

    with pytest.raises(SessionError, match=r"of another version began this session .*todo-context show") as caught:
        Session.open(path)
    assert len(caught.value.fact) < 200
    assert read_branch(path) == ()


def test_a_session_of_ours_stays_ours_behind_a_title_line_of_omp(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"type":"title","v":1}\n' + header(todoContext={"v": 1}), encoding="utf-8")

    with Session.open(path) as session:
        entry_id = session.append_custom("t", {})
    assert [entry["id"] for entry in read_branch(path)] == [entry_id]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_what_is_no_regular_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    for path in (tmp_path / "pipe", Path(os.devnull)):
        with pytest.raises(SessionError, match="is no regular file"):
            Session.open(path)
        with pytest.raises(SessionError, match="is no regular file"):
            read_branch(path)


def test_a_file_put_in_the_place_of_another_is_noticed_also_if_it_is_as_long(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "s.jsonl", "/w")
    session.append_custom("x", {"a": 1})
    other = tmp_path / "other"
    other.write_bytes((tmp_path / "s.jsonl").read_bytes())
    other.replace(tmp_path / "s.jsonl")

    with pytest.raises(SessionError, match="another file in its place"):
        session.append_custom("x", {"a": 2})
