"""When a plan is worth it: said to a model once, where it heeds it most.

That is in the system prompt, if the host has a way into it; else, or with `eager = "off"`, in the tool's description.
When it is not worth it stands in both: no text may ask for plans without that. The words are read once, when the
extension is activated: each request repeats them to the byte, and a cache holds.
"""

from dataclasses import dataclass

from todo_context.pi import Capabilities
from todo_context.plan.sources import OURS
from todo_context.prompt import prompt

WHEN = " {when}"
"""Where the description says it. A description of the person's own need not have it."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """The tool's `description`, and the line for the system prompt: added before a run, or as the tool's guideline.

    Of the two lines one at most is there.
    """

    description: str
    added: str = ""
    guideline: str = ""


def guidance(eager: str, capabilities: Capabilities, prompts_dir: str = "") -> Guidance:
    """What is said where. `eager` is the setting; `prompts_dir` may hold other words.

    Raises:
        TodoContextError: a text in `prompts_dir` cannot be used.
    """
    description = prompt(OURS, prompts_dir)
    lane = capabilities.system_prompt if eager != "off" else ""
    line = _one_line(f"eager_{eager}", prompts_dir) if lane else ""
    if lane == "before_agent_start":
        return Guidance(description.replace(WHEN, ""), added=line)
    # A guideline is left out where the person has a system prompt of their own; so the description says it too.
    when = _one_line("eager_off", prompts_dir)
    return Guidance(description.replace(WHEN, f" {when}"), guideline=line)


def _one_line(name: str, folder: str) -> str:
    return " ".join(prompt(name, folder).split())
