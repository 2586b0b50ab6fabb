"""Tell the model the git branch with each request, as it is at that moment. Nothing of it is stored."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from todo_context.pi import Context, Pi


def activate(pi: Pi) -> None:
    """Put a line behind the messages of each request."""
    pi.on("context", add_branch)


def add_branch(event: Mapping[str, Any], ctx: Context) -> object:
    """Answer with the messages to send."""
    branch = branch_of(Path(ctx.cwd))
    if not branch:
        return None
    line = {"role": "user", "content": f"<note>The git branch is {branch}.</note>", "timestamp": 0}
    return {"messages": [*event["messages"], line]}


def branch_of(folder: Path) -> str:
    """The branch that is checked out here or above; "" where there is none."""
    for place in (folder, *folder.parents):
        head = place / ".git" / "HEAD"
        if head.is_file():
            return head.read_text(encoding="utf-8").strip().removeprefix("ref: refs/heads/")
    return ""
