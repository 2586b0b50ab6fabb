"""What the key for completing does: as prompt_toolkit's, but the only way to go on is taken and the next one shown."""

from prompt_toolkit.key_binding import KeyPressEvent
from prompt_toolkit.key_binding.bindings.completion import generate_completions


def complete(event: KeyPressEvent) -> None:
    """Complete, or choose the next one of the menu. Of a single one the next press would only undo it."""
    generate_completions(event)
    buffer = event.current_buffer
    state = buffer.complete_state
    if state is not None and state.complete_index is not None and len(state.completions) == 1:
        buffer.complete_state = None
        buffer.start_completion()
