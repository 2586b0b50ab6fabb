"""What the person does with sessions: look, name, begin, resume, fork, go back and forth, sum up, hand over.

Each is a step of the session, or another session; the plan follows, for it is told from the branch.
"""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from todo_context.errors import TodoContextError
from todo_context.pi import Answer, Completion
from todo_context.plan.replay import latest
from todo_context.plan.select import progress
from todo_context.plan.text import for_screen, lines_for_screen, one_line
from todo_repl.api import name_of
from todo_repl.handoff import handoff
from todo_repl.help_text import from_home, model_words
from todo_repl.session import Session
from todo_repl.session_fork import fork_file
from todo_repl.session_list import Listed, listed_in
from todo_repl.session_pick import chosen, is_same, lines_of, meant, opened, place_of
from todo_repl.session_points import Point, clipped, distinct, last_exchange, points, progress_here, said_last, words_of

if TYPE_CHECKING:
    from todo_repl.runtime import Reason, Runtime

LONG_BYTES = 10_000_000
"""A session of which to read all takes so long that the person wants to know."""

SHOW_S = 0.1
"""How long a screen may take to show a line, before nothing is drawn for a while."""

OFFERED_MESSAGES = 9
"""How many messages of the person the completions of /rewind offer."""

NOTHING_CHOSEN = Answer(text="Nothing chosen. All is as it was.")


NO_NAME = '""'
"""What takes the name away."""


