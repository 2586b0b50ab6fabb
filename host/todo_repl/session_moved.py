"""Another program went on with the session that is open here: the person says what is to become of it."""

from typing import TYPE_CHECKING

from todo_context.errors import TodoContextError
from todo_context.plan.replay import latest
from todo_context.plan.select import progress
from todo_context.plan.text import for_screen
from todo_repl.session_error import SessionError, SessionMovedError
from todo_repl.session_points import last_exchange

if TYPE_CHECKING:
    from todo_repl.runtime import Runtime

GO_ON = "Go on there"
FORK = "Fork: go on with what is here, in a session of its own"
LEAVE = "Leave it as it is, and do nothing now"


async def may_go_on(runtime: "Runtime") -> bool:
    """Whether something can be stored; if the session moved, the person is asked, and it is done as they say.

    Where nobody can be asked, whatever then is to be stored says what is wrong. So it does of a file that was cut,
    replaced or locked.
    """
    if not runtime.front.has_ui:
        return True
    try:
        runtime.session.look()
    except SessionMovedError as error:
        return await _is_settled(runtime, error)
    except SessionError:
        return True
    return True


async def _is_settled(runtime: "Runtime", error: SessionMovedError) -> bool:
    ui, session = runtime.front.ui, runtime.session
    asked = f"{error.path.name}: another program went on with this session."
    chosen = await ui.select(asked, [GO_ON, FORK, LEAVE])
    try:
        if chosen == GO_ON:
            left = session.leaf_id
            for remark in session.go_on_there():
                ui.notify(for_screen(remark), "warning")
            runtime.store_refused(session, is_moved=True)
            runtime.front.recall(*last_exchange(session.branch()))
            await runtime.happen("session_tree", {"oldLeafId": left, "newLeafId": session.leaf_id})
        elif chosen == FORK:
            await runtime.begin_anew(runtime.forked(), "fork")
        else:
            ui.notify(str(error), "error")
            return False
    except (TodoContextError, OSError) as other:
        ui.notify(for_screen(str(other)), "error")
        return False
    ui.notify(progress(latest(runtime.session.branch()).plan))
    return True
