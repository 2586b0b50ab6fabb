# ruff: noqa: RUF001 (marks of many scripts)
"""Three judges over words: does a text ask the person something, is it a check, does it say to stop.

Pure, and without a model: tables of words (`words.py`) in ten languages, and the question marks of many scripts.
They lean to the side on which a mistake costs less: an agent that is believed to ask, or to have been stopped, is
left alone, and the person is there to say more.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from todo_context.attention import request_words, words

QUESTION_MARKS = "?？؟\u037e՞፧⳺⳻⁇⁈⁉‽⸮︖﹖᥅꘏꛷𑅃❓❔"
"""Marks that end a question, or stand in it. Source: Unicode, characters of QUESTION or INTERROGATIVE in name."""

_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_LETTER = f"[^\\W_{_UNSPACED}]"
"""A letter or digit of a script with blanks between words."""

_CODE_BLOCK = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1`*~*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_NOT_SAID = re.compile(
    r"`[^`\n]*`"
    r"|^[ \t]*>.*$"
    r"|^[ \t]*\#{1,6}[ \t].*$"
    r"|\b[a-z][a-z0-9+.-]{1,20}://\S+"
    # None of them holds its own beginning, so that many beginnings without an end cost no square of time.
    '|"[^"\n]*"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»|‹[^‹›\n]*›|「[^「」\n]*」|『[^『』\n]*』|‘[^‘’\n]*’',
    re.MULTILINE | re.IGNORECASE,
)
"""Code, quotations, headings and addresses: what stands there is said by somebody else, or to nobody."""

_ITEM = re.compile(r"[ \t]*(?:[-*+•·–—]|\(?(?:\d{1,3}|[A-Za-z])[.)、:：])[ \t]*\S")
_SENTENCE = re.compile(rf".+?(?:[.!…{QUESTION_MARKS}]+(?=[\s\"')\]*_]|\Z)|[。！？｡]+|\n+|\Z)", re.DOTALL)
_REMARK = re.compile(
    r"[ \t]*(?:\([^()\n]{1,60}\)|\[[^\[\]\n]{1,60}\]|（[^（）\n]{1,60}）|y/n)[ \t]*[.。]?\Z", re.IGNORECASE
)
"""What may follow a question as its own answer sheet: (y/n)."""

_GAP = r"\b.{0,80}?\b"
"""What a `~` stands for: not so much that two halves of a sentence meet which have nothing to do with each other."""

_LAST_PARAGRAPHS = 2
"""How far back a question to the person is looked for: they scroll no further for it either."""


def asks_the_person(text: str) -> bool:
    """Whether an answer of the model ends with something that the person is to say.

    A question at the very end counts, also a rhetorical one. One further up counts if it is addressed to the person;
    then it was not answered by what followed. Without a mark, it counts if the next step hangs on what they say, and
    not if it invites further wishes. Quotations and code do not count.
    """
    paragraphs = _paragraphs(text)
    if not paragraphs:
        return False
    ends = [_last_sentence(paragraphs[-1]), _last_sentence(_without_list(paragraphs))]
    if any(map(_is_question, ends)):
        return True
    sentences = [sentence for lines in paragraphs[-_LAST_PARAGRAPHS:] for sentence in _sentences("\n".join(lines))]
    if any(_is_question(sentence) and _pattern("ADDRESSED").search(plain(sentence)) for sentence in sentences):
        return True
    return any(_is_request(_bare(sentence)) for sentence in sentences)


def is_verification(text: str) -> bool:
    """Whether a task or phase of this name is a check of what was made."""
    return _pattern("VERIFICATION").search(plain(text)) is not None


def says_stop(text: str) -> bool:
    """Whether the person wants the agent to end, now or after what they named.

    Not whether something is to be stopped: "stop the server" is a task.
    """
    stop, no_stop = _pattern("STOP"), _pattern("NO_STOP")
    clauses = (
        clause for lines in _paragraphs(text) for each in _sentences("\n".join(lines)) for clause in _clauses(each)
    )
    return any(
        stop.search(plainer) and not no_stop.search(plainer)
        for clause in clauses
        for plainer in _with_and_without_fillers(clause)
    )


def plain(text: str) -> str:
    """Text as the tables write it: small letters, no accents on Latin and Cyrillic, straight apostrophes."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    # Only these accents: those of Japanese make other syllables.
    bare = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", folded))
    return unicodedata.normalize("NFC", bare).replace("’", "'").replace("_", " ")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """The pattern of a table of words. Made when it is first asked for: most programs never ask."""
    table: words.Words = getattr(request_words if hasattr(request_words, name) else words, name)
    groups: dict[tuple[str, str], list[str]] = {}
    # The longest first, for the first that fits is taken.
    for entry in sorted(set(chain.from_iterable(table.values())), key=lambda entry: (-len(entry), entry)):
        core = entry.strip("^$*")
        groups.setdefault(_edges(entry, core), []).append(
            re.escape(core).replace(r"\ \~\ ", _GAP).replace(r"\ ", r"\s+")
        )
    # What stands around a word is written once for all that have it: the classes are long.
    return re.compile("|".join(f"{before}(?:{'|'.join(each)}){after}" for (before, after), each in groups.items()))


