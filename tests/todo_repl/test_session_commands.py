"""The person's commands over sessions: what each does, what it says, and what the extensions hear of it."""

import asyncio
import json
import os
import re
import shutil
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_llm import ScriptedLlm, Step
from tests.todo_repl.process import run, start
from tests.todo_repl.scene import answering, listening, loading
from tests.todo_repl.session_kit import append_as_another, ids, say, set_plan, tasks
from tests.todo_repl.stage import ScriptedModel, Stage
from tests.todo_repl.terminal import Terminal
from todo_context import activate
from todo_context.plan.model import Json
from todo_repl.api import name_of
from todo_repl.compaction import Compacting
from todo_repl.connect import online_model
from todo_repl.manifest import own_manifest
from todo_repl.messages import ToolCall
from todo_repl.models import Delta, Finished, Model, ModelSpec, Request
from todo_repl.offline import OfflinePlanner
from todo_repl.runtime import Runtime, Submitted
from todo_repl.session import Session, read_branch
from todo_repl.session_list import Listed
from todo_repl.session_moved import FORK, GO_ON, LEAVE
from todo_repl.session_pick import lines_of, meant
from todo_repl.session_place import Place
from todo_repl.session_points import clipped, points


class Person(Stage):
    """Chooses the first option that holds `choice`; None chooses nothing."""

    def __init__(self, choice: str | None = None) -> None:
        super().__init__(has_ui=True)
        self.choice = choice
        self.asked: list[tuple[str, Sequence[str]]] = []

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        self.asked.append((title, options))
        return next((option for option in options if self.choice is not None and self.choice in option), None)


class Room:
    """A runtime with /todo over the sessions of a folder."""

    def __init__(self, root: Path, front: Stage, model: Model | None, *, is_kept: bool = True) -> None:
        self.front = front
        self.log: list[Any] = []
        place = Place(lambda: root) if is_kept else Place()
        self.runtime = Runtime(
            session=place.new("/work"),
            model=model or OfflinePlanner(),
            front=front,
            system_prompt="",
            max_rounds=9,
            place=place,
        )

    async def type(self, *lines: str) -> Submitted:
        return max([await self.runtime.submit(line) for line in lines])

    async def answer(self, line: str) -> str:
        """What a line made the front show, on both streams."""
        out, err = len(self.front.shown), len(self.front.errors)
        await self.runtime.submit(line)
        return self.front.shown[out:] + self.front.errors[err:]

    @property
    def session(self) -> Session:
        return self.runtime.session

    @property
    def path(self) -> Path:
        assert self.session.path is not None
        return self.session.path

    @property
    def tasks(self) -> list[str]:
        return tasks(self.session.branch())


def play(
    root: Path,
    job: Callable[[Room], Awaitable[None]],
    *,
    front: Stage | None = None,
    model: Model | None = None,
    is_kept: bool = True,
) -> Room:
    room = Room(root, front or Stage(), model, is_kept=is_kept)

    async def go() -> None:
        heard = listening(room.log, "session_start", "session_shutdown", "session_tree")
        await room.runtime.load(own_manifest(), activate)
        await room.runtime.load_all(lambda: [loading(heard, "heard")])
        await room.runtime.start("startup")
        try:
            await job(room)
        finally:
            await room.runtime.close()

    asyncio.run(go())
    return room


def planning() -> ScriptedModel:
    """One message makes a plan, the next works on it; then there are words."""

    def call(number: int, **op: Json) -> Sequence[ToolCall]:
        return [ToolCall(id=f"c{number}", name="todo_write", arguments={"ops": [op]})]

    answers: list[str | Sequence[ToolCall]] = [call(1, op="init", items=["One", "Two"]), "Planned."]
    answers += [call(2, op="done", task="One"), "Worked.", *(f"Answer {number}." for number in range(9))]
    return ScriptedModel(answers)


