"""What is not finished: the end of an answer as it comes, tools that run, a summary that is made."""

from dataclasses import dataclass, field

from todo_context.cells import cut
from todo_context.looks import Looks
from todo_repl.ui.app.rows import Row, last_rows, prompt_style

WORKING, THINKING, STOPS = "Working", "Thinking", "Esc stops"


@dataclass
class Tail:
    """What there is to show. `text` is as the model wrote it, without controls; `doings` are lines, by their ids."""

    text: str = ""
    doings: dict[str, str] = field(default_factory=dict[str, str])
    is_thinking: bool = False

    def rows(self, width: int, most: int, looks: Looks, tick: int) -> list[Row]:
        """At most `most` rows, one at least while something is under way, so that nothing jumps between two lines."""
        if most <= 0:
            return []
        if self.text.strip():
            return [[("", row)] for row in last_rows(self.text.rstrip("\n"), width, most)]
        style = prompt_style(looks.styles["tool"])
        pictures = looks.glyphs.spinner
        picture = pictures[tick % len(pictures)] if tick else looks.glyphs.dot
        doings = list(self.doings.values())[-most:] or [THINKING if self.is_thinking else WORKING]
        ellipsis = looks.glyphs.ellipsis
        return [[(style, cut(f"{picture} {doing} {ellipsis}", width, ellipsis))] for doing in doings]
