"""A session with summaries in real pi's SessionManager, and one of pi's here: both make the same context of it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_pi_session_manager import file_of, pi, pytestmark
from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.session_kit import say, set_plan, tasks
from todo_context.plan.model import Json
from todo_repl.agent_events import AgentEvent
from todo_repl.compaction import Compacting, Compactor
from todo_repl.connect import online_model
from todo_repl.context import BRANCH_SUMMARY, SUMMARY, context_of
from todo_repl.messages import UserMessage
from todo_repl.models import ModelSpec
from todo_repl.request_messages import messages_of
from todo_repl.session import Session, read_branch

__all__ = ["pytestmark"]

CONTEXT = """
const session = SessionManager.open(process.argv[1]);
const messages = session.buildSessionContext().messages;
console.log(JSON.stringify({ messages, leaf: session.getLeafId() }));
"""

GO_ON = """
const session = SessionManager.open(process.argv[1]);
session.appendMessage({ role: "user", content: [{ type: "text", text: "said in pi" }], timestamp: 1796040000000 });
console.log(JSON.stringify({ messages: session.buildSessionContext().messages }));
"""

COMPACT = """
const session = SessionManager.open(process.argv[1]);
const said = session.getBranch().filter((entry) => entry.type === "message");
const fork = session.branchWithSummary(said[3].id, "What was tried.");
session.appendMessage({ role: "user", content: [{ type: "text", text: "another way" }], timestamp: 1796040000000 });
const kept = session.getLeafId();
session.appendCompaction("What pi says.", said[2].id, 4321, { readFiles: [], modifiedFiles: [] }, false);
session.appendMessage({ role: "user", content: [{ type: "text", text: "after it" }], timestamp: 1796040000000 });
console.log(JSON.stringify({ messages: session.buildSessionContext().messages, kept, fork }));
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A conversation with a plan at its beginning, closed."""
    with Session.create(tmp_path / "s.jsonl", "/home/user/project") as session:
        for number in range(6):
            say(session, f"{number} " + "word " * 40, role="assistant" if number % 2 else "user")
            if number == 1:
                set_plan(session, "Wire config")
    return session


def compact_here(path: Path, keep_tokens: int = 120) -> None:
    """Have our own compaction of two turns, with another message after it."""

    def unseen(_: AgentEvent) -> None:
        pass

    async def quiet(event: dict[str, Json]) -> dict[str, Json]:
        return event

    with ScriptedLlm([]) as server, Session.open(path) as session:
        model = online_model(ModelSpec(provider="openai", name="m", base_url=server.base_url, api_key="x"))
        end = asyncio.run(Compactor(session, model, Compacting(keep_tokens=keep_tokens), unseen, quiet).by_request())
        assert end.reason == "done", end.line
        session.append_custom_message("todo_notice", "An edit.")


def told(messages: Json) -> list[Any]:
    """What pi and we must agree on: the role, and what it says."""
    assert isinstance(messages, list)
    return [
        (message["role"], message.get("summary") or message["content"])
        for message in messages
        if isinstance(message, dict)
    ]


def test_pi_makes_the_same_context_of_a_session_that_was_compacted_here(session: Session) -> None:
    path = file_of(session)
    compact_here(path)
    before = path.read_bytes()

    seen = pi(CONTEXT, path)["messages"]

    assert [role for role, _ in told(seen)] == ["compactionSummary", "user", "assistant", "custom"]
    assert told(seen) == told(messages_of(read_branch(path)))
    assert isinstance(seen, list)
    assert seen[:3] == messages_of(read_branch(path))[:3]
    assert path.read_bytes() == before


def test_pi_goes_on_with_it_and_so_do_we(session: Session) -> None:
    path = file_of(session)
    compact_here(path)

    seen = pi(GO_ON, path)["messages"]

    assert told(seen) == told(messages_of(read_branch(path)))
    compact_here(path, 20)
    again = pi(CONTEXT, path)["messages"]
    assert told(again) == told(messages_of(read_branch(path)))
    assert told(again) != told(seen)
    assert tasks(read_branch(path)) == ["Wire config"]


def test_a_compaction_and_a_summary_of_a_branch_by_pi_are_honoured(session: Session) -> None:
    path = file_of(session)

    seen = pi(COMPACT, path)["messages"]

    with Session.open(path) as ours:
        branch = ours.branch()
        assert messages_of(branch) == seen
        assert [role for role, _ in told(seen)] == [
            "compactionSummary",
            "user",
            "assistant",
            "branchSummary",
            "user",
            "user",
        ]
        sent = [message.text for message in context_of(branch) if isinstance(message, UserMessage)]
        assert sent[0] == SUMMARY.replace("{summary}", "What pi says.")
        assert sent[2:] == [BRANCH_SUMMARY.replace("{summary}", "What was tried."), "another way", "after it"]
        assert tasks(branch) == ["Wire config"]
