"""Compaction: the older part of a conversation becomes a summary, so that what follows fits into the model's window.

The branch loses nothing: one entry says what the summary is and from where on the context goes on as it was said.
Nothing is stored unless the context gets shorter by it. The plan is read for the summary, and never touched.
Source: the entries and the events are pi's.
"""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from todo_context.errors import TodoContextError
from todo_context.pi import Entry
from todo_context.plan.model import Json
from todo_context.plan.replay import latest
from todo_context.plan.text import for_screen
from todo_context.prompt import prompt
from todo_context.settings import Settings
from todo_repl import agent_events as events
from todo_repl.agent_events import CompactionEnd, CompactionEnded, CompactionStarted, Emit, Tell, Why
from todo_repl.compaction_cut import Cut, cut_of, length_after, length_of, scaled
from todo_repl.context import Span, message_of, span_of
from todo_repl.draft import Draft
from todo_repl.models import KnowsWindow, Model, ModelError
from todo_repl.request_messages import as_messages
from todo_repl.session import Session
from todo_repl.summary_request import summary_request

PROMPT = "summary"
"""The name of the prompt."""

WORTH = 10
"""Of the tokens that may be used, the part (one of so many) that a compaction by itself must take away at least: else
each request would be preceded by one that asks for a summary of nearly nothing."""

AT_PERCENT = 80
"""Of the model's window, the part that may be filled. The rest is for the answer, and for what is only estimated."""

KEEP_TOKENS = 20_000
"""Of the newest messages, which stay as they were said. Source: pi, keepRecentTokens."""

FIELDS = ("summary", "firstKeptEntryId", "tokensBefore", "details")
"""Of the entry. Source: pi, CompactionEntry."""

CUT_OFF = "\n\n(The summary ends here: it reached the length that the model may write.)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacting:
    """How a session is compacted: the settings of that name under [repl], and the words to ask with ("": our own)."""

    at_percent: int = AT_PERCENT
    window_tokens: int = 0
    keep_tokens: int = KEEP_TOKENS
    prompt: str = ""

    @classmethod
    def of(cls, settings: Settings) -> "Compacting":
        """Take them from the settings.

        Raises:
            TodoContextError: the prompt in `prompts_dir` cannot be used.
        """
        repl = settings.repl
        return cls(
            at_percent=repl.compact_at,
            window_tokens=repl.context_window,
            keep_tokens=repl.keep_recent_tokens,
            prompt=prompt(PROMPT, settings.plan.prompts_dir, package="todo_repl"),
        )


STOPPED = CompactionEnd(reason="aborted", line="Not compacted: it was stopped.")


class NoSummaryError(TodoContextError):
    """There is no summary to store."""


