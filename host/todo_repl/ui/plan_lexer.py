"""Colours for a checklist in the editor: what each line is, and which ones could not be read. Pure.

The colours are those of the panel; where there are none, weight and a rule below the line tell as much.
"""

import re
from collections.abc import Callable, Mapping

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer

from todo_context.looks import Looks, Role
from todo_repl.ui.app.rows import prompt_style

_LINE = re.compile(r"(?P<lead>\s*(?:[-*+]|[0-9]+[.)])\s+)(?P<mark>\[.?\])(?P<text>.*)")

_MARKS: Mapping[str, Role] = {
    **dict.fromkeys(("[/]", "[>]", "[~]"), "active"),
    **dict.fromkeys(("[x]", "[X]", "[-]"), "more"),
    "[!]": "blocked",
}


class PlanLexer(Lexer):
    """The lines of `faulty`, by their numbers from 1, stand out until they are changed."""

    def __init__(self, opened: str, faulty: frozenset[int], looks: Looks) -> None:
        self._looks = looks
        lines = opened.split("\n")
        self._faulty = frozenset(lines[number - 1] for number in faulty if number <= len(lines))

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """A line at a time."""
        return lambda number: self._line(document.lines[number]) if number < len(document.lines) else []

    def _line(self, line: str) -> StyleAndTextTuples:
        if line in self._faulty:
            return [(f"{self._style('error')} underline", line)]
        stripped = line.lstrip()
        if stripped.startswith("#"):
            return [(self._style("phase"), line)]
        if stripped.startswith(("<!--", ">")):
            return [(self._style("note"), line)]
        found = _LINE.fullmatch(line)
        if found is None:
            return [("", line)]
        mark, text = found["mark"], found["text"]
        style = self._style(_MARKS.get(mark, "pending"))
        return [("", found["lead"]), (style or "bold", mark), (style, text)]

    def _style(self, role: Role) -> str:
        return prompt_style(self._looks.styles[role])
