"""A session read from its end comes to what reading all of it comes to, and reads no more than it must."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.todo_repl.eager import read_eagerly
from tests.todo_repl.stage import Stage
from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_context.plan.replay import history, latest
from todo_repl import session_records, session_store, session_tail
from todo_repl.offline import OfflinePlanner
from todo_repl.runtime import Runtime
from todo_repl.session import Session, SessionError, read_branch
from todo_repl.session_branch import since_compaction
from todo_repl.session_format import header_line, parse
from todo_repl.ui.app.status import Status

STAMP = "2026-11-30T12:00:00.000Z"
HEADER = header_line("01900000-0000-7000-8000-000000000001", "/home/user/project", STAMP)
TITLE = b'{"type":"title","v":1,"title":"x","pad":"   "}\n'
IDS = ("a", "b", "c", "d", "e", "f", "g", "h")


def dumped(entry: dict[str, object], *, spaces: bool = False) -> bytes:
    return json.dumps(entry, ensure_ascii=False, separators=(", ", ": ") if spaces else (",", ":")).encode()


def plan(seq: int) -> dict[str, object]:
    phases = [{"name": "A", "tasks": [{"content": f"t{seq}", "status": "pending"}]}]
    return {"customType": "todo_write", "data": {"v": 1, "seq": seq, "phases": phases, "by": "user", "action": "x"}}


@st.composite
def stored_lines(draw: st.DrawFn) -> bytes:
    """An entry with any parent, in one of the spellings that programs have; or something that is none."""
    entry_id = draw(st.sampled_from(IDS))
    parent = draw(st.sampled_from([*IDS, None, None, 7, "nowhere"]))
    head: dict[str, object] = {"id": entry_id, "parentId": parent, "timestamp": STAMP}
    body: dict[str, object] = draw(
        st.sampled_from([
            {"message": {"role": "user", "content": [{"type": "text", "text": 'grüß\u2028 "id":"a"'}]}},
            {"message": {"role": "user", "content": "x" * 300}},
            plan(draw(st.integers(1, 9))),
            {"customType": "other", "data": {"id": "b", "parentId": "c"}},
            {"firstKeptEntryId": draw(st.sampled_from([*IDS, "", "nowhere"])), "summary": "s"},
            {"targetId": draw(st.sampled_from([*IDS, None, "nowhere", 5]))},
            {"name": "n"},
        ])
    )  # fmt: skip
    types = {"message": "message", "customType": "custom", "firstKeptEntryId": "compaction", "targetId": "leaf"}
    kind = draw(st.sampled_from([types.get(next(iter(body)), "session_info"), "from_tomorrow"]))
    match draw(st.integers(0, 9)):
        case 0:  # pi's extensions: the id comes last
            line = dumped({"type": kind, **body, **head})
        case 1:
            line = dumped({**head, "type": kind, **body}, spaces=True)
        case 2:
            line = dumped({"type": kind, **head, **body}).replace(
                f'"{entry_id}"'.encode(), f'"\\u{ord(entry_id):04x}"'.encode()
            )
        case 3:  # torn, and glued to what came next
            whole = dumped({"type": kind, **head, **body})
            line = whole[: draw(st.integers(1, len(whole) - 1))] + whole
        case 4:
            line = draw(
                st.sampled_from([b"", b"  ", b"{", b"[1]", b"null", b"\xff\xfe", b'{"type":"custom"}', HEADER.strip()])
            )
        case _:
            line = dumped({"type": kind, **head, **body})
    return line + draw(st.sampled_from([b"\n", b"\n", b"\r\n", b"\n\n"]))


def looks(session: Session) -> list[object]:
    """What can be asked of a session, each with its name."""
    return [
        ("leaf", session.leaf_id),
        ("branch", tuple(session.branch())),
        ("back", tuple(reversed(session.branch()))),
        ("plan", latest(session.branch())),
        ("context", tuple(since_compaction(session.branch()))),
        ("entries", tuple(session.entries())),
        ("history", history(session.branch())),
        ("name", session.name),
    ]


ASKED: Sequence[Callable[[Session], object]] = (
    lambda session: latest(session.branch()),
    lambda session: since_compaction(session.branch()),
    lambda session: session.branch()[-1:],
    lambda session: bool(session.branch()),
    lambda session: session.entries(),
    lambda session: session.entry("c"),
    lambda session: session.name,
)


@given(
    st.lists(stored_lines(), max_size=12),
    st.sampled_from([HEADER, TITLE + HEADER, b"\n" + HEADER, HEADER.replace(b"\n", b"\r\n")]),
    st.sampled_from([1, 7, 64, 1000, 1 << 20]),
    st.lists(st.sampled_from(ASKED), max_size=3),
)
def test_reading_from_the_end_finds_what_reading_all_of_it_finds(
    tmp_path_factory: pytest.TempPathFactory,
    stored: list[bytes],
    head: bytes,
    block_bytes: int,
    asked: list[Callable[[Session], object]],
) -> None:
    path = tmp_path_factory.getbasetemp() / "lazy.jsonl"
    content = head + b"".join(stored)
    path.write_bytes(content)
    log = read_eagerly(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session_tail, "BLOCK_BYTES", block_bytes)
        patch.setattr(session_store, "BLOCK_BYTES", block_bytes)
        with Session.open(path) as session:
            for ask in asked:
                ask(session)
            found = looks(session)
            told = [notice for notice in session.notices if "skipped" in notice]

    branch = log.branch()
    infos = [entry for entry in log.entries if entry.get("type") == "session_info"]
    assert found == [
        ("leaf", log.leaf_id),
        ("branch", branch),
        ("back", branch[::-1]),
        ("plan", latest(branch)),
        ("context", tuple(since_compaction(branch))),
        ("entries", log.entries),
        ("history", history(branch)),
        ("name", infos[-1].get("name", "") if infos else ""),
    ]
    assert told == [f"lazy.jsonl: {notice}" for notice in log.notices]
    assert tuple(read_branch(path)) == branch
    assert path.read_bytes() == content


def long_file(
    path: Path, count: int, *, tail: int = 200, plan_at: int = 100, filler: str = "lorem ipsum " * 70
) -> Path:
    """A session of so many entries, about 900 bytes each, with a compaction `tail` and a plan `plan_at` before its end."""
    with path.open("wb") as file:
        file.write(HEADER)
        for n in range(count):
            left = count - n
            head: dict[str, object] = {"id": f"{n:08x}", "parentId": f"{n - 1:08x}" if n else None, "timestamp": STAMP}
            if left == tail:
                kept = f"{n - 20:08x}"
                line = dumped({"type": "compaction", **head, "summary": "s", "firstKeptEntryId": kept})
            elif left == plan_at:
                line = dumped({"type": "custom", **head, **plan(n)})
            else:
                role = "assistant" if n % 2 else "user"
                line = dumped({"type": "message", **head, "message": {"role": role, "content": filler}})
            file.write(line + b"\n")
    return path


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The lines of entries that were parsed."""
    counted: list[bytes] = []

    def parse_counted(line: bytes) -> dict[str, Json] | None:
        counted.append(line)
        return parse(line)

    monkeypatch.setattr(session_records, "parse", parse_counted)
    return counted


