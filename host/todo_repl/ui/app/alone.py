"""A question where no screen stands yet, or any more: in an application of its own, which leaves nothing behind."""

from typing import Any, TypeVar

from prompt_toolkit.application import Application
from prompt_toolkit.layout import Layout

from todo_repl.ui.app.frame import FrameOutput, real_stdout
from todo_repl.ui.app.modal import Dialog
from todo_repl.ui.builtin_editor import ESCAPE_WAIT_S

T = TypeVar("T")


async def ask_alone(dialog: Dialog[T]) -> T | None:
    """What the person says. A terminal that is gone says nothing."""
    out = FrameOutput.to_terminal(real_stdout())
    app: Application[Any] = Application(
        layout=Layout(dialog.container, focused_element=dialog.control), output=out, erase_when_done=True
    )
    app.ttimeoutlen = app.timeoutlen = ESCAPE_WAIT_S

    def fit(_app: object) -> None:
        size = out.get_size()
        dialog.rows = max(1, min(size.rows - 1, dialog.wanted_rows(max(1, size.columns - 1))))

    def end(_answer: object) -> None:
        if app.is_running:
            app.exit()

    app.before_render += fit
    dialog.answer.add_done_callback(end)
    try:
        await app.run_async(handle_sigint=True)
    except EOFError:
        dialog.give_up()
    return dialog.answer.result()