class SessionCommands:
    """The handlers, over one runtime; each takes what stands after its name.

    Raises (each): TodoContextError, OSError for the person.
    """

    def __init__(self, runtime: "Runtime") -> None:
        self._runtime = runtime

    async def session(self, _args: str) -> Answer:
        """Tell what this session is."""
        session = self._runtime.session
        facts = {
            "File": from_home(session.path) if session.path else "none: it is kept nowhere",
            "Name": session.name or "none",
            "Others see it as": name_of(session),
            "Entries": f"{len(session.branch())} on this branch",
            "Plan": progress(latest(session.branch()).plan),
            "Model": model_words(self._runtime.model),
        }
        if self._runtime.unsaved:
            facts["Unsaved"] = f"{self._runtime.unsaved}. /fork takes all of it into a new file"
        return Answer(text="\n".join(f"{name}: {for_screen(fact)}" for name, fact in facts.items()))

    async def name(self, args: str) -> Answer:
        """Show or set the name."""
        session, name = self._runtime.session, one_line(args)
        if name == NO_NAME:
            session.rename("")
        elif name:
            session.rename(name)
        if session.name:
            return Answer(text=for_screen(f"This session is named: {session.name}"))
        return Answer(text="This session has no name. /name <text> gives it one.")

    def complete_name(self, args: str) -> Sequence[Completion]:
        """Offer the name it has, to change it."""
        name = self._runtime.session.name_so_far
        return [Completion(value=name, label=name)] if name and name.startswith(args) else []

    async def new(self, _args: str) -> Answer | None:
        """Begin a new session."""
        before = self._kept()
        new, line = self._runtime.place.new(before.cwd), "A new session."
        if before.path is not None and before.leaf_id is not None:
            here = any(is_same(one.path, before.path) for one in self._runtime.place.listed(before.cwd))
            way = "/resume" if here else f"/resume {from_home(before.path)}"
            line = for_screen(f"A new session. The one before is kept: {way} leads back.")
        return await self._begin(new, "new", line, with_plan=False)

    async def resume(self, args: str) -> Answer | None:
        """Go on with the session that is named or chosen."""
        runtime = self._runtime
        runtime.place.check()
        path = place_of(args, runtime.session.cwd) if args else None
        if path is not None:
            return await self._go_on_with(path)
        here = [one for one in runtime.place.listed(runtime.session.cwd) if not is_same(one.path, runtime.session.path)]
        found = meant(here, args) if args else here
        if not found:
            if not args:
                return _error("/resume: there is no other session of this folder.")
            return _error(f'/resume: no other session of this folder has "{clipped(args)}". /resume lists them.')
        if args and len(found) == 1:
            return await self._go_on_with(found[0].path)
        if not runtime.front.has_ui:
            return self._listed(found, is_asked=not args)
        path = await chosen(found, runtime.front.ui.select)
        return NOTHING_CHOSEN if path is None else await self._go_on_with(path)

    async def fork(self, args: str) -> Answer | None:
        """Go on in a new session that is this branch, or the branch of the session file that is named."""
        runtime, session = self._runtime, self._runtime.session
        if args:
            source = place_of(args, session.cwd)
            if source is None:
                return _error(f"/fork: {for_screen(args)}: there is no such file. Alone, /fork takes this branch.")
            self._kept()
            path = runtime.place.new_path(session.cwd)
            fork_file(source, path, cwd=session.cwd)
            forked = opened(path)
        elif session.leaf_id is None:
            return _error("/fork: nothing was said in this session yet.")
        else:
            forked = runtime.forked()
        return await self._begin(forked, "fork", "A session of its own, from here on. The one before stays as it is.")

    async def tree(self, args: str) -> Answer:
        """Go to the point that is named by its number or chosen."""
        found = await self._points()
        if not found:
            return _error("/tree: nothing was said in this session yet.")
        if args:
            number = int(args) if re.fullmatch("[0-9]{1,9}", args) else 0
            if not 1 <= number <= len(found):
                return _error(f"/tree {clipped(args)}: it is a number from 1 to {len(found)}. /tree lists them.")
            return await self._go_to(found[number - 1])
        lines = distinct([point.line for point in found])
        if not self._runtime.front.has_ui:
            rows = [f"{number:>3}. {line}" for number, line in enumerate(lines, 1)]
            return Answer(text="\n".join([*rows, "/tree <number> goes there."]))
        line = await self._runtime.front.ui.select("Go to which point (newest first, * on this branch)?", lines)
        return NOTHING_CHOSEN if line is None else await self._go_to(found[lines.index(line)])

    async def _points(self) -> Sequence[Point]:
        session = self._runtime.session
        if session.path is not None and session.path.exists() and session.path.stat().st_size > LONG_BYTES:
            self._runtime.front.ui.notify("Reading all of a long session …")
            await asyncio.sleep(SHOW_S)
        return points(session)

    async def rewind(self, args: str) -> Answer:
        """Go before the n-th last message of the person."""
        number = int(args or "1") if re.fullmatch("[0-9]{0,9}", args) else 0
        if number < 1:
            return _error(f"/rewind {clipped(args)}: it is how many messages of yours to go back, 1 or more.")
        said = said_last(self._runtime.session.branch(), number)
        if len(said) < number:
            plural = "s" * (len(said) != 1)
            return _error(f"/rewind {number}: this branch has {len(said)} message{plural} of yours.")
        parent, session = said[-1].get("parentId"), self._runtime.session
        # A parent that is missing is the beginning, as where the branch is shown.
        is_there = isinstance(parent, str) and session.entry(parent) is not None
        return await self._move(str(parent) if is_there else None, words_of(said[-1]))

    def complete_rewind(self, args: str) -> Sequence[Completion]:
        """Offer the last messages by their numbers."""
        said = enumerate(said_last(self._runtime.session.branch(), OFFERED_MESSAGES), 1)
        return [
            Completion(value=str(number), label=str(number), description=clipped(words_of(entry)))
            for number, entry in said
            if str(number).startswith(args)
        ]

    async def compact(self, args: str) -> Answer:
        """Have older messages become a summary."""
        end = await self._runtime.compact(args)
        return Answer(text=end.line, is_error=end.reason in {"error", "aborted"})

    async def handoff(self, args: str) -> Answer | None:
        """Begin a new session with the plan."""
        before = self._kept()
        handed = handoff(before.branch(), args, self._runtime.handoff, before=name_of(before))
        new = self._runtime.place.new(before.cwd)
        try:
            for kind, fields in handed.entries:
                new.append(kind, fields)
        except BaseException:
            new.close()
            raise
        return await self._begin(new, "new", handed.answer)

    async def _go_on_with(self, path: Path) -> Answer | None:
        if is_same(path, self._runtime.session.path):
            return _error("/resume: this is the session you are in.")
        self._kept()
        session = opened(path)
        for notice in session.notices:
            self._runtime.front.ui.notify(notice, "warning")
        found = listed_in(path)
        name = "" if found is None else found.name or found.first_words
        return await self._begin(session, "resume", f"Resumed: {clipped(name or path.stem)}.")

    def _kept(self) -> Session:
        """The session of now, which may be left: all of it is on the disk, or it was never to be.

        Raises:
            TodoContextError: what was said last would be gone.
        """
        session, unsaved = self._runtime.session, self._runtime.unsaved
        if unsaved:
            raise TodoContextError(
                f"{session.path}: {unsaved}, and leaving would lose it. Make room or check its folder and try again, "
                "or /fork takes all of it into a new file."
            )
        return session

    def _listed(self, found: Sequence[Listed], *, is_asked: bool) -> Answer:
        rows = [f"{line} · {for_screen(one.path.name)}" for line, one in zip(lines_of(found), found, strict=True)]
        if is_asked:
            numbered = [f"{number:>3}. {row}" for number, row in enumerate(rows, 1)]
            return Answer(text="\n".join([*numbered, "/resume <number, part of a name, or a path> goes on with one."]))
        last = "/resume <part of a name, or a path> goes on with one."
        return _error("\n".join(["/resume: several are meant.", *rows, last]))

    async def _go_to(self, point: Point) -> Answer:
        return await self._move(point.leads_to, point.draft)

    async def _move(self, entry_id: str | None, draft: str) -> Answer:
        """Go on after an entry, with what the person had said there as the next line's beginning."""
        runtime, left = self._runtime, self._runtime.session.leaf_id
        runtime.session.move_to(entry_id)
        runtime.front.recall(*last_exchange(runtime.session.branch()))
        await runtime.happen("session_tree", {"oldLeafId": left, "newLeafId": runtime.session.leaf_id})
        if not draft:
            return Answer(text=self._with_progress("You are there now."))
        if not runtime.front.has_ui:
            text = self._with_progress("You are there now.")
            return Answer(text=f"{text} You had said:\n{lines_for_screen(draft)}")
        runtime.draft = draft
        return Answer(text=self._with_progress(f'You are there now, before "{clipped(draft)}".'))

    async def _begin(self, session: Session, reason: "Reason", line: str, *, with_plan: bool = True) -> Answer | None:
        """Begin another session, and say so. A person is told of its plan at its start, after that line."""
        if self._runtime.front.has_ui:
            await self._runtime.begin_anew(session, reason, saying=line)
            return None
        await self._runtime.begin_anew(session, reason)
        return Answer(text=self._with_progress(line) if with_plan else line)

    def _with_progress(self, line: str) -> str:
        told = progress_here(self._runtime.session.branch())
        return f"{line} Plan: {told}" if told else f"{line} There is no plan."


def _error(line: str) -> Answer:
    return Answer(text=lines_for_screen(line), is_error=True)