def opened_for_a_request(path: Path) -> Sequence[Entry]:
    """What a run begins with: the session, its plan, the entries of the request; and one more entry."""
    with Session.open(path) as session:
        assert latest(session.branch()).plan.phases
        context = since_compaction(session.branch())
        session.append_custom("t", {})
        assert session.notices == ()
    return context


@pytest.mark.slow
def test_a_hundred_times_as_long_a_session_reads_no_more(
    tmp_path: Path, bytes_read: list[int], parsed: list[bytes]
) -> None:
    counts: list[tuple[int, int, int]] = []
    for number in (1_000, 100_000):
        path = long_file(tmp_path / f"{number}.jsonl", number)
        bytes_read.clear()
        parsed.clear()
        context = opened_for_a_request(path)
        counts.append((sum(bytes_read), len(parsed), len(context)))
    short, long = counts

    assert (tmp_path / "100000.jsonl").stat().st_size > 85_000_000
    assert short[2] == long[2] == 220
    assert long[0] <= short[0] < 900_000
    assert long[1] == short[1] < 260


def test_what_stands_before_a_compaction_is_not_parsed_for_the_plan_after_it(
    tmp_path: Path, parsed: list[bytes]
) -> None:
    path = long_file(tmp_path / "s.jsonl", 3_000)
    with Session.open(path) as session:
        assert len(parsed) == 1
        latest(session.branch())
        assert len(parsed) == 100
        since_compaction(session.branch())
        assert len(parsed) == 220
        assert session.entry(f"{500:08x}") is not None
        assert len(parsed) == 221

        assert len(session.branch()) == 3_000
        assert len(parsed) == 3_000
        assert len(session.entries()) == 3_000
        assert len(parsed) == 3_000


def entry_of(entry_id: str, kind: str = "message", **fields: Json) -> Entry:
    return {"type": kind, "id": entry_id, **fields}


