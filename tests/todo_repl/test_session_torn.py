"""A session file that ends in the middle of a line: nothing whole is lost, and nothing is glued to the rest."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from todo_repl import session_store, session_tail
from todo_repl.session import Session, SessionError, newest_session, read_branch, session_folder
from todo_repl.session_format import parse

CWD = "/home/user/project"
TEXTS = ("Grüße", "日本 🎉", "a\nb \u2028")


def noon() -> datetime:
    return datetime(2026, 11, 30, 12, tzinfo=UTC)


def session_of(path: Path, texts: tuple[str, ...] = TEXTS) -> bytes:
    with Session.create(path, CWD, now=noon) as session:
        for text in texts:
            session.append_custom("t", {"text": text})
    return path.read_bytes()


def texts_in(path: Path) -> list[object]:
    return [entry["data"]["text"] for entry in read_branch(path) if isinstance(entry["data"], dict)]


def whole_texts(content: bytes) -> list[object]:
    entries = [parse(line) for line in content.split(b"\n")[1:]]
    return [entry["data"]["text"] for entry in entries if entry and isinstance(entry["data"], dict)]


@pytest.mark.parametrize("block_bytes", [session_tail.BLOCK_BYTES, 50], ids=["read whole", "read from the end"])
def test_cut_at_every_byte_no_whole_record_is_lost_and_the_next_one_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    monkeypatch.setattr(session_tail, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(session_store, "BLOCK_BYTES", block_bytes)
    content = session_of(tmp_path / "whole.jsonl")
    for cut in range(len(content) + 1):
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(content[:cut])
        os.utime(path, (0, 0))  # Else it might be a line that somebody is writing.
        with Session.open(path, cwd=CWD) as session:
            session.append_custom("t", {"text": "new"})
            assert session.cwd == CWD

        assert texts_in(path) == [*whole_texts(content[:cut]), "new"], f"cut at byte {cut}"
        assert all(parse(line) for line in path.read_bytes().rstrip(b"\n").split(b"\n"))
        with Session.open(path) as again:
            assert again.notices == ()
            assert again.entries() == session.entries() == again.branch()


def test_the_torn_bytes_are_kept_beside_the_file_and_named(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    content = session_of(path)
    path.write_bytes(content[:-9])
    with Session.open(path) as session:
        aside = tmp_path / "s.jsonl.torn"

        torn = content[content[:-1].rfind(b"\n") + 1 : -9]
        assert aside.read_bytes() == torn
        assert aside.stat().st_mode & 0o777 == 0o600
        assert path.read_bytes() + torn == content[:-9]
        assert session.notices == (
            f"s.jsonl: the last line was torn ({len(torn)} bytes, no whole record); moved to {aside}",
        )


def test_torn_bytes_never_replace_earlier_ones(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    session_of(path)
    for torn in (b"{1", b"{2", b"{3"):
        path.write_bytes(path.read_bytes() + torn)
        Session.open(path).close()

    kept = {aside.name: aside.read_bytes() for aside in tmp_path.glob("*.torn*")}
    assert kept == {"s.jsonl.torn": b"{1", "s.jsonl.torn-2": b"{2", "s.jsonl.torn-3": b"{3"}


def test_a_whole_record_without_its_line_feed_gets_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    content = session_of(path)
    path.write_bytes(content[:-1])
    with Session.open(path) as session:
        assert path.read_bytes() == content
        assert session.notices == ()

    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("tail", [b"3", b'"text"', b"[{}]", b"\0\0\0", b"   "])
def test_a_last_line_that_is_no_object_is_torn(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "s.jsonl"
    content = session_of(path)
    path.write_bytes(content + tail)
    Session.open(path).close()

    assert path.read_bytes() == content
    assert (tmp_path / "s.jsonl.torn").read_bytes() == tail


@pytest.mark.parametrize(
    "head", [b"{", b'{"type":"ses', b'{"type":"session"', b'{"type":"session","version":3,"id":"0']
)
def test_a_file_that_ends_inside_its_header_begins_anew(tmp_path: Path, head: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(head)
    with Session.open(path, cwd=CWD) as session:
        assert (session.entries(), session.leaf_id, session.cwd) == ((), None, CWD)
        assert len(session.notices) == 1
        session.append_custom("t", {"text": "new"})

    assert texts_in(path) == ["new"]
    assert (tmp_path / "s.jsonl.torn").read_bytes() == head


@pytest.mark.parametrize("head", [b"{]", b'{"type": "session"', b"# notes", b'{"type":"title","v"', b"\n", b"[]"])
def test_a_torn_line_of_another_kind_is_not_touched(tmp_path: Path, head: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(head)

    with pytest.raises(SessionError, match="no session file"):
        Session.open(path)
    assert path.read_bytes() == head
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_file_is_a_new_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.jsonl"
    path.touch()
    monkeypatch.chdir(tmp_path)
    with Session.open(path) as session:
        assert (session.cwd, session.notices) == (str(tmp_path), ())
        session.append_custom("t", {"text": "new"})

    assert texts_in(path) == ["new"]


def test_reading_passes_over_a_torn_line_and_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    torn = session_of(path)[:-9]
    path.write_bytes(torn)

    assert texts_in(path) == list(TEXTS[:-1])
    assert path.read_bytes() == torn
    assert list(tmp_path.iterdir()) == [path]


def test_a_session_torn_inside_its_header_is_not_the_newest(tmp_path: Path) -> None:
    folder = session_folder(CWD, root=tmp_path)
    session_of(folder / "old.jsonl")
    (folder / "torn.jsonl").write_bytes(b'{"type":"session","version":3')

    assert newest_session(CWD, root=tmp_path) == folder / "old.jsonl"
