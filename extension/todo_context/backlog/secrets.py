"""Secrets at the door: a text that holds one is refused before anything is written.

Pure. What is found is told by its kind, its place and at most its first four characters; the rest is in no
answer, no log and no error. It is a table of what is plainly a secret, not a search for everything.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
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

_PLAIN = (
    ("private key", re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")),
    ("AWS access key", re.compile(_APART + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])")),
    ("GitHub token", re.compile(_APART + r"gh[pousr]_[A-Za-z0-9]{36}")),
    ("GitHub token", re.compile(_APART + "github_pat_" + _RANDOM + r"[A-Za-z0-9_]{20}")),
    (
        "GitLab token",
        re.compile(_APART + "gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent)-" + _RANDOM + r"[A-Za-z0-9_-]{20}"),
    ),
    ("Stripe key", re.compile(_APART + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16}")),
    ("npm token", re.compile(_APART + r"npm_[A-Za-z0-9]{36}")),
    ("Hugging Face token", re.compile(_APART + r"hf_[A-Za-z0-9]{34}")),
    ("PyPI token", re.compile(_APART + r"pypi-AgEI[A-Za-z0-9_-]{50}")),
    ("API key", re.compile(_APART + "sk-" + _RANDOM + r"[A-Za-z0-9_-]{20}")),
    ("Slack token", re.compile(_APART + "(?:xox[abeprs]|xapp)-" + _RANDOM + r"[A-Za-z0-9-]{10}")),
    ("Google API key", re.compile(_APART + r"AIza[A-Za-z0-9_-]{35}")),
    ("JSON web token", re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}")),
    ("password in an address", re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/:@]{0,200}:[^\s/@]{1,200}@")),
)
_NAMED = re.compile(r"(?i)(?:password|passwd|token|secret|api[_-]?key)[\"']?\s{0,3}[:=]\s{0,3}[\"']?([^\s\"']{12,200})")
_PLACEHOLDER = re.compile(r"[$<{%*]|x{6}|\.{3}")
"""A value that stands for one: $TOKEN, <token>, {{token}}, ***, xxxxxx."""


def find_secret(fields: Mapping[str, str]) -> Secret | None:
    """The first secret in these texts, by the name of the field it is in."""
    for name, text in fields.items():
        # What nobody sees must not hide one: a joiner between its characters.
        seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
        for kind, pattern in _PLAIN:
            if match := pattern.search(seen):
                return Secret(kind, name, match.start() + 1, match[0][:SHOWN_CHARACTERS])
        for match in _NAMED.finditer(seen):
            value = match[1]
            if not _PLACEHOLDER.search(value) and _is_random(value):
                return Secret("password or token", name, match.start(1) + 1, value[:SHOWN_CHARACTERS])
    return None


def bits_per_character(text: str) -> float:
    """Shannon's entropy of the characters of a text; 0 for an empty one."""
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())


def _is_random(value: str) -> bool:
    # A word has as many different letters as a password; what tells them apart is a digit among them, or the length.
    is_mixed = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return bits_per_character(value) >= (LEAST_BITS if is_mixed else LEAST_BITS_OF_LETTERS)
