"""The text after /todo -> a verb call, and the words in it.

Pure. White space is JavaScript's set, as in OMP. Two readings of a text exist side by side, for a name
may hold quotes of its own: the text as it was typed, and the text with its quotes and backslashes read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from todo_context.plan.text import WHITE_SPACE, trim

_SPACE = re.compile(f"[{WHITE_SPACE}]")
_SPACES = re.compile(f"[{WHITE_SPACE}]+")
_VERB_AND_SPACE = re.compile(f"[{WHITE_SPACE}]*[^{WHITE_SPACE}]+[{WHITE_SPACE}]")
_NEEDS_QUOTES = re.compile(f'[{WHITE_SPACE}"\\\\]')


@dataclass(frozen=True, slots=True)
class VerbCall:
    """A verb, case-folded, and the trimmed text after it. The verb is empty when nothing was typed."""

    verb: str
    rest: str


@dataclass(frozen=True, slots=True)
class Split:
    """A text cut in two: a name as it was meant (quotes read), and what follows it, as typed."""

    name: str
    rest: str


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int


def verb_call(args: str) -> VerbCall:
    """Read what stands after /todo."""
    text = trim(args)
    space = _SPACE.search(text)
    if space is None:
        return VerbCall(text.casefold(), "")
    return VerbCall(text[: space.start()].casefold(), trim(text[space.end() :]))


def is_verb_complete(args: str) -> bool:
    """Whether white space follows the verb, so that what comes next is no longer part of it."""
    return _VERB_AND_SPACE.match(args) is not None


def words(text: str) -> tuple[str, ...]:
    r"""Split at white space outside "…"; a backslash takes the next character as it is.

    A quote opens and closes anywhere in a word and is dropped; one that is never closed runs to the end.
    Empty words vanish. Source: the words of OMP's /todo append.
    """
    return tuple(word.text for word in _spans(text) if word.text)


def spoken(text: str) -> str:
    """The text with its quotes and backslashes read: its words, one blank between."""
    return " ".join(words(text))


def leading_quoted(text: str) -> Split | None:
    """The first word apart from the rest, if quotes or backslashes are part of it; else None."""
    first = next(_spans(text), None)
    if first is None or first.text == text[first.start : first.end]:
        return None
    return Split(first.text, trim(text[first.end :]))


def unquoted(text: str) -> str:
    """A text that is one quoted word and nothing else, without its quotes; any other as it stands."""
    quoted = leading_quoted(text) if text.startswith('"') else None
    return quoted.name if quoted and not quoted.rest else text


def first_word(text: str) -> str:
    """The first word, its quotes read; empty when there is none."""
    first = next(_spans(text), None)
    return first.text if first else ""


def leading_runs(text: str, most_words: int) -> Iterator[Split]:
    """Cuts of a trimmed text after its first words, the longest name first. Quotes are not read.

    Names of more than `most_words` words are left out: a long text has many, and none could match.
    """
    spaces = islice(_SPACES.finditer(text), most_words)
    ends = [*(space.start() for space in spaces), len(text)][:most_words]
    return (Split(text[:end], trim(text[end:])) for end in reversed(ends))


def quoted_word(name: str) -> str:
    """Write a name so that `words` reads it as one word; as it stands where that is enough."""
    if name and not _NEEDS_QUOTES.search(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _spans(text: str) -> Iterator[_Word]:
    """The words with their places, empty ones among them."""
    position = 0
    while position < len(text):
        if _SPACE.match(text, position):
            position += 1
            continue
        word = _word_at(text, position)
        yield word
        position = word.end


def _word_at(text: str, start: int) -> _Word:
    letters: list[str] = []
    is_inside_quotes = False
    position = start
    while position < len(text):
        letter = text[position]
        if letter == "\\" and position + 1 < len(text):
            letters.append(text[position + 1])
            position += 2
            continue
        if letter == '"':
            is_inside_quotes = not is_inside_quotes
        elif not is_inside_quotes and _SPACE.match(letter):
            break
        else:
            letters.append(letter)
        position += 1
    return _Word("".join(letters), start, position)
