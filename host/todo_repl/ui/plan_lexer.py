"""Colours for a checklist in the editor: what each line is, and which ones could not be read. Pure.

The words are prompt_toolkit's. Colours are the terminal's own, and where there are none, weight and a rule below the
line tell as much.
"""

import re
from collections.abc import Callable

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer

_LINE = re.compile(r"(?P<lead>\s*(?:[-*+]|[0-9]+[.)])\s+)(?P<mark>\[.?\])(?P<text>.*)")

_MARKS = {"[/]": "bold ansicyan", "[>]": "bold ansicyan", "[~]": "bold ansicyan", "[!]": "ansiyellow"}
_CLOSED = {"[x]", "[X]", "[-]"}

FAULTY = "ansired underline"


class PlanLexer(Lexer):
    """The lines of `faulty`, by their numbers from 1, stand out until they are changed."""

    def __init__(self, opened: str, faulty: frozenset[int]) -> None:
        lines = opened.split("\n")
        self._faulty = frozenset(lines[number - 1] for number in faulty if number <= len(lines))

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """A line at a time."""
        return lambda number: self._line(document.lines[number]) if number < len(document.lines) else []

    def _line(self, line: str) -> StyleAndTextTuples:
        if line in self._faulty:
            return [(FAULTY, line)]
        stripped = line.lstrip()
        if stripped.startswith("#"):
            return [("bold", line)]
        if stripped.startswith(("<!--", ">")):
            return [("dim", line)]
        found = _LINE.fullmatch(line)
        if found is None:
            return [("", line)]
        mark, text = found["mark"], found["text"]
        style = "dim" if mark in _CLOSED else _MARKS.get(mark, "")
        return [("", found["lead"]), (style or "bold", mark), (style, text)]
