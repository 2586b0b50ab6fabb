"""What can be set: each setting once, as a field with its type, default, unit and reason. Nothing is read here.

`config.py` reads them. What is `[repl]`, `[panel]` or `[keys]` is of the todo-context program; the rest is of any host.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import TypeVar, cast

from todo_context.plan.bounds import DEFAULT as BOUNDS
from todo_context.plan.bounds import Bounds

Value = bool | int | str
_V = TypeVar("_V", bool, int, str)


def _setting(*, default: _V, unit: str, reason: str, least: int | None = None, among: tuple[str, ...] = ()) -> _V:
    """Declare one setting. `unit` says what a value is, `reason` why one would change it.

    A number is `least` or more; a text is one of `among`, if there are any.
    """
    return field(default=default, metadata={"unit": unit, "reason": reason, "least": least, "among": among})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSettings:
    """`[plan]`: how the plan behaves."""

    auto_start: bool = _setting(
        default=True,
        unit="true or false",
        reason="The first pending task starts when none is in progress. Off for people who start each task themselves.",
    )
    prompts_dir: str = _setting(
        default="",
        unit="text, a folder; empty: the built-in ones",
        reason="Its todo_write.md takes the place of the tool's description, its eager_soft.md and the like that "
        "of what says when to plan, its system.md and summary.md those of what this program says to a model that "
        "answers or sums up, for a model or a team that needs other words.",
    )
    reply_open_tasks: int = _setting(
        default=BOUNDS.open_tasks,
        unit="a whole number of open tasks in one reply to the model, 1 or more",
        reason="A long plan costs tokens each time it is told; what is left out is counted, and the model can view it.",
        least=1,
    )
    reply_line_characters: int = _setting(
        default=BOUNDS.line_characters,
        unit="a whole number of characters of one line in a reply, 20 or more",
        reason="One task of 20,000 characters must not fill the model's window; it is told by its beginning.",
        least=20,
    )
    view_characters: int = _setting(
        default=BOUNDS.view_characters,
        unit="a whole number of characters of the plan in one reply, 200 or more",
        reason="A view folds nothing, and a model's window is not endless.",
        least=200,
    )

    @property
    def bounds(self) -> Bounds:
        """How much of the plan a reply shows."""
        return Bounds(
            open_tasks=self.reply_open_tasks,
            line_characters=self.reply_line_characters,
            view_characters=self.view_characters,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionSettings:
    """`[attention]`: what a model is told of the plan before a request, and when it stops too soon."""

    eager: str = _setting(
        default="soft",
        unit='"off", "soft" or "first"',
        reason="How much the system prompt asks for a plan. Soft, because models heed that more than the description "
        "of a tool, in which the same would else be said; the line costs 36 tokens, and says too when a plan is "
        "not worth it. First, for a model that begins without one all the same; off, for one that plans too much.",
        among=("off", "soft", "first"),
    )
    reminder: bool = _setting(
        default=True,
        unit="true or false",
        reason="Whether requests carry the open plan and what is due at all. Off, only the model's own calls tell it.",
    )
    placement: str = _setting(
        default="tail",
        unit='"tail" or "last_user"',
        reason="At the tail, what was sent before stays as it was, and a provider's cache holds. In the last message "
        "of the user, for a model that heeds only that: each request then reads anew what came after it.",
        among=("tail", "last_user"),
    )
    reminder_characters: int = _setting(
        default=2_000,
        unit="a whole number of characters of one reminder, 500 or more",
        reason="It goes along with every request, and is paid for each time. 2,000 are about 500 tokens.",
        least=500,
    )
    plan_tasks: int = _setting(
        default=20,
        unit="a whole number of open tasks in one reminder; 0: no plan in it, only what is due",
        reason="The next few tasks are what a model works on; the rest is counted, and can be viewed.",
        least=0,
    )
    plan_notes: bool = _setting(
        default=True,
        unit="true or false",
        reason="Notes of open tasks keep what a summary of the conversation loses. They yield where room is short.",
    )
    line_characters: int = _setting(
        default=200,
        unit="a whole number of characters of one line in a reminder, 20 or more",
        reason="One task of 20,000 characters must not stand before every request; it is told by its beginning.",
        least=20,
    )
    tell_edits: bool = _setting(
        default=True,
        unit="true or false",
        reason="A model that is not told what you removed builds it anew.",
    )
    tell_carried_over: bool = _setting(
        default=True,
        unit="true or false",
        reason="After a summary or a handoff an old list looks like an order; this says what it is.",
    )
    tell_interrupted: bool = _setting(
        default=True,
        unit="true or false",
        reason="The plan of a run that you broke off may have nothing to do with what you ask next.",
    )
    quiet_rounds: int = _setting(
        default=3,
        unit="a whole number of answers in a row without todo_write, after which a reminder says so, and again after "
        "twice and four times as many; 0: never",
        reason="A plan that nobody keeps up is worse than none. One that is asked after too often is noise.",
        least=0,
    )
    verify_from_tasks: int = _setting(
        default=3,
        unit="a whole number of tasks, all closed, from which a reminder says that none was a check; 0: never",
        reason="Work of several steps is rarely done before somebody looked at it; small plans need no check of their "
        "own.",
        least=0,
    )
    stop_reminders: int = _setting(
        default=3,
        unit="a whole number of times that an agent which stops with tasks to do is told so; 0: never",
        reason="Models end their turn too soon; told more often without getting on, they turn in a circle.",
        least=0,
    )

    @property
    def quiet_crossings(self) -> tuple[int, ...]:
        """After how many answers without a call a reminder says so."""
        return tuple(self.quiet_rounds * times for times in (1, 2, 4)) if self.quiet_rounds else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BacklogSettings:
    """`[backlog]`: the items that outlive sessions."""

    store: str = _setting(
        default="",
        unit='text, a file, or "json:" and a file in armory\'s form; empty: backlog.db in the data folder',
        reason="A store of one's own keeps apart what others need not see; a JSON file can be read and compared.",
    )
    project: str = _setting(
        default="",
        unit="text, a name that is used as it stands; empty: the repository's remote, else its folder",
        reason="Two terminals in one folder may work on different things.",
    )
    tool: bool = _setting(
        default=True,
        unit="true or false",
        reason="Whether the model is offered the tool todo. Off, it is told nothing of the backlog either.",
    )
    inject: str = _setting(
        default="message",
        unit='"message", "system" or "off"',
        reason="How a model is told what is open. As a message it is told once and then what changed, which caches "
        "bear; in the system prompt it is always as of now, and each change has all of the conversation read anew.",
        among=("message", "system", "off"),
    )
    lease_minutes: int = _setting(
        default=30,
        unit="a whole number of minutes, 1 or more",
        reason="For how long an item stays claimed by a session that gives no sign of life. Then others may have it.",
        least=1,
    )
    auto_prune: bool = _setting(
        default=False,
        unit="true or false",
        reason="Whether each start of a session archives what was closed prune_days ago. Nothing is deleted by it.",
    )
    prune_days: int = _setting(
        default=7,
        unit="a whole number of days, 0 or more",
        reason="How old a closed item is before prune archives it.",
        least=0,
    )
    agent_may_delete: bool = _setting(
        default=False,
        unit="true or false",
        reason="Whether the tool may delete archived items for good. You always may.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplSettings:
    """`[repl]`: the todo-context program."""

    model: str = _setting(
        default="",
        unit='text, "provider:name", such as "openai:gpt-5" or "anthropic:claude-sonnet-5"; empty: the offline planner',
        reason="The model to talk to when --model is not given.",
    )
    base_url: str = _setting(
        default="",
        unit="text, the address of a server that speaks the provider's API; empty: the provider's own",
        reason="Local servers and gateways speak the same API elsewhere.",
    )
    session_dir: str = _setting(
        default="",
        unit="text, a folder; empty: sessions/ in the data folder",
        reason="Sessions may be wanted on another disk, or beside the project.",
    )
    max_rounds: int = _setting(
        default=200,
        unit="a whole number of requests to the model for one message of yours, 1 or more",
        reason="A model that calls tools in a circle must end some day.",
        least=1,
    )
    compact_at: int = _setting(
        default=80,
        unit="a whole number of percent of the model's window, beyond which older messages become a summary; 0: only "
        "when you ask for it, or when the model refuses a request for its length",
        reason="The answer needs room too, and the length of what was not sent yet is an estimate.",
        least=0,
    )
    context_window: int = _setting(
        default=0,
        unit="a whole number of tokens that the model takes; 0: what is known of it",
        reason="Nobody knows how much a server of your own was told to take. Without it, older messages become a "
        "summary only when it refuses a request.",
        least=0,
    )
    keep_recent_tokens: int = _setting(
        default=20_000,
        unit="a whole number of tokens of the newest messages that stay as they were said, about, 1 or more",
        reason="More of them keep what was just being worked on; fewer leave more room. It is half of what may be "
        "used at most.",
        least=1,
    )
    handoff: str = _setting(
        default="plan",
        unit='"plan" or "message"',
        reason="Whether /handoff takes the plan along as it is, or the agent builds it anew, with the next todo_write, "
        "from a message that quotes what is open.",
        among=("plan", "message"),
    )
    reflow: str = _setting(
        default="auto",
        unit='"auto", "on" or "off"',
        reason="Whether the terminal wraps the lines on it anew when it becomes narrower. Wrong, a narrower screen "
        "keeps rows it should not, or loses some. auto takes all for such terminals but the Linux console and xterm.",
        among=("auto", "on", "off"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSettings:
    """`[panel]`: the plan that stands above the prompt, and how all of the screen looks."""

    show: bool = _setting(
        default=True,
        unit="true or false",
        reason="Off for people who want every row for the conversation; /todo shows the plan all the same.",
    )
    rows: int = _setting(
        default=8,
        unit="a whole number of rows of the panel at most, 2 or more; a third of the screen is never exceeded",
        reason="More rows show more of a long plan, fewer leave more of the conversation in sight.",
        least=2,
    )
    theme: str = _setting(
        default="auto",
        unit='"auto", "dark", "light" or "plain"',
        reason="Colours for a dark or a light background, or none. auto goes by COLORFGBG and NO_COLOR, and takes a "
        "terminal that says nothing for a dark one.",
        among=("auto", "dark", "light", "plain"),
    )
    glyphs: str = _setting(
        default="auto",
        unit='"auto", "unicode" or "ascii"',
        reason="Some fonts lack the marks. auto takes ASCII where the locale is not UTF-8.",
        among=("auto", "unicode", "ascii"),
    )
    motion: bool = _setting(
        default=True,
        unit="true or false",
        reason="Off, nothing moves by itself: no spinner, and a task that closes is struck through at once.",
    )


_KEYS = "text, keys by the names of prompt_toolkit: one after the other with a blank between, other ways after a comma"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySettings:
    """`[keys]`: what the keys at the prompt do. Each setting is an action; its reason says what it does."""

    submit: str = _setting(default="enter", unit=_KEYS, reason="send what is typed")
    newline: str = _setting(default="escape enter, c-j", unit=_KEYS, reason="begin a new line")
    complete: str = _setting(default="tab", unit=_KEYS, reason="complete")
    search: str = _setting(default="c-r", unit=_KEYS, reason="look for an earlier line")
    editor: str = _setting(default="c-x c-e", unit=_KEYS, reason="edit the line in your editor")
    panel: str = _setting(default="c-t", unit=_KEYS, reason="unfold the panel, or fold it")
    panel_up: str = _setting(default="pageup", unit=_KEYS, reason="scroll an unfolded panel up")
    panel_down: str = _setting(default="pagedown", unit=_KEYS, reason="scroll an unfolded panel down")
    redraw: str = _setting(default="c-l", unit=_KEYS, reason="draw the screen anew")
    abort: str = _setting(default="escape", unit=_KEYS, reason="close the menu, or stop the agent")
    interrupt: str = _setting(default="c-c", unit=_KEYS, reason="stop the agent, or clear the line; twice leaves")
    leave: str = _setting(default="c-d", unit=_KEYS, reason="leave, on an empty line")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings. `warnings` names what was set but is not known, one line each."""

    plan: PlanSettings = PlanSettings()
    attention: AttentionSettings = AttentionSettings()
    backlog: BacklogSettings = BacklogSettings()
    repl: ReplSettings = ReplSettings()
    panel: PanelSettings = PanelSettings()
    keys: KeySettings = KeySettings()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declared:
    """What one setting may be."""

    table: str
    key: str
    default: Value
    unit: str
    reason: str
    least: int | None
    among: tuple[str, ...]


TABLES: Mapping[
    str,
    type[PlanSettings]
    | type[AttentionSettings]
    | type[BacklogSettings]
    | type[ReplSettings]
    | type[PanelSettings]
    | type[KeySettings],
] = {
    "plan": PlanSettings,
    "attention": AttentionSettings,
    "backlog": BacklogSettings,
    "repl": ReplSettings,
    "panel": PanelSettings,
    "keys": KeySettings,
}


def declared() -> Iterator[Declared]:
    """All settings, in the order of this file."""
    for table, settings_class in TABLES.items():
        for f in fields(settings_class):
            yield Declared(table, f.name, cast("Value", f.default), **f.metadata)