def _edges(entry: str, core: str) -> tuple[str, str]:
    before = r"\A" if entry.startswith("^") else "" if _is_unspaced(core[0]) else f"(?<!{_LETTER})"
    after = r"\Z" if entry.endswith("$") else "" if _is_unspaced(core[-1]) else f"(?!{_LETTER})"
    return before, "" if entry.endswith("*") else after


def _is_unspaced(char: str) -> bool:
    return re.match(f"[{_UNSPACED}]", char) is not None


# --- what was said ------------------------------------------------------------------------------------


def _paragraphs(text: str) -> list[list[str]]:
    """Paragraphs as lines, without what was not said; those that are left blank are left out."""
    said = _NOT_SAID.sub(" ", _CODE_BLOCK.sub("", text.replace("\r\n", "\n")))
    paragraphs = ([line for line in part.split("\n") if _has_words(line)] for part in re.split(r"\n[ \t]*\n", said))
    return [lines for lines in paragraphs if lines]


def _has_words(text: str) -> bool:
    return any(char.isalnum() or char in QUESTION_MARKS for char in text)


def _sentences(text: str) -> Iterator[str]:
    return (match[0].strip() for match in _SENTENCE.finditer(text) if _has_words(match[0]))


def _last_sentence(lines: Sequence[str]) -> str:
    text = _REMARK.sub("", _trimmed("\n".join(lines)))
    return next(iter(list(_sentences(_trimmed(text)))[-1:]), "")


def _trimmed(text: str) -> str:
    """Without what may follow the last word or mark: blanks, emphasis, closing quotes, emoji."""
    end = len(text)
    while end and not (text[end - 1].isalnum() or text[end - 1] in QUESTION_MARKS or text[end - 1] in ".!。！;)）]"):
        end -= 1
    return text[:end]


def _without_list(paragraphs: Sequence[Sequence[str]]) -> list[str]:
    """What stands above the list at the end: options to choose from, often."""
    lines = [line for paragraph in paragraphs[-_LAST_PARAGRAPHS:] for line in paragraph]
    while len(lines) > 1 and _ITEM.match(lines[-1]):
        lines.pop()
    return lines


def _is_question(sentence: str) -> bool:
    if any(mark in sentence for mark in "՞"):
        return True
    end = _trimmed(sentence).rstrip(".!。！ )）]")
    is_greek = any("\u0370" <= char <= "\u03ff" for char in end)
    return end.endswith(tuple(QUESTION_MARKS)) or (is_greek and end.endswith(";"))


def _is_request(plainer: str) -> bool:
    return _pattern("REQUESTS").search(plainer) is not None and not _pattern("COURTESIES").search(plainer)


def _clauses(sentence: str) -> Iterator[str]:
    """The sentence, and its parts: "Stop, I want to look first" says stop."""
    yield sentence
    parts = re.split(r"[,;:，、；：–—]|\s-\s", sentence)
    if len(parts) > 1:
        yield from filter(_has_words, parts)


def _bare(sentence: str) -> str:
    """A sentence without its marks, as the tables see its end."""
    return _trimmed(plain(sentence)).strip().strip(".!…。！｡,，、;:：-–—*~()（）[] " + QUESTION_MARKS)


def _with_and_without_fillers(sentence: str) -> Iterator[str]:
    whole = _bare(sentence)
    yield whole
    yield re.sub(r"\s+", " ", re.sub("[,，、]", " ", _pattern("FILLERS").sub(" ", whole))).strip()
