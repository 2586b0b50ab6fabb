"""A verb of the backlog as a person types it, in a session or a shell: words and options, and what is answered.

The same verbs serve `/todo backlog …`, `/backlog …` and `todo-context backlog …`; so what they answer is words for
the person, and what a script reads of it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from todo_command import answers, grammar
from todo_context.backlog import words
from todo_context.backlog.here import Here
from todo_context.backlog.item import Box, Item
from todo_context.backlog.outcomes import details_of, items_json, refusals_json, told
from todo_context.backlog.refusal import Refusal
from todo_context.backlog.secrets import masked
from todo_context.backlog.shapes import Outcome, Page, Query
from todo_context.backlog.store import Store
from todo_context.pi import Answer, Context
from todo_context.plan.model import Json

DONE, FAILED, USAGE, FLAGS_UP = 0, 1, 2, 4
"""Exit codes of a verb. The last one is that of health, when something is up."""

FLAG = ""
"""The value of an option that takes none."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a verb answers: words for the person, `data` for a script, and the exit code of a shell."""

    text: str
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])
    code: int = DONE

    @property
    def answer(self) -> Answer:
        """As a command of a session answers."""
        return Answer(text=self.text, is_error=self.code in {FAILED, USAGE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One call: the words after the verb, its options, and where it was typed."""

    words: tuple[str, ...]
    options: Mapping[str, Sequence[str]]
    here: Here
    ctx: Context
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def text(self) -> str:
        """The words as one text."""
        return " ".join(self.words)

    @property
    def me(self) -> str:
        """The name of this session."""
        return self.here.name(self.ctx)

    @property
    def project(self) -> str:
        """The project that is meant: the one that is named, else that of this folder."""
        return self.option("project") or self.here.project(self.ctx)

    def who(self, named: str) -> str:
        """Somebody of the history, as it is told to the person here."""
        if named == self.here.person(self.ctx).name:
            return "you"
        return "this session" if named == self.me else words.plain(named, words.NAME_COLUMNS)

    def option(self, name: str) -> str:
        """What an option was given, empty where it was not."""
        given = self.options.get(name)
        return given[-1] if given else ""

    def has(self, name: str) -> bool:
        """Whether an option was given."""
        return name in self.options


class UsageError(ValueError):
    """What was typed cannot be meant. Its text is for the person; the exit code of a shell is 2."""


_PAIRS = r'\\.|"(?:[^"\\]|\\.)*"'
_OPEN = re.compile(rf'{_PAIRS}|(?P<open>")', re.DOTALL)


def typed_words(line: str, valued: Iterable[str]) -> tuple[str, ...]:
    """The words of a line of a session, as `grammar.words`; a value behind an option of `valued` may stand in '…' too.

    Such a quote closes before white space or the end. Any other apostrophe is text, and behind `--` alone all are.

    Raises:
        UsageError: a quote does not close.
    """
    names = "|".join(map(re.escape, valued))
    # Nothing that stands in "…" is an option; what is empty would vanish among the words.
    of_option = rf"(?<!\S)--(?P<name>{names})(?:=|\s+)(?:'(?P<value>(?:(?!'(?!\S)).)*)'(?!\S)|'(?P<open>.*)|\"\"(?!\S))"
    line = re.sub(rf"{_PAIRS}|(?<!\S)--(?!\S).*|{of_option}", _in_double_quotes, line, flags=re.DOTALL)
    for match in _OPEN.finditer(line):
        if match["open"]:
            behind = words.name(line[match.end() :])
            raise UsageError(f'the quote before {behind} does not close. Close it, or write \\" for one that is text.')
    return grammar.words(line)


def _in_double_quotes(match: re.Match[str]) -> str:
    if match["name"] is None:
        return match[0]
    if match["open"] is not None:
        fact = f"the quote before {words.name(match['open'])} does not close"
        raise UsageError(f"--{match['name']}: {fact}. Close it, or leave it out.")
    value = (match["value"] or "").replace("\\", "\\\\").replace('"', '\\"')
    return f'--{match["name"]}="{value}"'


def read_options(given: Sequence[str], known: Mapping[str, bool]) -> tuple[tuple[str, ...], dict[str, list[str]]]:
    """Tell options from words. `known` says of each option whether it takes a value.

    What begins with `--` and is no option is one that is misspelled; after `--` alone all are words.

    Raises:
        UsageError: an option is not known, or its value is missing.
    """
    found_words: list[str] = []
    options: dict[str, list[str]] = {}
    rest = iter(given)
    for word in rest:
        if word == "--":
            found_words += rest
        elif not word.startswith("--"):
            found_words.append(word)
        else:
            name, has_value, value = word[2:].partition("=")
            if name not in known:
                raise UsageError(f"{_shown(word)}: no such option here. There is {_names(known)}.")
            if known[name] and not has_value:
                following = next(rest, None)
                if following is None:
                    raise UsageError(f"--{name} needs a value.")
                value = following
            options.setdefault(name, []).append(value if known[name] else FLAG)
    return tuple(found_words), options


def _names(known: Mapping[str, bool]) -> str:
    return ", ".join(f"--{name}" for name in known) or "none"


def _shown(word: str) -> str:
    return words.typed(word)


# --- what is meant, and what came of it -----------------------------------------------------------------


_SEARCHED = (frozenset({Box.ACTIVE}), frozenset({Box.PARKED, Box.CLOSED, Box.ARCHIVE}))
"""Where an item is looked for by its text: what is put away only if nothing that is active has it."""


async def meant(wish: Wish, named: Sequence[str]) -> tuple[str, ...] | Said:
    """The ids that words mean: each the id of an item, or all together a part of the text of one of this project."""
    if not named:
        raise UsageError("it needs the id of an item; /todo backlog lists them.")
    found = await wish.here.ask(lambda store: store.get(named))
    if not found.refusals:
        return tuple(item.id for item in found.items)
    text = " ".join(named)
    alike: Sequence[Item] = ()
    for boxes in _SEARCHED:
        query = Query(boxes=boxes, project=wish.project, text=text, limit=answers.CANDIDATES)
        alike = alike or (await wish.here.ask(partial(_items, query=query))).items
    exact = [item for item in alike if item.text.casefold() == text.casefold()]
    if len(alike) == 1 or len(exact) == 1:
        return ((exact or list(alike))[0].id,)
    if not alike and len(named) > 1 and len(found.refusals) == len(named):
        return not_found(
            [Refusal(code="unknown", fact=f"No item here has {words.name(text)}", step="backlog lists them")]
        )
    if not alike or len(found.refusals) < len(named):
        return not_found(found.refusals)
    return await _chosen(wish, text, alike)


def _items(store: Store, *, query: Query) -> Page:
    return store.list(query)


def not_found(refusals: Sequence[Refusal]) -> Said:
    """The answer where what is named is not there, or is not one item."""
    return Said("\n".join(map(words.refused, refusals)), {"refused": refusals_json(refusals)}, FAILED)


def refused_whole(code: str, message: str) -> dict[str, Json]:
    """What a script reads of a call that was refused as a whole."""
    return {"refused": [{"code": code, "id": "", "index": 0, "message": masked(message)}]}


async def _chosen(wish: Wish, text: str, alike: Sequence[Item]) -> tuple[str, ...] | Said:
    rows = words.lines(alike, wish.now, wish.me)
    if not wish.ctx.has_ui:
        ids = tuple(item.id for item in alike)
        no = Refusal(
            code="ambiguous", fact=f"{words.name(text)} matches several", step="Name one by its id", others=ids
        )
        said = not_found([no])
        return replace(said, text="\n".join([said.text, *rows]))
    choice = await wish.ctx.ui.select(f"Which of these {len(rows)} items?", rows)
    return (alike[rows.index(choice)].id,) if choice in rows else Said("Nothing chosen; the backlog is unchanged.")


async def changed(wish: Wish, change: Callable[[Store], Outcome]) -> Said:
    """Have the store change something; what came of it."""
    return outcome_said(wish, await wish.here.ask(change))


def outcome_said(wish: Wish, outcome: Outcome) -> Said:
    """What came of a change: refusals first, then what changed and what was so already."""
    refused = [words.refused(each) for each in outcome.refusals]
    lines = [*refused, *told(outcome, wish.now, wish.me)]
    is_error = bool(outcome.refusals) and not outcome.changes and not outcome.same
    return Said("\n".join(lines) or "No change.", details_of(outcome), FAILED if is_error else DONE)


def listed(items: Sequence[Item]) -> dict[str, Json]:
    """Items for a script."""
    return {"items": items_json(items)}