def test_session_tells_what_it_is(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        await room.type("/todo append Build One", "/name  a \x1b[2J name ")
        assert await room.answer("/session") == (
            f"File: {room.path}\nName: a name\nOthers see it as: {name_of(room.session)}\nEntries: 2 on this branch\n"
            "Plan: 0 of 1 done, 1 open.\nModel: none; the offline planner answers by rules. To connect one: "
            "--model openai:NAME or anthropic:NAME.\n"
        )

    play(tmp_path, job)


def test_a_name_is_kept_as_pi_keeps_it_and_shown(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        assert await room.answer("/name") == "This session has no name. /name <text> gives it one.\n"
        assert await room.answer("/name The parser") == "This session is named: The parser\n"
        assert await room.answer("/name") == "This session is named: The parser\n"
        assert [c.value for c in await room.runtime.completions("/name ")] == ["/name The parser"]
        assert list(await room.runtime.completions("/name x")) == []
        assert await room.answer('/name ""') == "This session has no name. /name <text> gives it one.\n"
        assert list(await room.runtime.completions("/name ")) == []

    room = play(tmp_path, job)

    entry = json.loads(room.path.read_text().splitlines()[1])
    assert (entry["type"], entry["name"]) == ("session_info", "The parser")


def test_new_keeps_the_old_one_and_begins_the_extensions_anew(tmp_path: Path) -> None:
    kept: list[Path] = []

    async def job(room: Room) -> None:
        await room.type("/todo append Build One")
        kept.append(room.path)
        assert await room.answer("/new") == "A new session. The one before is kept: /resume leads back.\n"
        assert room.tasks == []
        await room.type("/todo append Build Two")

    room = play(tmp_path, job)

    assert room.path.parent == kept[0].parent
    assert tasks(read_branch(kept[0])) == ["One"]
    assert tasks(read_branch(room.path)) == ["Two"]
    assert room.log == [
        {"type": "session_start", "reason": "startup"},
        {"type": "session_shutdown", "reason": "new"},
        {"type": "session_start", "reason": "new", "previousSessionFile": str(kept[0])},
        {"type": "session_shutdown", "reason": "quit"},
    ]


def test_an_empty_session_that_is_left_leaves_nothing(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        assert await room.answer("/new") == "A new session.\n"

    room = play(tmp_path, job)

    assert room.log[2] == {"type": "session_start", "reason": "new"}
    assert list(tmp_path.rglob("*")) == []


def test_resume_by_a_part_of_the_name_or_the_first_words_or_the_path(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        await room.type(
            "first wire it, then port it", "/name Wiring", "/new", "plan the release", "/todo append X Ship"
        )
        second = room.path
        assert (await room.answer("/resume wir")).endswith("Resumed: Wiring. Plan: 0 of 2 done, 2 open.\n")
        first = room.path
        assert room.tasks == ["wire it", "port it"]
        assert (await room.answer("/resume RELEASE")).startswith("Resumed: plan the release.")
        assert room.path == second
        await room.type(f"/resume {first}")
        assert room.path == first
        assert await room.answer(f"/resume {first}") == "/resume: this is the session you are in.\n"
        assert 'has "nothing of it". /resume lists them.' in await room.answer("/resume nothing of it")
        assert room.path == first

    room = play(tmp_path, job)

    assert [event["reason"] for event in room.log if event["type"] == "session_start"] == [
        "startup",
        "new",
        "resume",
        "resume",
        "resume",
    ]


def test_resume_lists_where_nobody_can_be_asked(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        assert await room.answer("/resume") == "/resume: there is no other session of this folder.\n"
        await room.type("/todo append A One", "/name same")
        assert await room.answer("/resume") == "/resume: there is no other session of this folder.\n"
        await room.type("/new", "/todo append A Two", "/name same", "/new")
        listed = (await room.answer("/resume")).splitlines()
        assert len(listed) == 3
        assert listed[0].startswith("  1. same · just now · 1 open · 20")
        assert listed[-1] == "/resume <number, part of a name, or a path> goes on with one."
        assert (await room.answer("/resume same")).startswith("/resume: several are meant.\nsame · ")
        assert (await room.answer("/resume 2")).startswith("Resumed: same.")

    play(tmp_path, job)


def test_resume_asks_a_person_who_may_leave_it(tmp_path: Path) -> None:
    front = Person()

    async def job(room: Room) -> None:
        await room.type("/todo append A One", "/name first", "/new", "/todo append A Two", "/name second", "/new")
        assert "Nothing chosen. All is as it was." in await room.answer("/resume")
        front.choice = "first"
        await room.type("/resume")
        assert room.tasks == ["One"]

    play(tmp_path, job, front=front)

    assert [[line.split(" · ")[0] for line in options] for _, options in front.asked] == [["second", "first"]] * 2


def test_the_current_session_stays_where_the_other_one_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "no.jsonl").write_text("no session\n")

    async def job(room: Room) -> None:
        await room.type("/todo append Build One")
        with Session.create(tmp_path / "held.jsonl", "/work") as held:
            say(held, "hi")
            for name in ("no.jsonl", "held.jsonl"):
                assert await room.type(f"/resume {tmp_path / name}") is Submitted.FAILED
        await room.type("/todo append Build Two")
        assert room.tasks == ["One", "Two"]

    room = play(tmp_path, job)

    assert len(room.log) == 2


FOREIGN = [
    {"type": "session", "version": 3, "id": "p", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/work"},
    {
        "type": "custom",
        "customType": "todo_write",
        "id": "e1",
        "parentId": None,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "data": {"v": 1, "seq": 1, "phases": [{"name": "A", "tasks": [{"content": "Theirs", "status": "pending"}]}]},
    },
]


def test_a_foreign_session_is_not_resumed_but_forked(tmp_path: Path) -> None:
    path = tmp_path / "pi session.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in FOREIGN))
    before = path.read_bytes()

    async def job(room: Room) -> None:
        said = await room.answer(f"/resume {path}")
        assert said.endswith(f"To go on from it in a session of ours: /fork {path}\n")
        assert "A session of its own, from here on." in await room.answer(f"/fork {path}")
        assert room.tasks == ["Theirs"]
        await room.type("/todo append A Ours")
        assert "there is no such file." in await room.answer("/fork nowhere")

    room = play(tmp_path / "root", job)

    assert path.read_bytes() == before
    assert tasks(read_branch(room.path)) == ["Theirs", "Ours"]


def test_a_fork_has_the_branch_and_goes_its_own_way(tmp_path: Path) -> None:
    kept: list[Path] = []

    async def job(room: Room) -> None:
        assert await room.answer("/fork") == "/fork: nothing was said in this session yet.\n"
        await room.type("/todo append Build One")
        kept.append(room.path)
        await room.type("/fork", "/todo append Build Two")

    room = play(tmp_path, job)

    assert tasks(read_branch(kept[0])) == ["One"]
    assert tasks(read_branch(room.path)) == ["One", "Two"]
    assert json.loads(room.path.read_text().splitlines()[0])["parentSession"] == str(kept[0])
    assert room.log[2] == {"type": "session_start", "reason": "fork", "previousSessionFile": str(kept[0])}


def test_rewind_before_what_follows_nothing_is_at_the_beginning(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        await room.type("one")
        path = room.path
        await room.type("/new")
        lines = path.read_bytes().splitlines(keepends=True)
        said = json.loads(lines[1])
        path.write_bytes(b"".join([lines[0], json.dumps({**said, "parentId": "gone"}).encode() + b"\n", *lines[2:]]))
        assert "Resumed: one." in await room.answer(f"/resume {path}")
        assert (await room.answer("/rewind")).startswith("You are there now.")
        assert not [entry for entry in room.session.branch() if entry["type"] == "message"]

    play(tmp_path, job)


def test_what_another_program_nested_deeply_comes_along_into_a_fork(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        await room.type("/todo append A One")
        deep = "[" * 250 + "]" * 250
        line = append_as_another(room.path, "deep", room.session.leaf_id, data="DEEP")
        room.path.write_bytes(room.path.read_bytes().replace(line, line.replace(b'"DEEP"', deep.encode())))
        await room.type(f"/fork {room.path}")
        assert "deep" in ids(room.session.branch())
        assert await room.type("/fork", "/todo append A Two") is Submitted.DONE
        assert room.tasks == ["One", "Two"]

    play(tmp_path, job)


def test_session_says_what_is_not_saved(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        await room.type("/todo append A One")
        assert "Unsaved" not in await room.answer("/session")
        room.path.unlink()
        await room.type("/todo append A Two")
        assert "Unsaved: what was done last is not written yet. /fork takes all of it into a new file" in (
            await room.answer("/session")
        )

    play(tmp_path, job)


def test_rewind_goes_back_and_tree_forward_again(tmp_path: Path) -> None:
    """R01."""

    async def job(room: Room) -> None:
        await room.type("plan", "work", "more")
        tip = ids(room.session.branch())
        said = await room.answer("/rewind 2")
        assert said == "You are there now. Plan: 0 of 2 done, 2 open. You had said:\nwork\n"
        assert (await room.answer("/todo")).startswith("# Tasks\n- [/] One\n")
        assert ids(room.session.branch())[:-1] == tip[: len(room.session.branch()) - 1]
        assert (await room.answer("/rewind")).startswith("You are there now. There is no plan. You had said:\nplan")
        assert await room.answer("/rewind") == "/rewind 1: this branch has 0 messages of yours.\n"
        listed = (await room.answer("/tree")).splitlines()
        assert listed[0] == "  1.   agent: Answer 0. · 1 of 2 done, 1 open"
        assert listed[-1] == "/tree <number> goes there."
        await room.type("/tree 1")
        assert ids(room.session.branch())[:-1] == tip
        assert (await room.answer("/todo")).startswith("# Tasks\n- [x] One\n- [/] Two\n")
        assert room.tasks == ["One", "Two"]

    room = play(tmp_path, job, model=planning())

    moves = [event for event in room.log if event["type"] == "session_tree"]
    assert len(moves) == 3
    assert moves[0]["newLeafId"] == moves[1]["oldLeafId"]


def test_what_was_said_becomes_the_draft_of_a_person(tmp_path: Path) -> None:
    front = Person("you: work")

    async def job(room: Room) -> None:
        await room.type("plan", "work", "more")
        assert 'before "more". Plan: 1 of 2 done, 1 open.' in await room.answer("/rewind")
        assert room.runtime.draft == "more"
        assert 'before "work". Plan: 0 of 2 done, 2 open.' in await room.answer("/tree")
        assert room.runtime.draft == "work"
        front.choice = None
        assert "Nothing chosen." in await room.answer("/tree")
        assert room.tasks == ["One", "Two"]

    play(tmp_path, job, front=front, model=planning())

    title, lines = front.asked[0]
    assert title.startswith("Go to which point")
    assert lines == [
        "  agent: Answer 0. · 1 of 2 done, 1 open",
        "  you: more · 1 of 2 done, 1 open",
        "* agent: Worked. · 1 of 2 done, 1 open <- here",
        "* plan: done · 1 of 2 done, 1 open",
        "* you: work · 0 of 2 done, 2 open",
        "* agent: Planned. · 0 of 2 done, 2 open",
        "* plan: init · 0 of 2 done, 2 open",
        "* you: plan",
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("/rewind 0", "/rewind 0: it is how many messages of yours to go back, 1 or more.", id="none"),
        pytest.param("/rewind x", "/rewind x: it is how many messages of yours to go back, 1 or more.", id="no number"),
        pytest.param("/rewind 99", "/rewind 99: this branch has 1 message of yours.", id="too far"),
        pytest.param("/tree 0", "/tree 0: it is a number from 1 to 2. /tree lists them.", id="no point"),
        pytest.param("/tree x", "/tree x: it is a number from 1 to 2. /tree lists them.", id="no number of a point"),
    ],
)
def test_what_cannot_be_meant_moves_nothing(line: str, said: str, tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        assert await room.answer("/tree") == "/tree: nothing was said in this session yet.\n"
        await room.type("hello")
        before = room.session.leaf_id
        assert await room.answer(line) == f"{said}\n"
        assert room.session.leaf_id == before

    play(tmp_path, job, model=ScriptedModel(["Hello."]))


def test_a_point_takes_the_results_of_its_calls_along(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        await room.type("plan")
        (number,) = [n for n, point in enumerate(points(room.session), 1) if point.node.kind == "plan"]
        await room.type(f"/tree {number}")
        last: Any = room.session.branch()[-2]
        assert last["message"]["role"] == "toolResult"
        assert room.tasks == ["One", "Two"]

    play(tmp_path, job, model=planning())


def test_the_arguments_of_rewind_are_completed(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        await room.type("plan", "work")
        found = await room.runtime.completions("/rewind ")
        assert [(c.value, c.description) for c in found] == [("/rewind 1", "work"), ("/rewind 2", "plan")]

    play(tmp_path, job, model=planning())


def test_a_handoff_takes_the_plan_and_leaves_the_words(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        await room.type("plan", "work")
        before = room.path
        assert await room.answer("/handoff ship it") == (
            'A new session. Its goal: "ship it". The plan came along. Plan: 1 of 2 done, 1 open.\n'
        )
        assert room.path != before
        assert room.tasks == ["One", "Two"]
        kinds = [entry["type"] for entry in room.session.branch()]
        assert kinds == ["custom", "session_info", "custom_message"]
        assert "ship it" in str(room.session.branch()[-1]["content"])
        assert len(list(before.parent.iterdir())) == 3, "two sessions, and the lock of one"

    play(tmp_path, job, model=planning())


def test_compact_says_what_came_of_it(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        await room.type("hello")
        assert (await room.answer("/compact")).startswith("Nothing to compact: the conversation has about ")

    play(tmp_path, job, model=ScriptedModel(["Hello."]))


def test_what_is_kept_nowhere_can_begin_anew_but_not_fork(tmp_path: Path) -> None:
    with Session.create(tmp_path / "other.jsonl", "/work") as session:
        say(session, "hi")
    other = tmp_path / "other.jsonl"

    async def job(room: Room) -> None:
        await room.type("/todo append Build One")
        assert await room.answer("/fork") == "Sessions are kept nowhere now. Start without --no-session.\n"
        for line in ("/resume", f"/resume {other}"):
            assert await room.answer(line) == "Sessions are kept nowhere now. Start without --no-session.\n"
        assert (await room.answer("/session")).startswith("File: none: it is kept nowhere\n")
        await room.type("/handoff")
        assert room.tasks == ["One"]
        assert await room.answer("/new") == "A new session.\n"
        assert room.tasks == []

    play(tmp_path, job, is_kept=False)


def test_during_a_run_they_wait_and_say_so(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        running = asyncio.create_task(room.type("go"))
        await asyncio.to_thread(server.wait_for, 1)
        for name in ("new", "resume x", "fork", "tree", "rewind", "compact", "handoff", "name x"):
            bare = name.split()[0]
            wait = f"The agent is at work. /{bare} when it has answered, or stop it with Esc.\n"
            assert await room.answer(f"/{name}") == wait
        assert "Entries: " in await room.answer("/session")
        room.runtime.abort()
        assert await running is Submitted.ABORTED

    with ScriptedLlm([{"text": "Wait.", "gate": threading.Event()}]) as server:
        spec = ModelSpec(provider="openai", name="m", base_url=server.base_url, api_key="x")
        play(tmp_path, job, model=online_model(spec))


@pytest.mark.parametrize(
    ("choice", "ended", "here", "there"),
    [
        pytest.param(GO_ON, Submitted.DONE, ["One", "Theirs", "Ours"], ["One", "Theirs", "Ours"], id="go on there"),
        pytest.param(FORK, Submitted.DONE, ["One", "Ours"], ["One", "Theirs"], id="fork"),
        pytest.param(LEAVE, Submitted.FAILED, ["One"], ["One", "Theirs"], id="leave"),
        pytest.param(None, Submitted.FAILED, ["One"], ["One", "Theirs"], id="no answer"),
    ],
)
def test_when_another_program_went_on_the_person_says_what_is_to_be(
    choice: str | None, ended: Submitted, here: list[str], there: list[str], tmp_path: Path
) -> None:
    front, kept = Person(choice), list[Path]()

    async def job(room: Room) -> None:
        await room.type("/todo append A One")
        kept.append(room.path)
        went_on(room.session, "One", "Theirs")
        assert await room.type("/todo append A Ours") is ended
        assert room.tasks == here
        assert room.runtime.draft == ("" if ended is Submitted.DONE else "/todo append A Ours")

    play(tmp_path, job, front=front)

    assert tasks(read_branch(kept[0])) == there
    assert len(front.asked) == 1


@pytest.mark.parametrize(
    ("choice", "here", "there"),
    [
        pytest.param(GO_ON, ["One", "Waits", "Theirs", "Ours"], ["One", "Waits", "Theirs", "Ours"], id="go on there"),
        pytest.param(FORK, ["One", "Waits", "Ours"], ["One", "Theirs"], id="fork"),
    ],
)
def test_what_waits_for_the_disk_undoes_nothing_of_what_another_program_did(
    choice: str, here: list[str], there: list[str], tmp_path: Path
) -> None:
    front, kept = Person(choice), list[Path]()

    async def job(room: Room) -> None:
        await room.type("/todo append A One")
        kept.append(room.path)
        away = room.path.with_suffix(".away")
        room.path.rename(away)
        await room.type("/todo append A Waits")
        away.rename(room.path)
        went_on(room.session, "One", "Theirs")
        assert await room.type("/todo append A Ours") is Submitted.DONE
        assert room.tasks == here

    play(tmp_path, job, front=front)

    assert tasks(read_branch(kept[0])) == there
    assert "kept nowhere" not in front.shown + front.errors


class Meanwhile(ScriptedModel):
    """While it answers, or sums up, something happens."""

    def __init__(self, *answers: str, while_summing_up: bool = False) -> None:
        super().__init__(answers)
        self.while_summing_up = while_summing_up
        self.happens: Callable[[], object] = lambda: None

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        async for delta in super().stream(request):
            if isinstance(delta, Finished) and (request.material is not None) is self.while_summing_up:
                self.happens()
            yield delta


@pytest.mark.parametrize("choice", [GO_ON, FORK])
def test_an_answer_under_way_when_another_program_went_on_is_kept(choice: str, tmp_path: Path) -> None:
    model = Meanwhile("All I found.")

    async def job(room: Room) -> None:
        model.happens = lambda: went_on(room.session, "One", "Theirs")
        await room.type("/todo append A One", "look")
        assert said(room.session)[-2:] == ["look", "All I found."]
        assert room.tasks == (["One", "Theirs"] if choice is GO_ON else ["One"])

    room = play(tmp_path, job, front=Person(choice), model=model)

    assert said(Session.open(room.path))[-2:] == ["look", "All I found."]


def test_an_answer_that_nobody_said_where_to_keep_goes_along_with_a_fork(tmp_path: Path) -> None:
    model = Meanwhile("All I found.")

    async def job(room: Room) -> None:
        model.happens = lambda: went_on(room.session, "One", "Theirs")
        assert await room.type("/todo append A One", "look") is Submitted.FAILED
        assert await room.type("/fork") is Submitted.DONE
        assert said(room.session) == ["look", "All I found."]

    play(tmp_path, job, model=model)


def test_an_answer_that_nobody_said_where_to_keep_outlives_a_reload(tmp_path: Path) -> None:
    model = Meanwhile("All I found.")

    async def job(room: Room) -> None:
        model.happens = lambda: went_on(room.session, "One", "Theirs")
        assert await room.type("/todo append A One", "look") is Submitted.FAILED
        await room.type("/reload")
        assert await room.type("/fork") is Submitted.DONE
        assert said(room.session) == ["look", "All I found."]

    play(tmp_path, job, model=model)


def test_an_answer_that_nobody_said_where_to_keep_is_in_a_session_of_its_own_when_the_program_is_ended(
    tmp_path: Path,
) -> None:
    model = Meanwhile("All I found.")

    async def job(room: Room) -> None:
        model.happens = lambda: went_on(room.session, "One", "Theirs")
        assert await room.type("/todo append A One", "look") is Submitted.FAILED

    room = play(tmp_path, job, model=model)

    (kept,) = [path for path in tmp_path.rglob("*.jsonl") if path != room.path]
    assert str(kept) in room.front.errors
    with Session.open(kept) as session:
        assert said(session) == ["look", "All I found."]


def test_what_a_tool_did_for_the_disk_to_take_undoes_nothing_either(tmp_path: Path) -> None:
    """A result carries the whole plan too."""

    async def job(room: Room) -> None:
        await room.type("/todo append A Mine")
        away = room.path.with_suffix(".away")
        room.path.rename(away)
        await room.type("plan")
        away.rename(room.path)
        went_on(room.session, "Mine", "Theirs")
        assert await room.type("/todo append A Ours") is Submitted.DONE
        assert sorted(room.tasks) == ["Mine", "Ours", "Theirs", "Two"]

    call = ToolCall(id="c", name="todo_write", arguments={"ops": [{"op": "append", "phase": "A", "items": ["Two"]}]})
    room = play(tmp_path, job, front=Person(GO_ON), model=ScriptedModel([[call], "Planned."]))

    assert sorted(tasks(read_branch(room.path))) == ["Mine", "Ours", "Theirs", "Two"]


def replaced(path: Path) -> None:
    other = path.with_suffix(".other")
    shutil.copyfile(path, other)
    other.rename(path)


@pytest.mark.parametrize("harm", [replaced, Path.unlink, lambda path: path.write_bytes(b"")])
def test_an_answer_that_the_file_did_not_take_goes_along_with_a_fork(
    harm: Callable[[Path], object], tmp_path: Path
) -> None:
    model = Meanwhile("All I found.")

    async def job(room: Room) -> None:
        model.happens = lambda: harm(room.path)
        await room.type("/todo append A One", "look")
        assert await room.type("/fork") is Submitted.DONE
        assert said(room.session) == ["look", "All I found."]

    room = play(tmp_path, job, model=model)

    assert "kept nowhere" not in room.front.shown + room.front.errors


@pytest.mark.parametrize("line", ["/new", "/handoff", "/resume other.jsonl"])
@pytest.mark.parametrize("harm", [replaced, Path.unlink])
def test_a_session_whose_file_is_gone_is_not_left_by_accident(
    harm: Callable[[Path], object], line: str, tmp_path: Path
) -> None:
    with Session.create(tmp_path / "other.jsonl", "/work") as other:
        say(other, "hi")

    async def job(room: Room) -> None:
        await room.type("/todo append A One")
        harm(room.path)
        said = await room.answer(line.replace("other", str(tmp_path / "other")))
        assert "the file is gone, or another one is in its place, and leaving would lose it" in said
        assert room.tasks == ["One"]
        await room.type("/fork")
        assert (await room.answer("/new")).startswith("A new session.")

    play(tmp_path, job)


@pytest.mark.parametrize("wants", [True, False])
def test_who_leaves_is_asked_where_something_would_be_gone(wants: bool, tmp_path: Path) -> None:
    front = Leaving(wants)

    async def job(room: Room) -> None:
        await room.type("/todo append A One")
        room.path.unlink()
        await room.type("/quit")
        assert room.runtime.is_over is wants

    play(tmp_path, job, front=front)

    assert len(front.questions) == 1
    assert "the file is gone" in front.questions[0]
    assert ("kept nowhere" if wants else "all of it is kept in ") in front.errors
    assert len([path for path in tmp_path.rglob("*.jsonl") if tasks(read_branch(path)) == ["One"]]) == (not wants)


class Leaving(Person):
    def __init__(self, wants: bool) -> None:
        super().__init__(GO_ON)
        self.wants = wants
        self.questions: list[str] = []

    async def confirm(self, title: str, message: str) -> bool:
        self.questions.append(f"{title} {message}")
        return self.wants


def test_who_leaves_what_another_program_went_on_with_says_what_is_to_be(tmp_path: Path) -> None:
    front = Leaving(wants=False)

    async def job(room: Room) -> None:
        await room.type("/todo append A One")
        away = room.path.with_suffix(".away")
        room.path.rename(away)
        await room.type("/todo append A Waits")
        away.rename(room.path)
        went_on(room.session, "One", "Theirs")
        await room.type("/quit")

    room = play(tmp_path, job, front=front)

    assert sorted(tasks(read_branch(room.path))) == ["One", "Theirs", "Waits"]


def test_a_script_learns_that_the_file_is_gone_and_where_it_is_now(tmp_path: Path) -> None:
    with start("--session", "s.jsonl", cwd=tmp_path) as process:
        process.type("/todo append A one")
        process.line()
        (tmp_path / "s.jsonl").unlink()
        process.stdin.close()
        code, _, said = process.end()

    assert (code, said.count("all of it is kept in ")) == (1, 1)
    assert tasks(read_branch(Path(said.split(" is kept in ")[1].strip()))) == ["One"]


def test_where_there_is_no_place_for_a_fork_the_person_is_told(tmp_path: Path) -> None:
    front = Person(FORK)

    async def job(room: Room) -> None:
        await room.type("/todo append A One")
        room.runtime.place = Place()
        went_on(room.session, "One", "Theirs")
        assert await room.type("/todo append A Ours") is Submitted.FAILED
        assert "Sessions are kept nowhere now" in front.errors

    play(tmp_path, job, front=front)


def summing_up() -> Meanwhile:
    """Two long answers, which summaries make shorter."""
    return Meanwhile(*["word " * 900] * 2, *["In short."] * 2, while_summing_up=True)


def summaries(session: Session) -> int:
    return sum(entry["type"] == "compaction" for entry in session.branch())


def test_what_another_program_does_during_a_summary_is_asked_about_and_stays(tmp_path: Path) -> None:
    front = Person(GO_ON)
    model = summing_up()

    async def job(room: Room) -> None:
        model.happens = lambda: went_on(room.session, "One", "Theirs")
        room.runtime.compacting = Compacting(keep_tokens=60, prompt="Sum up.")
        await room.runtime.begin_anew(room.session, "reload")
        await room.type("/todo append A One", "a", "b")
        assert await room.type("/compact") is Submitted.FAILED
        assert (room.tasks, summaries(room.session)) == (["One", "Theirs"], 0)
        model.happens = lambda: None
        assert await room.type("/compact") is Submitted.DONE
        assert (room.tasks, summaries(room.session)) == (["One", "Theirs"], 1)

    room = play(tmp_path, job, front=front, model=model)

    assert tasks(read_branch(room.path)) == ["One", "Theirs"]


def test_a_file_that_goes_during_a_summary_takes_it_when_it_is_back(tmp_path: Path) -> None:
    model = summing_up()

    async def job(room: Room) -> None:
        room.runtime.compacting = Compacting(keep_tokens=60, prompt="Sum up.")
        await room.runtime.begin_anew(room.session, "reload")
        await room.type("/todo append A One", "a", "b")
        away = room.path.with_suffix(".away")
        model.happens = lambda: shutil.move(room.path, away)
        assert await room.type("/compact") is Submitted.DONE
        assert (room.tasks, summaries(room.session)) == (["One"], 1)
        assert "The session goes on in memory alone" in room.front.errors
        away.rename(room.path)
        await room.type("/todo append A Two")

    room = play(tmp_path, job, model=model)

    with Session.open(room.path) as session:
        assert (tasks(session.branch()), summaries(session)) == (["One", "Two"], 1)


def said(session: Session) -> list[str]:
    """What was said on the branch."""
    messages: list[Any] = [entry["message"] for entry in session.branch() if entry["type"] == "message"]
    return [message["content"][0]["text"] for message in messages]


def test_a_message_is_said_where_the_person_goes_on(tmp_path: Path) -> None:
    front = Person(GO_ON)

    async def job(room: Room) -> None:
        await room.type("/todo append A One")
        went_on(room.session, "One", "Theirs")
        assert await room.type("hello") is Submitted.DONE
        assert room.tasks == ["One", "Theirs"]

    room = play(tmp_path, job, front=front, model=ScriptedModel(["Hello."]))

    assert [event["type"] for event in room.log] == ["session_start", "session_tree", "session_shutdown"]
    assert tasks(read_branch(room.path)) == ["One", "Theirs"]


def test_a_message_that_could_not_be_stored_comes_back_to_the_line(tmp_path: Path) -> None:
    """Another program goes on after the person was asked, and before their words are stored."""

    async def job(room: Room) -> None:
        await room.type("/todo append A One")
        late = answering(input=lambda _: went_on(room.session, "One", "Theirs"))
        await room.runtime.load_all(lambda: [loading(late, "late")])
        assert await room.type("hello") is Submitted.FAILED
        assert room.runtime.draft == "hello"

    room = play(tmp_path, job, model=ScriptedModel(["Hello."]))
    assert tasks(read_branch(room.path)) == ["One", "Theirs"]


def test_who_goes_elsewhere_is_not_asked(tmp_path: Path) -> None:
    front, kept = Person(LEAVE), list[Path]()

    async def job(room: Room) -> None:
        await room.type("/todo append A One", "/name mine")
        kept.append(room.path)
        went_on(room.session, "One", "Theirs")
        await room.type("/session", "/fork")
        assert room.tasks == ["One"]
        await room.type("/new", "/todo append A Two")

    play(tmp_path, job, front=front)

    assert front.asked == []
    assert tasks(read_branch(kept[0])) == ["One", "Theirs"]


def test_where_nobody_can_be_asked_the_error_stands(tmp_path: Path) -> None:
    async def job(room: Room) -> None:
        await room.type("/todo append A One")
        went_on(room.session, "One", "Theirs")
        for line in ("/todo append A Ours", "hello", "/rewind"):
            assert await room.type(line) is Submitted.FAILED
        assert "another program went on with this session" in room.front.errors

    room = play(tmp_path, job, model=ScriptedModel(["Hello."]))

    assert tasks(read_branch(room.path)) == ["One", "Theirs"]


def went_on(session: Session, *contents: str) -> None:
    """Another program sets the plan."""
    assert session.path is not None
    phases: Json = [{"name": "A", "tasks": [{"content": content, "status": "pending"} for content in contents]}]
    data: Json = {"v": 1, "seq": 2, "phases": phases, "by": "user", "action": "append"}
    append_as_another(session.path, "theirs", session.leaf_id, customType="todo_write", data=data)


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("age", "open_tasks", "said"),
    [
        pytest.param(timedelta(seconds=9), 3, "just now · 3 open", id="now"),
        pytest.param(timedelta(minutes=1), 0, "1 minute ago · nothing open", id="a minute"),
        pytest.param(timedelta(hours=5, minutes=9), None, "5 hours ago", id="hours, and nothing known"),
        pytest.param(timedelta(days=40), 1, "40 days ago · 1 open", id="days"),
        pytest.param(timedelta(days=-1), 1, "just now · 1 open", id="a clock that was set back"),
    ],
)
def test_a_line_says_how_old_and_how_much_is_open(age: timedelta, open_tasks: int | None, said: str) -> None:
    listed = entry(first_words="a\x1b[2J\nb", modified=NOW - age, open_tasks=open_tasks)

    assert lines_of([listed], now=NOW) == [f"a b · {said}"]


def test_a_name_that_is_meant_wholly_wins_over_parts() -> None:
    found = [entry(name="parser"), entry(name="Parser tests"), entry(first_words="the parser")]

    assert meant(found, "PARSER") == found[:1]
    assert meant(found, "arse") == found


def entry(*, name: str = "", first_words: str = "", modified: datetime = NOW, open_tasks: int | None = None) -> Listed:
    return Listed(
        path=Path("x.jsonl"), id="x", name=name, first_words=first_words, modified=modified, open_tasks=open_tasks
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("short", "short", id="fits"),
        pytest.param("x" * 20, "xxxxxxxxx…", id="narrow"),
        pytest.param("計画" * 9, "計画計画…", id="wide"),
        pytest.param("a\n\n b\x07", "a b", id="lines and controls"),
    ],
)
def test_words_are_clipped_by_what_they_take_on_a_screen(text: str, said: str) -> None:
    assert clipped(text, 10) == said


MOVES = """\
import json, sys
from pathlib import Path
(session,) = Path(sys.argv[1]).rglob("*.jsonl")
leaf = json.loads(session.read_text().splitlines()[-1])["id"]
theirs = {"type": "custom", "customType": "other", "id": "theirs", "parentId": leaf, "timestamp": "2026-12-01T00:00:00Z"}
with session.open("a") as file:
    file.write(json.dumps(theirs) + "\\n")
draft = Path(sys.argv[-1])
draft.write_text(draft.read_text() + "- [ ] Mine\\n")
"""


@pytest.mark.skipif(os.name == "nt", reason="needs a pty")
def test_an_edit_that_the_session_did_not_take_is_said_to_be_kept_and_offered_in_the_fork(tmp_path: Path) -> None:
    (script := tmp_path / "editor.py").write_text(MOVES)
    sessions = tmp_path / "sessions"
    editor = f"{sys.executable} {script} {sessions}"
    terminal = Terminal("--session-dir", str(sessions), cwd=tmp_path, env={"VISUAL": editor})
    terminal.wait_for_prompt()
    terminal.type("/todo append A One\r")
    terminal.wait_for("Added")
    terminal.wait_for_prompt()
    terminal.type("/todo edit\r")
    terminal.wait_for("Your text is kept: the next /todo edit offers it.")
    terminal.wait(lambda: terminal.last_row == "Enter chooses, Esc leaves:")
    terminal.type("2\r")
    terminal.wait_for_prompt()
    script.write_text("")
    terminal.type("/todo edit\r")
    terminal.wait_for("A text of yours was not taken over")
    terminal.wait(lambda: terminal.last_row == "y/N, then Enter:")
    terminal.type("y\r")
    terminal.wait_for("Edited: 1 added.")
    terminal.leave()

    (fork,) = [path for path in sessions.rglob("*.jsonl") if "theirs" not in path.read_text()]
    assert tasks(read_branch(fork)) == ["One", "Mine"]


def test_without_tools_the_model_is_offered_none_and_todo_stays(tmp_path: Path) -> None:
    steps: list[Step] = [{"text": "Hello."}]
    with ScriptedLlm(steps, asides=steps) as server:
        model = ("--model", "openai:m", "--base-url", server.base_url)
        done = run(*model, "--no-tools", cwd=tmp_path, lines="/todo append A One\nhello\n/todo\n", OPENAI_API_KEY="x")

    assert done.returncode == 0, done.stderr
    assert "tools" not in server.bodies[0]
    assert "system-reminder" not in str(server.bodies[0])
    assert done.stdout.endswith("- [/] One\n")


def test_the_newest_session_that_is_open_elsewhere_is_named_with_a_way_on_and_marked_in_the_list(
    tmp_path: Path,
) -> None:
    run("-p", "/todo append A One", cwd=tmp_path)
    run("-c", "-p", "/name the first", cwd=tmp_path)
    with start("-c", cwd=tmp_path) as process:
        process.type("/todo")
        process.line()
        beside = run("-c", cwd=tmp_path)
        assert beside.returncode == 1
        assert (
            "the newest session of this folder is open in another terminal. --resume lets you choose" in beside.stderr
        )
        listed = run("-p", "/resume", cwd=tmp_path)
        assert "the first · open elsewhere · just now · 1 open" in listed.stdout


def test_resume_as_a_flag_needs_a_person(tmp_path: Path) -> None:
    for more in ([], ["-p", "hi"]):
        done = run("--resume", *more, cwd=tmp_path)
        assert done.returncode == 2
        assert "--resume: it asks which session. Where nobody can be asked: -c, or --session FILE." in done.stderr


def kept_before(cwd: Path, names: Sequence[str]) -> Sequence[str]:
    """Sessions of a folder, the oldest first, each with a plan of one task; the flags that find them."""
    root = cwd / "kept"
    for number, name in enumerate(names):
        with Place(lambda: root).new(str(cwd)) as session:
            set_plan(session, f"Task{number}")
            session.rename(name)
            assert session.path
            moment = NOW.timestamp() + number
        os.utime(session.path, (moment, moment))
    return ("--session-dir", str(root))


def test_on_a_narrow_screen_the_end_of_the_chosen_line_is_in_sight(tmp_path: Path) -> None:
    flags = kept_before(tmp_path, [f"a session with a rather long name, number {number}" for number in range(9)])
    terminal = Terminal(*flags, "--resume", cwd=tmp_path, size=(40, 12))
    terminal.wait(lambda: terminal.last_row.startswith("Enter chooses"))
    terminal.wait_for("9 of 9; words or a number")

    assert re.search(r"^  … .* ago · 1 open$|^  … .* just now · 1 open$", terminal.text, re.MULTILINE)
    terminal.type("\x1b")
    terminal.wait_for_end()


def test_a_long_list_is_narrowed_down_by_words(tmp_path: Path) -> None:
    flags = kept_before(tmp_path, [f"session number {number} of them" for number in range(20)])
    terminal = Terminal(*flags, "--resume", cwd=tmp_path, size=(80, 24))
    terminal.wait(lambda: terminal.last_row == "Enter chooses, Esc leaves:")
    assert "20 of 20; words or a number narrow it down" in terminal.text
    terminal.type("nothing\r")
    terminal.wait_for("None of 20 has that.")
    terminal.type("\x15NUMBER 3")
    terminal.wait_for("17. session number 3 of them")
    terminal.type("\x1517\r")
    terminal.wait_for_prompt()
    terminal.type("/todo\r")
    terminal.wait_for("- [ ] Task3")
    terminal.leave()
    assert "Session kept: " in terminal.text


def test_who_chooses_no_session_is_out_again(tmp_path: Path) -> None:
    run("-p", "/todo append A One", cwd=tmp_path)
    terminal = Terminal("--resume", cwd=tmp_path)
    terminal.wait(lambda: terminal.last_row == "Enter chooses, Esc leaves:")
    terminal.type("\x1b")

    assert terminal.wait_for_end() == 0


def test_resume_where_nothing_was_kept_says_so(tmp_path: Path) -> None:
    terminal = Terminal("--resume", cwd=tmp_path, size=(200, 24))

    assert terminal.wait_for_end() == 1
    assert "no session was kept for this folder. Start one: todo-context" in terminal.text


def test_each_choice_counts_though_two_lines_are_the_same(tmp_path: Path) -> None:
    front = Person("plan: init (2)")

    async def job(room: Room) -> None:
        for name in ("x", "x"):
            set_plan(room.session, name)
        await room.type("/tree")
        assert len(room.session.branch()) == 2

    play(tmp_path, job, front=front)
