"""What the tests with real pi share: extensions of their own, what the model says, what was stored."""

from pathlib import Path
from typing import Any

from tests.e2e.pi import Home, Installed
from tests.scripted_llm import ScriptedLlm, Step

OTHER = '''
"""Extensions of a test, in Python like ours."""

import asyncio
from pathlib import Path

from todo_context.pi import Answer, Tool, ToolResult


def hooks(pi):
    def context(event, ctx):
        return {"messages": [*event["messages"], {"role": "user", "content": "only on the wire", "timestamp": 0}]}

    async def before_provider_request(event, ctx):
        return {**event["payload"], "user": "marked"}

    pi.on("context", context)
    pi.on("before_provider_request", before_provider_request)


def slow(pi):
    async def execute(call, arguments, ctx):
        print("this is no message to pi")
        Path("slow.begun").touch()
        while not Path("slow.go").exists():
            await asyncio.sleep(0.02)
        return ToolResult(text="slow is done")

    schema = {"type": "object", "properties": {}}
    pi.register_tool(Tool(name="slow", label="Slow", description="Waits.", parameters=schema, execute=execute))


def stored(pi):
    async def handler(args, ctx):
        identity = await pi.append_entry("stored", {"text": args})
        return Answer(text=f"{identity} {(await pi.branch())[-1]['id']}")

    pi.register_command("stored", description="Stores.", handler=handler)


def blocking(pi):
    pi.on("tool_call", lambda event, ctx: {"block": True, "reason": f"no {event['toolName']} here"})


def going_on(pi):
    said = []

    def turn_end(event, ctx):
        if not event["toolResults"] and not said:
            said.append(True)
            pi.send_message("There is more to do.", custom_type="more", display=False, trigger_turn=True)

    pi.on("turn_end", turn_end)


def failing(pi):
    def fails(*_):
        raise ValueError("on purpose")

    pi.on("context", fails)
    pi.register_command("failing", description="Fails.", handler=fails)
'''


def plan(*ops: dict[str, Any]) -> Step:
    """A call of the tool."""
    return {"tool_calls": [{"name": "todo_write", "arguments": {"ops": list(ops)}}]}


INIT = plan({"op": "init", "list": [{"phase": "Work", "items": ["First", "Second"]}]})
DONE: Step = {"text": "All done."}


def with_others(pi: Installed, folder: Path, server: ScriptedLlm, *names: str) -> Home:
    home = Home(pi, folder, server, *names)
    (home.project / "other.py").write_text(OTHER)
    return home


def results(home: Home) -> list[dict[str, Any]]:
    messages = [entry["message"] for entry in home.entries if entry["type"] == "message"]
    return [message for message in messages if message["role"] == "toolResult"]
