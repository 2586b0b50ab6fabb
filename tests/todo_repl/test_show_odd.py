"""What no program should write and disks still hold: read as far as it goes, told in a line, never a crash."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from todo_context.plan.markdown import to_markdown
from todo_context.plan.replay import plan_of
from todo_repl import foreign
from todo_repl.cli import main
from todo_repl.foreign import Reading, read
from todo_repl.session_format import ANY_SESSION, Refused
from todo_repl.session_read import MAX_FILE_BYTES

HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-11-30T12:00:00.000Z","cwd":"/home/user/project"}\n'


def planned(entry_id: str, parent: str | None, task: str = "x", **more: object) -> str:
    """An entry with a plan of one task, as a line."""
    phases = [{"name": "P", "tasks": [{"content": task, "status": "pending", **more}]}]
    entry = {"type": "custom", "customType": "todo_write", "id": entry_id, "parentId": parent}
    return json.dumps({**entry, "data": {"phases": phases}}) + "\n"


def reading(content: str | bytes) -> Reading:
    found = read(content if isinstance(content, bytes) else content.encode())
    assert isinstance(found, Reading), found
    return found


def ids(content: str | bytes) -> str:
    return " ".join(str(entry["id"]) for entry in reading(content).branch)


TWO = HEADER + planned("a", None) + planned("b", "a")


@pytest.mark.parametrize(
    ("content", "branch"),
    [
        pytest.param(TWO, "a b", id="as it should be"),
        pytest.param(TWO.replace("\n", "\r\n"), "a b", id="CR LF"),
        pytest.param("\ufeff" + TWO, "a b", id="a byte order mark"),
        pytest.param("\n \n" + TWO.replace("\n", "\n\n"), "a b", id="blank lines"),
        pytest.param(TWO.removesuffix("\n"), "a b", id="no line feed at the end"),
        pytest.param(TWO.replace('":', '" :  '), "a b", id="spaces"),
        pytest.param('{"type":"title","v":1}\n' + TWO, "a b", id="a title line"),
        pytest.param('{"type":"title","v":1}\n' * 2 + TWO, "a b", id="two title lines"),
        pytest.param(TWO + planned("a", None, "again"), "a", id="of two with one id the last"),
        pytest.param(TWO + planned("c", "gone") + planned("d", "c"), "c d", id="cut where the parent is missing"),
        pytest.param(HEADER + planned("a", "b") + planned("b", "a"), "a b", id="a circle"),
        pytest.param(HEADER + planned("a", "a"), "a", id="its own parent"),
        pytest.param(TWO + '{"type":"leaf","id":"c","parentId":"b","targetId":"a"}\n', "a", id="a leaf"),
        pytest.param(TWO + '{"type":"leaf","id":"c","parentId":"b","targetId":null}\n', "", id="a leaf at the root"),
        pytest.param(TWO + '{"type":"leaf","id":"c","parentId":"b","targetId":"x"}\n', "a b c", id="a leaf nowhere"),
        pytest.param(TWO + '{"type":"label","id":"c","parentId":"b","targetId":"a"}\n', "a b c", id="a label"),
        pytest.param(
            TWO + '{"type":"compaction","id":"c","parentId":"b","firstKeptEntryId":"b"}\n', "a b c", id="a compaction"
        ),
        pytest.param(TWO + '{"id":"c","parentId":"b"}\n', "a b c", id="no type"),
        pytest.param(TWO + '{"type":"message","id":"c","parentId":"b","message":[]}\n', "a b c", id="no message"),
        pytest.param(HEADER, "", id="nothing yet"),
    ],
)
def test_its_branch_is_the_one_of_pi(content: str, branch: str) -> None:
    assert ids(content) == branch


@pytest.mark.parametrize(
    ("line", "notice"),
    [
        pytest.param("garbage", "no JSON object", id="garbage"),
        pytest.param("[1]", "no JSON object", id="no object"),
        pytest.param("\0" * 4096, "no JSON object", id="NULs after a crash"),
        pytest.param("[" * 100_000, "no JSON object", id="nested too deeply"),
        pytest.param('{"x":' + "9" * 5000 + "}", "no JSON object", id="a number too long"),
        pytest.param('{"type":"custom","customType":"todo_write"}', "an entry without an id", id="no id"),
        pytest.param(HEADER.strip(), "a second header", id="a second header"),
    ],
)
def test_a_line_that_is_no_entry_is_passed_over_and_told(line: str, notice: str) -> None:
    found = reading(HEADER + planned("a", None) + line + "\n" + planned("b", "a"))

    assert [entry["id"] for entry in found.branch] == ["a", "b"]
    assert found.notices == (f"line 3: {notice}, skipped",)


def test_a_torn_last_line_is_passed_over_and_told() -> None:
    found = reading(TWO[:-9])

    assert [entry["id"] for entry in found.branch] == ["a"]
    assert found.notices == ("line 3: no JSON object, skipped",)


def test_garbage_before_the_header_is_passed_over_as_in_pi() -> None:
    assert reading("torn\n" + TWO).notices == ("line 1: no JSON object, skipped",)


def test_a_branch_that_is_cut_is_told() -> None:
    assert reading(HEADER + planned("c", "gone")).notices == (
        "what came before entry c cannot be found; the branch begins there",
    )


def test_many_lines_passed_over_do_not_bury_the_rest() -> None:
    notices = reading(HEADER + "x\n" * 1000 + planned("a", "gone")).notices

    assert len(notices) == foreign.NOTICES_SHOWN + 2
    assert notices[-2] == "… and 995 more lines, skipped"


def test_a_line_that_is_too_long_is_not_even_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "MAX_LINE_BYTES", 1_999_999)
    long = planned("b", "a", "x" * 2_000_000)

    found = reading(HEADER + planned("a", None) + long + planned("c", "a"))

    assert found.notices == ("line 3: 2 MB long, skipped",)
    assert isinstance(read(long.encode()), Refused)


def test_a_file_that_is_too_long_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (tmp_path / "s.jsonl").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1_000_000)  # which takes no room on the disk

    assert main(["show", str(tmp_path / "s.jsonl")]) == 1
    assert "is 537 MB long; at most 536 MB are looked at. Name another one." in capsys.readouterr().err


@pytest.mark.parametrize("more", [{"x": json.loads("[" * 900 + "]" * 900)}, {"notes": ["\ud83d"]}, {"x": float("nan")}])
def test_an_odd_value_in_a_plan_can_still_be_shown(
    more: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.jsonl").write_text(HEADER + planned("a", None, **more))

    for arguments in ([], ["--json"]):
        assert main(["show", str(tmp_path / "s.jsonl"), *arguments]) == 0
    assert "x" in capsys.readouterr().out


def test_sequences_in_names_never_reach_the_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[2J\x1b]52;c;aGFja2Vk\x07\u202e"
    path = tmp_path / f"{hostile}s.jsonl"
    path.write_text(
        HEADER
        + planned(f"{hostile}a", f"{hostile}gone", f"{hostile}task")
        + json.dumps({"type": "custom", "customType": "todo_write", "id": f"{hostile}b", "parentId": f"{hostile}a"})
    )
    (tmp_path / f"{hostile}t.jsonl").write_text(f"{hostile}text")

    main(["show", str(path)])
    main(["show", str(path), "--json"])
    main(["show", str(tmp_path / f"{hostile}t.jsonl")])
    main(["show", str(tmp_path)])
    out, err = capsys.readouterr()
    assert not set(out + err) & set("\x1b\x07\u202e")
    assert "task" in out
    assert "entry a cannot be found" in err


def test_in_version_1_a_compaction_names_the_entry_that_it_kept() -> None:
    lines = [
        '{"type":"session","id":"s"}',
        '{"type":"a"}',
        '{"type":"compaction","firstKeptEntryIndex":1}',
        '{"type":"b"}',
    ]
    a, compaction, b = reading("\n".join(lines)).branch

    assert compaction == {"type": "compaction", "id": "00000003", "parentId": a["id"], "firstKeptEntryId": a["id"]}
    assert b["parentId"] == compaction["id"]


@pytest.mark.parametrize(("version", "role"), [(1, "custom"), (2, "custom"), (3, "hookMessage")])
def test_a_hook_message_is_a_custom_one_since_version_3(version: int, role: str) -> None:
    header = HEADER.replace('"version":3', f'"version":{version}')
    (entry,) = reading(header + '{"type":"message","id":"a","message":{"role":"hookMessage"}}').branch

    assert entry["message"] == {"role": role}


def test_a_flat_list_that_omp_cleared_is_an_empty_plan() -> None:
    message = {"role": "toolResult", "toolName": "todo_write", "toolCallId": "c", "details": {"todos": []}}
    entry = {"type": "message", "id": "b", "parentId": "a", "message": message}

    assert to_markdown(plan_of(reading(HEADER + planned("a", None) + json.dumps(entry)).branch)) == ""


def test_the_list_of_another_tool_that_is_called_todo_is_no_plan() -> None:
    details = {"action": "list", "todos": [], "nextId": 1}
    message = {"role": "toolResult", "toolName": "todo", "toolCallId": "c", "details": details}
    entry = {"type": "message", "id": "b", "parentId": "a", "message": message}

    assert plan_of(reading(HEADER + planned("a", None) + json.dumps(entry)).branch).phases


def sqlite(path: Path) -> bytes:
    with sqlite3.connect(path) as database:
        database.execute("create table t (a)")
    database.close()
    return path.read_bytes()


CLAUDE: dict[str, object] = {
    "parentUuid": None,
    "isSidechain": False,
    "sessionId": "s",
    "type": "user",
    "uuid": "u",
    "message": {},
}


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        pytest.param(b"# Notes\nmore\n", 'no session file, it starts with "# Notes".', id="text"),
        pytest.param(b"", "no session file, it is empty.", id="empty"),
        pytest.param(b" \n\n", "no session file, it is empty.", id="blank"),
        pytest.param(b'{"a":1}\n{"a":2}\n', 'no session file, it starts with "{"a":1}".', id="other JSON lines"),
        pytest.param(b'{\n  "a": 1\n}\n', 'no session file, it starts with "{".', id="a JSON document"),
        pytest.param(json.dumps(CLAUDE).encode(), "no session file, it is a transcript of Claude Code.", id="Claude"),
        pytest.param(
            b'{"type":"summary","summary":"s","leafUuid":"u"}',
            "no session file, it is a transcript of Claude Code.",
            id="Claude, summed up",
        ),
        pytest.param(
            b'{"timestamp":"t","type":"session_meta","payload":{}}',
            "no session file, it is a session of Codex.",
            id="Codex",
        ),
        pytest.param(
            planned("a", None).encode(),
            "no session file, it is entries of a session without its header.",
            id="no header",
        ),
        pytest.param(
            b'{"role":"user","content":"hi"}',
            "no session file, it is a conversation without the entries of a session.",
            id="messages",
        ),
        pytest.param(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "no session file, it is a binary file.", id="binary"),
        pytest.param(b"\x1f\x8b\x08", "no session file, it is a gzip file.", id="gzip"),
        pytest.param(TWO.encode("utf-16"), "no session file, it is UTF-16 text, and a session is UTF-8.", id="UTF-16"),
        pytest.param(b"\xff\xd8\xff", 'no session file, it starts with "\ufffd\ufffd\ufffd".', id="no UTF-8"),
    ],
)
def test_what_is_no_session_is_said_in_a_line(
    content: bytes, fact: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)

    for arguments in ([], ["--json"]):
        assert main(["show", str(path), *arguments]) == 1
        assert capsys.readouterr() == ("", f"todo-context: {path}: {fact} {ANY_SESSION}\n")
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_is_no_session(tmp_path: Path) -> None:
    assert read(sqlite(tmp_path / "x.db")) == Refused("no session file, it is an SQLite database.", ANY_SESSION)