@pytest.mark.parametrize(
    ("kept", "context"),
    [
        pytest.param("b", "b c C d", id="from what it kept"),
        pytest.param("a", "a b c C d", id="all of it"),
        pytest.param("nowhere", "C d", id="what it kept is not there"),
        pytest.param("", "C d", id="it kept nothing"),
        pytest.param(None, "C d", id="it does not say"),
        pytest.param("C", "C d", id="itself"),
        pytest.param("d", "C d", id="what came later"),
    ],
)
def test_a_request_begins_with_what_the_newest_compaction_kept(kept: str | None, context: str) -> None:
    older = entry_of("O", "compaction", firstKeptEntryId="a")
    newest = entry_of("C", "compaction", firstKeptEntryId=kept)
    branch = [entry_of("a"), entry_of("b"), entry_of("c"), newest, entry_of("d")]

    assert " ".join(str(entry["id"]) for entry in since_compaction(branch)) == context
    if kept != "a":
        assert since_compaction([branch[0], older, *branch[1:]]) == since_compaction(branch)
    assert since_compaction(branch[:3]) == branch[:3]


def test_a_name_is_looked_for_without_parsing_all(tmp_path: Path, parsed: list[bytes]) -> None:
    with Session.open(long_file(tmp_path / "s.jsonl", 3_000)) as session:
        assert session.name == ""
    assert len(parsed) == 1


def test_the_screen_of_a_long_session_without_a_name_reads_no_more_than_a_request(
    tmp_path: Path, bytes_read: list[int]
) -> None:
    path = long_file(tmp_path / "s.jsonl", 3_000)
    with Session.open(path) as session:
        runtime = Runtime(session=session, model=OfflinePlanner(), front=Stage(), system_prompt="", max_rounds=1)
        Status(runtime).refresh()

    assert sum(bytes_read) < 900_000 < path.stat().st_size


def test_a_read_that_fails_once_makes_nothing_of_a_session_vanish(tmp_path: Path) -> None:
    """Another program writes the same file in place, and somebody looks in the middle of that."""
    path = long_file(tmp_path / "s.jsonl", 3_000, plan_at=2_900)
    content = path.read_bytes()
    with Session.open(path) as session:
        os.truncate(path, 3_000)
        for _ in range(2):
            with pytest.raises(SessionError, match="cut it short"):
                latest(session.branch())
        with path.open("r+b") as file:
            file.write(content)

        assert latest(session.branch()).plan.phases
        assert len(session.entries()) == 3_000
        with session.fork(tmp_path / "fork.jsonl") as fork:
            assert len(fork.entries()) == 3_000


def test_a_plan_far_before_the_compaction_is_found(tmp_path: Path) -> None:
    path = long_file(tmp_path / "s.jsonl", 3_000, plan_at=2_900)
    with Session.open(path) as session:
        assert latest(session.branch()).seq == 100
        assert history(session.branch()).seq == 100


def test_a_fault_far_from_the_end_is_told_when_it_is_read(tmp_path: Path) -> None:
    path = long_file(tmp_path / "s.jsonl", 3_000)
    lines = path.read_bytes().split(b"\n")
    lines[10:10] = [b"{torn"]
    lines[-5:-5] = [b"{torn too"]
    path.write_bytes(b"\n".join(lines))
    with Session.open(path) as session:
        latest(session.branch())
        assert list(session.notices) == ["s.jsonl: line 5 from the end: no JSON object, skipped"]
        session.entries()
        assert list(session.notices) == [
            "s.jsonl: line 11: no JSON object, skipped",
            "s.jsonl: line 2999: no JSON object, skipped",
        ]


def test_ids_in_a_session_that_was_not_read_whole_are_longer(tmp_path: Path) -> None:
    with Session.open(long_file(tmp_path / "s.jsonl", 1_000)) as session:
        assert len(session.append_custom("t", {})) == 16
        session.entries()
        assert len(session.append_custom("t", {})) == 8


def test_a_long_session_is_read_on_after_it_was_closed_and_its_file_was_removed(tmp_path: Path) -> None:
    path = long_file(tmp_path / "s.jsonl", 1_000)
    with Session.open(path) as session:
        path.unlink()
    assert len(session.branch()) == 1_000


def test_a_line_longer_than_many_blocks_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with Session.create(path, "/w") as session:
        session.append_custom("t", {"text": "ö" * 3_000_000})
        session.append_custom("t", {"text": "end"})
    with Session.open(path) as again:
        assert again.entries() == session.entries()


def test_what_a_branch_answers_to_is_what_a_tuple_answers(tmp_path: Path) -> None:
    path = long_file(tmp_path / "s.jsonl", 600)
    for count in (0, 1, 3):
        with Session.open(path) as session:
            for _ in range(count):
                session.append_custom("t", {})
            for at in (0, 5, -1, -2, -4, 599, -600):
                assert session.branch()[at] == tuple(session.branch())[at]
            whole = tuple(session.branch())
            assert (session.branch()[-3:], session.branch()[2:9:3]) == (whole[-3:], whole[2:9:3])
            for at in (len(whole), -len(whole) - 1):
                with pytest.raises(IndexError):
                    session.branch()[at]
