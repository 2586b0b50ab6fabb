import base64
import re

import pytest

from todo_repl.ui.clipboard import MOST_BYTES, SCREEN_BYTES, osc52

TEXT = "# Build\n- [/] 漢字 \U0001f44d\n"
ENCODED = base64.b64encode(TEXT.encode()).decode()
PLAIN = f"\x1b]52;c;{ENCODED}\x07"
TMUX = f"\x1bPtmux;\x1b{PLAIN}\x1b\\"


@pytest.mark.parametrize(
    ("environ", "sequence"),
    [
        pytest.param({}, PLAIN, id="a terminal"),
        pytest.param({"TMUX": "", "STY": ""}, PLAIN, id="empty counts as not set"),
        pytest.param({"TMUX": "/tmp/tmux-0/default,1,0"}, TMUX, id="tmux"),
        pytest.param({"STY": "1.pts-0.host"}, f"\x1bP{PLAIN}\x1b\\", id="screen"),
        pytest.param({"TMUX": "x", "STY": "x"}, TMUX, id="tmux in screen"),
    ],
)
def test_the_sequence_is_wrapped_for_what_it_must_pass(environ: dict[str, str], sequence: str) -> None:
    assert osc52(TEXT, environ) == sequence


def test_screen_gets_pieces_that_it_can_hold_and_joined_they_are_the_sequence() -> None:
    text = "x" * 5_000

    sequence = osc52(text, {"STY": "1"})

    assert sequence is not None
    pieces = re.findall("\x1bP(.*?)\x1b\\\\", sequence, re.DOTALL)
    assert max(map(len, pieces)) == SCREEN_BYTES
    assert "".join(pieces) == osc52(text, {})


def test_what_terminals_would_drop_is_not_sent() -> None:
    longest = (MOST_BYTES - len("\x1b]52;c;\x07")) // 4 * 3

    assert len(osc52("x" * longest, {}) or "") <= MOST_BYTES
    assert osc52("x" * (longest + 1), {}) is None
    assert osc52("x" * (longest + 1), {"TMUX": "1"}) is None


def test_half_of_a_surrogate_pair_stops_nothing() -> None:
    assert osc52("a\ud800b", {}) == f"\x1b]52;c;{base64.b64encode(b'a?b').decode()}\x07"
