"""/jot keeps a line of yours in the session, and lists them. The model never sees them.

The lines are entries of the branch: they are there after a resume, and not where the session went another way.
"""

from todo_context.awaiting import awaited
from todo_context.pi import Answer, Context, Pi

KIND = "jot"


def activate(pi: Pi) -> None:
    """Offer the command."""

    async def jot(args: str, ctx: Context) -> Answer:
        del ctx
        if args.strip():
            await awaited(pi.append_entry(KIND, {"text": args.strip()}))
            return Answer(text=f"Kept: {args.strip()}")
        entries = await awaited(pi.branch())
        kept = [entry["data"] for entry in entries if entry.get("customType") == KIND]
        lines = [f"{number}. {data['text']}" for number, data in enumerate(kept, 1) if isinstance(data, dict)]
        return Answer(text="\n".join(lines) or "Nothing is kept yet. Add a line: /jot call Ada")

    pi.register_command("jot", description="Keep a line, or list them", handler=jot)
