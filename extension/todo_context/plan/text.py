"""Text on its way in, and text on its way to a screen.

Every name, content, blocker and note enters the plan through `one_line` or `note_text`; every view
shows text through `for_screen`. White space is JavaScript's set, for OMP compares with it.
"""

import re
import unicodedata

WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Every white-space character. Not U+0085 nor U+001C to U+001F: those are controls.

Source: ECMAScript, WhiteSpace and LineTerminator.
"""

_SEQUENCE = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, erase
    # OSC, DCS, SOS, PM, APC; another beginning ends the search, so that many of them cost no square of time
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-~]"  # two-byte escapes
)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_CONTROL_NOT_SPACE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_CONTROL_NOT_IN_NOTES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SPACES = re.compile(f"[{WHITE_SPACE}]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    """Fold a content, name or blocker: no controls, runs of white space as one blank, ends trimmed.

    Lone surrogates become U+FFFD. The result is empty when nothing visible is left.
    """
    text = _CONTROL_NOT_SPACE.sub("", _SEQUENCE.sub("", text))
    text = _SURROGATE.sub("\ufffd", _SPACES.sub(" ", text).strip(" "))
    return text if text.isascii() or any(map(_is_visible, text)) else ""


def _is_visible(character: str) -> bool:
    # Cf: directions and joiners, which change how other characters look and have no look of their own.
    return character != " " and unicodedata.category(character) != "Cf"


def note_text(text: str) -> str:
    """Fold a note: line feeds and tabs stay, CR LF becomes LF, other controls go. Ends are not trimmed."""
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n")
    return _SURROGATE.sub("\ufffd", _CONTROL_NOT_IN_NOTES.sub("", text))


def whole_characters(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which no encoding takes."""
    return _SURROGATE.sub("\ufffd", text)


def trim(text: str) -> str:
    """Cut white space, of JavaScript's set, at both ends."""
    return text.strip(WHITE_SPACE)


def trim_end(text: str) -> str:
    """Cut trailing white space, of JavaScript's set."""
    return text.rstrip(WHITE_SPACE)


def for_screen(text: str) -> str:
    """Make text safe to print: one line, no control sequence, no control, no bidi override.

    White-space controls show as one blank each; stored text keeps what this removes.
    """
    text = _SEQUENCE.sub("", text)
    text = re.sub("[\t\n\v\f\r\u2028\u2029]", " ", text)
    return _SURROGATE.sub("\ufffd", _BIDI.sub("", _CONTROL.sub("", text)))


def lines_for_screen(text: str) -> str:
    """Make text of several lines safe to print: as `for_screen`, but line feeds stay."""
    return "\n".join(for_screen(line) for line in text.replace("\r\n", "\n").split("\n"))
