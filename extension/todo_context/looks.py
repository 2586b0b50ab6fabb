"""How the plan, and what stands around it, look: one table of glyphs, one of styles by role. Pure.

Every glyph takes one cell in every terminal we know: no emoji, nothing that needs a variation selector. Styles are
Rich's; without colours they still differ in weight.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from todo_context.plan.model import Status
from todo_context.settings import PanelSettings

Role = Literal[
    "title",
    "count",
    "bar_done",
    "bar_open",
    "phase",
    "active",
    "pending",
    "completed",
    "abandoned",
    "blocked",
    "reason",
    "note",
    "more",
    "hint",
    "tool",
    "info",
    "warning",
    "error",
    "status",
    "prompt",
    "preview",
    "selected",
]
"""What a piece of text is. Those from `tool` on are for a host's own screen."""

Styles = Mapping[Role, str]
"""What each looks like, in the words of Rich."""

ROLES: Mapping[Status, Role] = {
    Status.PENDING: "pending",
    Status.IN_PROGRESS: "active",
    Status.COMPLETED: "completed",
    Status.ABANDONED: "abandoned",
    Status.BLOCKED: "blocked",
}
"""What the text of a task is."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The marks, one cell each. `spinner` are the pictures of the active task while the agent works."""

    pending: str
    active: str
    completed: str
    abandoned: str
    blocked: str
    spinner: tuple[str, ...]
    bar_done: str
    bar_open: str
    ellipsis: str
    dash: str
    dot: str
    bullet: str
    prompt: str

    def mark(self, status: Status) -> str:
        """The mark of a task."""
        found: str = getattr(self, ROLES[status])
        return found


GLYPHS: Mapping[str, Glyphs] = {
    "unicode": Glyphs(
        pending="○",
        active="▸",
        completed="✓",
        abandoned="×",  # noqa: RUF001 - a sign, and one cell wide
        blocked="!",
        spinner=tuple("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"),
        bar_done="━",
        bar_open="─",
        ellipsis="…",
        dash="—",
        dot="·",
        bullet="•",
        prompt=">",
    ),
    "ascii": Glyphs(
        pending=".",
        active=">",
        completed="x",
        abandoned="-",
        blocked="!",
        spinner=tuple("|/-\\"),
        bar_done="=",
        bar_open="-",
        ellipsis="~",
        dash="-",
        dot="-",
        bullet="*",
        prompt=">",
    ),
}

_DARK: Styles = {
    "title": "bold",
    "count": "",
    "bar_done": "green",
    "bar_open": "dim",
    "phase": "bold",
    "active": "bold cyan",
    "pending": "",
    "completed": "dim strike",
    "abandoned": "dim strike",
    "blocked": "yellow",
    "reason": "dim",
    "note": "dim",
    "more": "dim",
    "hint": "dim",
    "tool": "dim",
    "info": "",
    "warning": "yellow",
    "error": "red",
    "status": "dim",
    "prompt": "bold",
    "preview": "dim italic",
    "selected": "reverse",
}
_LIGHT: Styles = {
    **_DARK,
    # Cyan and yellow cannot be read on white.
    "active": "bold blue",
    "blocked": "magenta",
    "warning": "magenta",
}
_PLAIN: Styles = {
    **_DARK,
    "bar_done": "bold",
    "active": "bold",
    "blocked": "",
    "warning": "bold",
    "error": "bold",
}

STYLES: Mapping[str, Styles] = {"dark": _DARK, "light": _LIGHT, "plain": _PLAIN}
"""By theme. The colours are the sixteen that a terminal has its own idea of."""

_LIGHT_BACKGROUNDS = frozenset({"7", "15"})
"""White, as COLORFGBG numbers the sixteen colours. Source: rxvt; others set it too."""


@dataclass(frozen=True, slots=True)
class Looks:
    """The glyphs and styles of one screen. `is_animated`: whether what changes may move."""

    glyphs: Glyphs
    styles: Styles
    is_animated: bool


def looks(settings: PanelSettings, environ: Mapping[str, str], *, has_unicode: bool) -> Looks:
    """What the settings choose, for a screen that shows more than ASCII if `has_unicode`."""
    kind = settings.glyphs if settings.glyphs != "auto" else "unicode" if has_unicode else "ascii"
    has_colours = not environ.get("NO_COLOR")
    theme = settings.theme if settings.theme != "auto" else _theme(environ) if has_colours else "plain"
    return Looks(GLYPHS[kind], STYLES[theme], is_animated=settings.motion and has_colours)


def styles_of(settings: PanelSettings, environ: Mapping[str, str]) -> Styles:
    """The colours that the settings choose."""
    return looks(settings, environ, has_unicode=True).styles


def shows_unicode(encoding: str | None) -> bool:
    """Whether a stream of this encoding shows more than ASCII."""
    return (encoding or "").lower().replace("-", "").replace("_", "") == "utf8"


def _theme(environ: Mapping[str, str]) -> str:
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if background in _LIGHT_BACKGROUNDS else "dark"
