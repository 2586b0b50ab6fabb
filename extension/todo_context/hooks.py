"""What the extension does at the events of a host: it tells the person and the model of the plan.

Each is derived from the branch of that moment; nothing is remembered from one event to the next.
"""

from collections.abc import Mapping, Sequence

from todo_context.attention import STOP_TYPE, facts_of, moved_mark, place, reminder, stop_reminder
from todo_context.awaiting import awaited
from todo_context.lane import Lane
from todo_context.pi import Context, Entry, Pi
from todo_context.plan.model import Json
from todo_context.plan.select import counts, progress
from todo_context.plan.sources import OURS
from todo_context.settings import AttentionSettings

Event = Mapping[str, Json]

LATE_ENTRIES = 8
"""How far back the answer is looked for at the end of its turn; others may have stored something since."""


class Hooks:
    """The handlers, over one session's host and lane. `guidance` is what they add to the system prompt, if anything."""

    def __init__(self, pi: Pi, lane: Lane, settings: AttentionSettings, guidance: str = "") -> None:
        self._pi = pi
        self._lane = lane
        self._settings = settings
        self._guidance = guidance

    def register(self) -> None:
        """Have the host call them."""
        self._pi.on("session_start", self.tell_what_was_found)
        if self._guidance:
            self._pi.on("before_agent_start", self.guide)
        if self._pi.capabilities.context_hook:
            self._pi.on("context", self.remind)
        if self._pi.capabilities.payload_hook:
            self._pi.on("before_provider_request", self.move_the_mark)
        if self._pi.capabilities.goes_on:
            self._pi.on("turn_end", self.guard_the_stop)

    async def tell_what_was_found(self, _event: Event, ctx: Context) -> None:
        """At the start of a session: what had to be mended, and how far the plan is."""
        if not ctx.has_ui:
            return
        snapshot = await self._lane.read()
        for warning in snapshot.warnings:
            ctx.ui.notify(f"plan: {warning}", "warning")
        if counts(snapshot.plan).total:
            ctx.ui.notify(f"Plan: {progress(snapshot.plan)} /todo shows it.")

    async def guide(self, event: Event, _ctx: Context) -> Mapping[str, Json] | None:
        """Before a run: say in the system prompt when a plan is worth it, behind what stands there."""
        before = event.get("systemPrompt")
        if not isinstance(before, str) or not await awaited(self._pi.offers(OURS)):
            return None
        return {"systemPrompt": "\n\n".join(filter(None, (before, self._guidance)))}

    async def remind(self, event: Event, _ctx: Context) -> Mapping[str, Json] | None:
        """Before a request: put the reminder into the copy that is sent."""
        messages = event.get("messages")
        if not isinstance(messages, list) or not await awaited(self._pi.offers(OURS)):
            return None
        branch = as_of(await awaited(self._pi.branch()), event.get("leafId"))
        text = reminder(facts_of(branch), self._settings)
        return {"messages": place(messages, text, self._settings.placement)}

    def move_the_mark(self, event: Event, _ctx: Context) -> Mapping[str, Json] | None:
        """Before a request goes out: take a mark for the provider's cache off the reminder."""
        payload = event.get("payload")
        return moved_mark(payload) if isinstance(payload, dict) else None

    async def guard_the_stop(self, event: Event, ctx: Context) -> None:
        """At the end of a turn that leaves tasks to do: a message of ours, with which the agent goes on."""
        if not await awaited(self._pi.offers(OURS)):
            return
        message = event.get("message")
        if _has_calls(message):
            return
        branch = list(await awaited(self._pi.branch()))
        if all(entry.get("message") != message for entry in branch[-LATE_ENTRIES:]):
            # A host may store the answer later than it tells of it.
            branch.append({"type": "message", "message": message})
        facts = facts_of(branch)
        text = stop_reminder(facts, self._settings, has_background_work=self._pi.has_background_work())
        if text is None:
            return
        self._pi.send_message(text, custom_type=STOP_TYPE, display=False, trigger_turn=True)
        if ctx.has_ui:
            number = f"{facts.stop.reminders + 1} of {self._settings.stop_reminders}"
            said = f"The agent stopped with tasks to do, and was told to go on ({number})."
            ctx.ui.notify(f"{said} {progress(facts.plan)}")


def as_of(branch: Sequence[Entry], leaf: Json) -> Sequence[Entry]:
    """The branch up to the entry of this id, from which a request was made; all of it where the host tells none.

    What came since is not said in that request: by its leaf it is known what was, and the next one says it.
    """
    since = next((number for number, entry in enumerate(reversed(branch)) if entry.get("id") == leaf), 0)
    return branch[: len(branch) - since] if since else branch


def _has_calls(message: Json) -> bool:
    content = message.get("content") if isinstance(message, dict) else None
    return isinstance(content, list) and any(
        isinstance(part, dict) and part.get("type") == "toolCall" for part in content
    )
