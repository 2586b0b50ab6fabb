"""What was typed before the prompt stood: each line of it is submitted, and the rest stands in the line.

Until then the terminal itself had the keys, and made of an Enter a line feed and of a Ctrl-D a zero byte; so they are
made what they were. A pasted text cannot be among them: nothing has asked the terminal to mark one.
"""

import select
from collections.abc import Mapping

from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys

_PRESSED: Mapping[Keys | str, KeyPress] = {
    Keys.ControlJ: KeyPress(Keys.ControlM),
    Keys.ControlAt: KeyPress(Keys.ControlD),
}
"""The key that was pressed, by the one that arrives. Source: termios(3), ICRNL and VEOF; the zero byte is Linux's."""


def take_typed_ahead(source: Input) -> bool:
    """Have the next application begin with it; whether it ends within a line, which the terminal then has echoed.

    The terminal must be in raw mode: else it withholds that line.
    """
    if not isinstance(source, Vt100Input):
        return False
    # What a question before the prompt did not need comes first.
    keys = get_typeahead(source)
    while not source.closed and select.select([source.fileno()], [], [], 0)[0]:
        keys += source.read_keys()
    keys += source.flush_keys()
    keys = [_PRESSED.get(key.key, key) for key in keys]
    store_typeahead(source, keys)
    return bool(keys) and keys[-1].key != Keys.ControlM