@dataclass(eq=False)
class Compactor:
    """Compacts one session. `emit` tells the screen, `tell` the extensions.

    Raises (each method): SessionError, the session cannot be read or written. All else is in what they return.
    """

    session: Session
    model: Model
    compacting: Compacting
    emit: Emit
    tell: Tell
    _window: int | None = field(default=None, init=False)
    """The model's window in tokens, once it was asked for; 0: nobody knows."""

    async def by_request(self, wish: str = "") -> CompactionEnd:
        """Compact now. `wish` is what the person wants the summary to keep above all."""
        most = await self._most()
        keep = min(self.compacting.keep_tokens, most // 2) if most else self.compacting.keep_tokens
        return await self._compact("asked", keep, room=most, wish=wish)

    async def if_full(self) -> CompactionEnd | None:
        """Compact if the next request would fill the window beyond what the settings allow, and if that is worth it."""
        most = await self._most() if self.compacting.at_percent else None
        if not most:
            return None
        span, keep = span_of(self.session.branch()), min(self.compacting.keep_tokens, most // 2)
        if length_of(span).tokens <= most:
            return None
        cut = cut_of(span, keep)
        if cut is None or cut.older_tokens < most // WORTH:
            return None
        return await self._compact("full", keep, room=most)

    async def after_refusal(self) -> CompactionEnd:
        """Compact because the provider refused a request for its length: to half of what it refused, or less."""
        half = length_of(span_of(self.session.branch())).tokens // 2
        return await self._compact("refused", min(self.compacting.keep_tokens, half), room=half)

    async def _most(self) -> int | None:
        """How many tokens of the window may be used; None where nobody knows how large it is."""
        if self._window is None:
            known = self.compacting.window_tokens
            if not known and isinstance(self.model, KnowsWindow):
                known = await self.model.context_window() or 0
            self._window = known
        share = self.compacting.at_percent or AT_PERCENT
        return self._window * share // 100 or None

    async def _compact(self, why: Why, keep_tokens: int, *, room: int | None, wish: str = "") -> CompactionEnd:
        # Before the model is asked: the summary could not be stored where another program went on.
        self.session.look()
        span = span_of(self.session.branch())
        end = STOPPED
        try:
            cut = cut_of(span, keep_tokens)
            if cut is None:
                end = CompactionEnd(reason="nothing", line=_nothing(span, keep_tokens))
                return end
            self.emit(CompactionStarted(why, cut.length.tokens))
            left = await self.tell(events.session_before_compact(_preparation(cut, keep_tokens), wish))
            if left.get("cancel"):
                end = CompactionEnd(reason="cancelled", line="Not compacted: an extension does not want it.")
                return end
            given = left.get("compaction")
            made = given if isinstance(given, dict) else await self._made(cut, room, wish)
            end = self._stored(made, cut, from_extension=made is given)
            if end.entry_id is not None and (entry := self.session.entry(end.entry_id)) is not None:
                await self.tell(events.session_compact(entry, from_extension=made is given))
        except (ModelError, NoSummaryError) as error:
            end = CompactionEnd(reason="error", line=for_screen(f"Not compacted: {error}"))
        finally:
            self.emit(CompactionEnded(why, end))
        return end

    async def _made(self, cut: Cut, room: int | None, wish: str) -> dict[str, Json]:
        system = self.compacting.prompt or prompt(PROMPT, package="todo_repl")
        plan = latest(self.session.branch()).plan
        request = summary_request(cut, plan, system=system, wish=wish, room_tokens=room)
        draft = Draft(self.model)
        async with aclosing(self.model.stream(request)) as deltas:
            async for delta in deltas:
                draft.add(delta)
        answer = draft.finished()
        if not answer.text.strip():
            raise NoSummaryError(answer.error_message or "the model wrote no summary. Try again.")
        summary = answer.text.strip() + CUT_OFF * (answer.stop_reason == "length")
        return {"summary": summary, "firstKeptEntryId": cut.first_kept_id, "tokensBefore": cut.length.tokens}

    def _stored(self, made: dict[str, Json], cut: Cut, *, from_extension: bool) -> CompactionEnd:
        first_kept = str(made["firstKeptEntryId"])
        kept = _kept(self.session.branch(), first_kept)
        if kept is None:
            raise NoSummaryError(f"entry {first_kept}, from where the context was to go on, is not on this branch.")
        before, after = cut.length.tokens, length_after(str(made["summary"]), kept, cut.length)
        if after >= before:
            line = f"Not compacted: it would be no shorter, about {after:,} tokens instead of {before:,}."
            return CompactionEnd(reason="nothing", line=line)
        fields = {key: made[key] for key in FIELDS if key in made}
        if from_extension:
            fields["fromHook"] = True
        entry_id = self.session.append("compaction", fields)
        line = f"Compacted: {before:,} tokens to about {after:,}."
        return CompactionEnd(reason="done", line=line, entry_id=entry_id, tokens_before=before, tokens_after=after)


def _nothing(span: Span, keep_tokens: int) -> str:
    tokens = scaled([*span.kept, *span.new], length_of(span))
    if tokens <= keep_tokens:
        what = "the conversation" if span.compaction is None else "beside its summary the conversation"
        return (
            f"Nothing to compact: {what} has about {tokens:,} tokens, and the newest {keep_tokens:,} stay as they are."
        )
    return f"Nothing to compact: nothing stands before the newest message, and it has about {tokens:,} tokens."


def _preparation(cut: Cut, keep_tokens: int) -> dict[str, Json]:
    """What is about to happen. Source: pi, CompactionPreparation."""
    return {
        "firstKeptEntryId": cut.first_kept_id,
        "messagesToSummarize": as_messages(cut.turns),
        "turnPrefixMessages": as_messages(cut.turn),
        "isSplitTurn": bool(cut.turn),
        "tokensBefore": cut.length.tokens,
        "previousSummary": cut.earlier or None,
        "settings": {"keepRecentTokens": keep_tokens},
    }


def _kept(branch: Sequence[Entry], first_kept: str) -> Sequence[Entry] | None:
    """What the context holds beside a summary that keeps from this entry on; None if it is not on the branch."""
    kept: list[Entry] = []
    for entry in reversed(branch):
        if entry.get("type") != "compaction" and message_of(entry) is not None:
            kept.append(entry)
        if entry.get("id") == first_kept:
            return kept
    return None
