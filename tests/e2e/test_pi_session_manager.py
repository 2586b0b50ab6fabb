"""A session of ours in real pi's SessionManager, and back."""

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from todo_context.plan.model import Json
from todo_repl.session import Session, SessionMovedError, read_branch
from todo_repl.session_fork import fork_file

# Read on import: inside a test the variables of whoever runs it are gone.
CACHE = Path(os.environ.get("TODO_CONTEXT_E2E_CACHE") or Path(__file__).parents[2] / ".cache" / "e2e")
PI = CACHE / "pi" / "node_modules" / "@earendil-works" / "pi-coding-agent" / "dist" / "index.js"
NODE = shutil.which("node")

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not PI.is_file(), reason="real pi is not in the cache: make e2e fetches it"),
    pytest.mark.skipif(NODE is None, reason="node is not on the PATH"),
]

READ = """
const session = SessionManager.open(process.argv[1]);
console.log(JSON.stringify({
  id: session.getSessionId(), cwd: session.getCwd(), leaf: session.getLeafId(), branch: session.getBranch(),
  name: session.getSessionName(), parent: session.getHeader().parentSession,
  entries: session.getEntries(), roles: session.buildSessionContext().messages.map((message) => message.role),
}));
"""

GO_ON = """
const session = SessionManager.open(process.argv[1]);
const entry = session.appendCustomEntry("todo_write", { v: 1, seq: 3, text: "half \\ud83d" });
console.log(JSON.stringify({ entry }));
"""

PI_FORK = """
const session = SessionManager.open(process.argv[1]);
console.log(JSON.stringify({ file: session.createBranchedSession(session.getLeafId()) }));
"""

USAGE: dict[str, Json] = {
    "input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2,
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
}  # fmt: skip
CALL: dict[str, Json] = {"type": "toolCall", "id": "call_1", "name": "todo_write", "arguments": {}}


def pi(code: str, path: Path) -> dict[str, Json]:
    """The JSON that a script prints in which pi's SessionManager is at hand."""
    script = f"import {{ SessionManager }} from {json.dumps(PI.as_uri())};\n{code}"
    done = subprocess.run(
        [NODE or "node", "--input-type=module", "-e", script, str(path)],
        env={**os.environ, "PI_OFFLINE": "1", "PI_CODING_AGENT_DIR": str(Path.home() / "pi")},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Json] = json.loads(done.stdout)
    return answer


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A conversation with two plans, closed."""
    path = tmp_path / "s.jsonl"
    with Session.create(path, "/home/user/project", now=lambda: datetime(2026, 11, 30, 12, tzinfo=UTC)) as session:
        text: dict[str, Json] = {"type": "text", "text": "Plan it: Grüße \u2028 日本"}
        session.append_message({"role": "user", "content": [text], "timestamp": 1796040000000})
        session.append_message({
            "role": "assistant", "content": [CALL], "api": "openai-completions", "provider": "scripted",
            "model": "scripted-model", "usage": USAGE, "stopReason": "toolUse", "timestamp": 1796040000000,
        })  # fmt: skip
        phases: Json = [{"name": "Grüße", "tasks": [{"content": "日本 \u2028 🎉", "status": "in_progress"}]}]
        session.append_custom("todo_write", {"v": 1, "seq": 1, "phases": phases, "by": "model", "action": "init"})
        session.append_message({
            "role": "toolResult", "toolCallId": "call_1", "toolName": "todo_write", "details": {"seq": 1},
            "content": [{"type": "text", "text": "Applied."}], "isError": False, "timestamp": 1796040000000,
        })  # fmt: skip
        session.append_custom("todo_write", {"v": 1, "seq": 2, "phases": [], "by": "user", "action": "rm"})
        session.append_custom_message("todo_notice", "The plan was edited.", display=True)
    return session


def file_of(session: Session) -> Path:
    assert session.path is not None
    return session.path


def test_pi_sees_the_session_as_it_was_stored(session: Session) -> None:
    before = file_of(session).read_bytes()
    seen = pi(READ, file_of(session))

    assert (seen["id"], seen["cwd"], seen["leaf"]) == (session.id, session.cwd, session.leaf_id)
    assert seen["branch"] == list(session.branch())
    assert seen["entries"] == list(session.entries())
    assert seen["roles"] == ["user", "assistant", "toolResult", "custom"]
    assert file_of(session).read_bytes() == before


def test_a_session_that_pi_went_on_with_is_still_ours(session: Session) -> None:
    entry = pi(GO_ON, file_of(session))["entry"]

    with Session.open(file_of(session)) as again:
        assert (again.notices, again.leaf_id) == ((), entry)
        assert again.branch()[:-1] == session.branch()
        assert again.branch()[-1]["data"] == {"v": 1, "seq": 3, "text": "half \ufffd"}
        new = again.append_custom("todo_write", {"v": 1, "seq": 4})

    seen = pi(READ, file_of(session))
    assert seen["leaf"] == new
    assert [item["id"] for item in read_branch(file_of(session))] == [
        item["id"] for item in as_list(seen["branch"]) if isinstance(item, dict)
    ]


def test_pi_sees_where_a_person_went_in_the_tree(session: Session) -> None:
    target = str(session.entries()[2]["id"])
    with Session.open(file_of(session)) as again:
        again.rename("The plan")
        for place in (None, target):
            again.move_to(place)
            seen = pi(READ, file_of(session))

            assert seen["leaf"] == again.leaf_id
            assert seen["branch"] == list(again.branch())
            assert seen["entries"] == list(again.entries())
            assert seen["name"] == again.name == "The plan"
        entry = pi(GO_ON, file_of(session))["entry"]
        with pytest.raises(SessionMovedError):
            again.look()
        again.go_on_there()
        assert [item["id"] for item in again.branch()][-3:] == [target, again.branch()[-2]["id"], entry]


def test_pi_goes_on_with_a_fork(session: Session, tmp_path: Path) -> None:
    with Session.open(file_of(session)) as again, again.fork(tmp_path / "fork.jsonl") as fork:
        seen = pi(READ, tmp_path / "fork.jsonl")
        assert (seen["id"], seen["parent"]) == (fork.id, str(file_of(session)))
        assert seen["branch"] == list(session.branch())
    entry = pi(GO_ON, tmp_path / "fork.jsonl")["entry"]
    with Session.open(tmp_path / "fork.jsonl") as fork:
        assert fork.leaf_id == entry


def test_a_session_of_pi_goes_on_in_a_fork_of_ours(session: Session, tmp_path: Path) -> None:
    """pi writes its own fork of our session, which is a foreign one then."""
    theirs = Path(str(pi(PI_FORK, file_of(session))["file"]))
    fork_file(theirs, tmp_path / "fork.jsonl", cwd=session.cwd)

    with Session.open(tmp_path / "fork.jsonl") as fork:
        assert [item["id"] for item in fork.branch()] == [item["id"] for item in session.branch()]
        new = fork.append_custom("todo_write", {"v": 1, "seq": 3})
        seen = pi(READ, tmp_path / "fork.jsonl")
        assert (seen["leaf"], seen["parent"], seen["roles"]) == (new, str(theirs), pi(READ, theirs)["roles"])


def as_list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value
