"""What tests of sessions share: entries, files, and another program that appends to one."""

import json
from collections.abc import Sequence
from pathlib import Path

from todo_context.pi import Entry
from todo_context.plan.markdown import to_markdown
from todo_context.plan.model import Json
from todo_context.plan.replay import latest
from todo_repl.session import Session

CWD = "/home/user/project"
STAMP = "2026-11-30T12:00:01.000Z"


def say(session: Session, text: str, *, role: str = "user") -> str:
    """Append what somebody said."""
    return session.append_message({"role": role, "content": [{"type": "text", "text": text}], "timestamp": 1})


def set_plan(session: Session, *tasks: str, action: str = "init", by: str = "user") -> str:
    """Append a plan as the lane does, of one phase."""
    seq = latest(session.branch()).seq + 1
    phases: Json = [{"name": "A", "tasks": [{"content": task, "status": "pending"} for task in tasks]}]
    return session.append_custom("todo_write", {"v": 1, "seq": seq, "phases": phases, "by": by, "action": action})


def tasks(entries: Sequence[Entry]) -> list[str]:
    """The tasks of the plan of a branch."""
    return [line[6:] for line in to_markdown(latest(entries).plan).splitlines() if line.startswith("- ")]


def ids(entries: Sequence[Entry]) -> list[str]:
    return [str(entry["id"]) for entry in entries]


def file_of(session: Session) -> Path:
    assert session.path is not None
    return session.path


def append_as_another(path: Path, entry_id: str, parent_id: str | None, **fields: Json) -> bytes:
    """What pi does to a file that it has open."""
    entry = {"type": "custom", "customType": "other", "id": entry_id, "parentId": parent_id, "timestamp": STAMP}
    line = json.dumps({**entry, **fields}).encode() + b"\n"
    with path.open("ab") as file:
        file.write(line)
    return line
