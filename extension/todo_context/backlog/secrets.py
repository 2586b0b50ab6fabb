"""Secrets at the door: a text that holds one is refused before anything is written.

Pure. What is found is told by its kind, its place and at most its first four characters; the rest is in no
answer, no log and no error. It is a table of what is plainly a secret, not a search for everything.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

SHOWN_CHARACTERS = 4
"""How much of a secret an answer shows, to tell which is meant."""

LEAST_BITS = 3.0
"""Bits a character, from which a value counts as random. A random one of 12 hexadecimal digits has 3.1; words less."""

LEAST_BITS_OF_LETTERS = 4.0
"""The same for a value of letters alone: 16 of them, all different. No word has that."""


@dataclass(frozen=True, slots=True)
class Secret:
    """One that was found: what it is, in which field, at which character from 1, and how it begins."""

    kind: str
    field: str
    position: int
    begins: str


_APART = r"(?<![A-Za-z0-9])"
_RANDOM = r"(?=[a-z_-]{0,19}[A-Z0-9])"
"""Not words with lines between them: those have no digits or capitals, and of twenty random characters some are."""

_REST = r"[A-Za-z0-9_+/=.~-]*"
"""What goes on behind what is enough to know one."""

_KEY = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY"
_PLAIN = tuple(
    (kind, re.compile(pattern + _REST))
    for kind, pattern in (
        # All of it: to its end, or as long as lines go on that can be of one; a checklist has `>` before each.
        (
            "private key",
            _KEY
            + r"(?:-----(?s:.{0,8000}?)-----END [A-Z0-9 ]{0,50}-{0,5}|-----(?:(?:[\s>]|\\n)*[A-Za-z0-9+/=]{8,})*|)",
        ),
        ("AWS access key", _APART + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        ("GitHub token", _APART + r"gh[pousr]_[A-Za-z0-9]{36}"),
        ("GitHub token", _APART + "github_pat_" + _RANDOM + r"[A-Za-z0-9_]{20}"),
        ("GitLab token", _APART + "gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent)-" + _RANDOM + r"[A-Za-z0-9_-]{20}"),
        ("Stripe key", _APART + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16}"),
        ("npm token", _APART + r"npm_[A-Za-z0-9]{36}"),
        ("Hugging Face token", _APART + r"hf_[A-Za-z0-9]{34}"),
        ("PyPI token", _APART + r"pypi-AgEI[A-Za-z0-9_-]{50}"),
        ("API key", _APART + "sk-" + _RANDOM + r"[A-Za-z0-9_-]{20}"),
        ("Slack token", _APART + "(?:xox[abeprs]|xapp)-" + _RANDOM + r"[A-Za-z0-9-]{10}"),
        ("Google API key", _APART + r"AIza[A-Za-z0-9_-]{35}"),
        ("JSON web token", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}"),
        ("password in an address", r"[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/:@]{0,200}:[^\s/@]{1,200}@"),
    )
)
_NAMES = "password|passwd|passphrase|token|secret|(?:api|access|account|auth|private|secret)[_ -]?key"
_IS = r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
_NAMED = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (
            "authorization",
            rf"(?i:authorization{_IS}(?:(?:bearer|basic|token|digest|apikey)\s{{1,3}})?)([^\s\"']{{12,}})",
        ),
        ("authorization", rf"{_APART}(?i:bearer)\s{{1,3}}({_RANDOM}[A-Za-z0-9._~+/=-]{{20,}})"),
        ("password or token", rf"(?i:{_NAMES}){_IS}([^\s\"']{{12,}})"),
    )
)
_PLACEHOLDER = re.compile(r"[$<{%*]|x{6}|\.{3}")
"""A value that stands for one: $TOKEN, <token>, {{token}}, ***, xxxxxx."""

_MOST_OF_A_VALUE = 200
"""Characters that are looked at to tell whether it is random."""


def find_secret(fields: Mapping[str, str]) -> Secret | None:
    """The first secret in these texts, by the name of the field it is in."""
    for name, text in fields.items():
        seen = "".join(text[place] for place in _seen(text))
        for kind, start, end in _secrets(seen):
            return Secret(kind, name, start + 1, seen[start : min(end, start + SHOWN_CHARACTERS)])
    return None


def masked(text: str) -> str:
    """The text with no more of each secret than how it begins; any other text as it stands."""
    places = _seen(text)
    shown, at = "", 0
    for start, end in sorted((start, end) for _, start, end in _secrets("".join(text[place] for place in places))):
        first, last = places[start], places[end - 1]
        if first >= at:
            shown += text[at:first] + text[first : min(first + SHOWN_CHARACTERS, last)] + "…"
        at = max(at, last + 1)
    return shown + text[at:]


def _seen(text: str) -> Sequence[int]:
    """The places of the characters that count. What nobody sees must not hide a secret: a joiner in the middle."""
    if text.isascii():
        return range(len(text))
    return [place for place, char in enumerate(text) if unicodedata.category(char) != "Cf"]


def _secrets(seen: str) -> Iterator[tuple[str, int, int]]:
    """Kind, beginning and end of each, some of them twice."""
    for kind, pattern in _PLAIN:
        yield from ((kind, *match.span()) for match in pattern.finditer(seen))
    for kind, pattern in _NAMED:
        for match in pattern.finditer(seen):
            value = match[1][:_MOST_OF_A_VALUE]
            if not _PLACEHOLDER.search(value) and _is_random(value):
                yield kind, *match.span(1)


def bits_per_character(text: str) -> float:
    """Shannon's entropy of the characters of a text; 0 for an empty one."""
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())


def _is_random(value: str) -> bool:
    # A word has as many different letters as a password; what tells them apart is a digit among them, or the length.
    is_mixed = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return bits_per_character(value) >= (LEAST_BITS if is_mixed else LEAST_BITS_OF_LETTERS)
