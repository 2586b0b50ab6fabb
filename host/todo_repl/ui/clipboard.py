"""The clipboard of the terminal, which works through ssh and needs no display: OSC 52.

Pure: it makes the sequence; who has the terminal writes it. Whether the terminal obeys cannot be known.
Source: xterm's control sequences, "Manipulate Selection Data".
"""

import base64
from collections.abc import Mapping

MOST_BYTES = 100_000
"""The longest sequence. Terminals drop longer ones, some without a word. Source: OSC_52_MAX_SEQUENCE of hterm."""

SCREEN_BYTES = 240
"""What GNU screen hands on at once: 768 bytes since 2014, 256 before. Source: osc52.sh of hterm."""

_ESC, _BEL, _ST = "\x1b", "\x07", "\x1b\\"


def osc52(text: str, environ: Mapping[str, str]) -> str | None:
    """What puts `text` on the clipboard, wrapped for tmux or screen where it runs in one; None if it is too long."""
    encoded = base64.b64encode(text.encode("utf-8", errors="replace")).decode("ascii")
    sequence = f"{_ESC}]52;c;{encoded}{_BEL}"
    if len(sequence) > MOST_BYTES:
        return None
    if environ.get("TMUX"):
        return f"{_ESC}Ptmux;{sequence.replace(_ESC, _ESC * 2)}{_ST}"
    if environ.get("STY"):
        pieces = (sequence[at : at + SCREEN_BYTES] for at in range(0, len(sequence), SCREEN_BYTES))
        return "".join(f"{_ESC}P{piece}{_ST}" for piece in pieces)
    return sequence
