"""The plan of a coding agent, kept where agent and person both see it."""

from importlib.metadata import version

from todo_context.activate import activate
from todo_context.plan.accept import Accepted, accept
from todo_context.plan.apply import Outcome, apply
from todo_context.plan.markdown import Parsed, from_markdown, to_markdown
from todo_context.plan.model import Phase, Plan, Status, Task
from todo_context.plan.replay import plan_of

__version__ = version("todo-context")

__all__ = [
    "Accepted",
    "Outcome",
    "Parsed",
    "Phase",
    "Plan",
    "Status",
    "Task",
    "accept",
    "activate",
    "apply",
    "from_markdown",
    "plan_of",
    "to_markdown",
]
