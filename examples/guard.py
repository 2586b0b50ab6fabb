"""Keep the model from calls that the person does not want. It reads why, and can do something else."""

import json
import re
from collections.abc import Mapping
from typing import Any

from todo_context.pi import Context, Pi

RULES = (
    # The name of the tool, what its arguments must not hold, and what the model is told.
    ("todo_write", r"\bop\W+rm\b", "Nothing is removed from this plan. Use drop, and say in a note why."),
)


def activate(pi: Pi) -> None:
    """Look at each call before it runs."""
    pi.on("tool_call", judge)


def judge(event: Mapping[str, Any], ctx: Context) -> object:
    """Answer with the reason of the first rule that is broken."""
    del ctx
    arguments = json.dumps(event["input"])
    for tool, pattern, reason in RULES:
        if event["toolName"] == tool and re.search(pattern, arguments):
            return {"block": True, "reason": reason}
    return None
