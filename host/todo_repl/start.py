"""Put a session, a model, the extension and a front together, and run them to their end."""

import asyncio
import os
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from todo_context import __version__
from todo_context.config import settings
from todo_context.errors import TodoContextError
from todo_context.prompt import prompt
from todo_context.settings import KeySettings, PanelSettings, ReplSettings
from todo_repl.compaction import Compacting
from todo_repl.config import (
    NAME,
    Opened,
    Options,
    UsageError,
    choose_model,
    model_spec,
    open_session,
    place_of_sessions,
    way_back_to,
    working_folder,
)
from todo_repl.connect import OnlineModel
from todo_repl.extension_sources import found
from todo_repl.front import Front
from todo_repl.loader import activate_function
from todo_repl.manifest import own_manifest
from todo_repl.models import Model
from todo_repl.runtime import Runtime, Submitted
from todo_repl.session_points import last_exchange
from todo_repl.signals import Leaving
from todo_repl.ui.lines import LinesFront, run_lines, stdin_lines
from todo_repl.ui.once import OnceFront, run_once
from todo_repl.ui.output import Output, can_draw

EXIT_CODES = {Submitted.DONE: 0, Submitted.FAILED: 1, Submitted.BUG: 3, Submitted.ABORTED: 130}

OFFLINE = "No model is configured: the offline planner answers. /help says how to connect."


@dataclass(frozen=True, slots=True)
class Start:
    """What was decided before anything runs."""

    options: Options
    settings: ReplSettings
    keys: KeySettings
    panel: PanelSettings
    compacting: Compacting
    system_prompt: str
    model: Model
    is_offline: bool
    out: Output
    err: Output


def start(options: Options) -> int:
    """Run the program as the flags say; its exit code.

    Raises:
        UsageError: the flags cannot be meant together.
        TodoContextError: no session, no model, or the settings or what they name cannot be read.
    """
    options = _with_prompt(options)
    found = settings()
    out, err = Output(sys.stdout), Output(sys.stderr)
    for warning in found.warnings:
        err.line(warning, err.styles["warning"])
    spec = model_spec(options, found.repl)
    system_prompt = prompt("system", found.plan.prompts_dir, package="todo_repl")
    begun = Start(
        options=options,
        settings=found.repl,
        keys=found.keys,
        panel=found.panel,
        compacting=Compacting.of(found),
        system_prompt=system_prompt,
        model=choose_model(spec),
        is_offline=spec is None,
        out=out,
        err=err,
    )
    code = asyncio.run(_until_told_to_leave(begun))
    out.check()
    return code


def _with_prompt(options: Options) -> Options:
    if options.prompt is None:
        if options.as_json:
            raise UsageError("--json: it needs -p TEXT.")
        return options
    text = _stdin_text() if options.prompt == "-" else options.prompt
    if not text.strip():
        raise UsageError("-p: the text is empty. Give one message, or a /command.")
    return options.with_prompt(text)


def _stdin_text() -> str:
    return sys.stdin.buffer.read().decode("utf-8", errors="replace")


async def _until_told_to_leave(begun: Start) -> int:
    leaving = Leaving()
    try:
        with leaving.watched():
            return await _run(begun)
    except asyncio.CancelledError:
        # Who else cancels this task is Ctrl-C, through the fronts.
        return EXIT_CODES[Submitted.ABORTED] if leaving.exit_code is None else leaving.exit_code


async def _run(begun: Start) -> int:
    if begun.options.resumes:
        path = await _chosen(begun)
        if path is None:
            return 0
        begun = replace(begun, options=begun.options.with_session(path))
    opened = open_session(begun.options, begun.settings)
    for notice in opened.session.notices:
        begun.err.line(notice, begun.err.styles["warning"])
    try:
        if begun.options.prompt is not None:
            return await _once(begun, opened, begun.options.prompt)
        if _has_person():
            return await _prompt(begun, opened)
        return await _lines(begun, opened)
    finally:
        opened.session.close()


async def _chosen(begun: Start) -> Path | None:
    """The session that the person chooses; None if they do not."""
    if begun.options.prompt is not None or not _has_person():
        raise UsageError("--resume: it asks which session. Where nobody can be asked: -c, or --session FILE.")
    from todo_repl.session_pick import chosen  # noqa: PLC0415 (a start without the flag needs none of it)
    from todo_repl.ui.prompt import choose  # noqa: PLC0415 (its library is for terminals alone)

    found = place_of_sessions(begun.options, begun.settings).listed(working_folder())
    if not found:
        raise TodoContextError(f"{working_folder()}: no session was kept for this folder. Start one: {NAME}")
    return await chosen(found, partial(choose, begun.out))


def _has_person() -> bool:
    """Whether there is a terminal that a prompt can be drawn on."""
    # Windows has terminals that draw, but nobody has tried this in one.
    return os.name != "nt" and sys.stdin.isatty() and can_draw(sys.stdout)


async def _once(begun: Start, opened: Opened, text: str) -> int:
    front = OnceFront(begun.out, begun.err, as_json=begun.options.as_json)
    runtime = _runtime(begun, opened, front)
    try:
        await _load(begun, opened, runtime)
        code = EXIT_CODES[await run_once(runtime, front, text)]
    finally:
        await runtime.close()
    return _with_what_was_lost(code, runtime)


async def _lines(begun: Start, opened: Opened) -> int:
    front = LinesFront(begun.out, begun.err)
    runtime = _runtime(begun, opened, front)
    try:
        await _load(begun, opened, runtime)
        code = EXIT_CODES[await run_lines(runtime, front, stdin_lines())]
    finally:
        await runtime.close()
    return _with_what_was_lost(code, runtime)


def _with_what_was_lost(code: int, runtime: Runtime) -> int:
    """The exit code: no success where something was kept nowhere, which is all that a script learns of it."""
    return max(code, EXIT_CODES[Submitted.FAILED]) if runtime.unsaved else code


async def _prompt(begun: Start, opened: Opened) -> int:
    from todo_repl.ui.app.frame import reflows  # noqa: PLC0415 (its library is for terminals alone)
    from todo_repl.ui.prompt import PromptFront, run_prompt  # noqa: PLC0415 (likewise)

    front = PromptFront(begun.out, session_id=opened.session.id, panel=begun.panel)
    runtime = _runtime(begun, opened, front)
    try:
        _greet(begun, opened)
        if opened.reason == "resume":
            front.recall(*last_exchange(opened.session.branch()))
        await _load(begun, opened, runtime)
        is_reflowing = reflows(begun.settings.reflow, os.environ)
        await run_prompt(runtime, front, keeps_history=opened.way_back != "", reflows=is_reflowing)
    finally:
        await runtime.close()
        unsent = "\n\n".join(filter(None, [runtime.draft, front.unsent]))
        if unsent:
            begun.out.line(f"Not sent: {unsent}", begun.out.styles["warning"])
    last = runtime.session
    if last.path is not None and last.leaf_id is not None and not runtime.unsaved:
        back = opened.way_back if last is opened.session else way_back_to(last.path)
        begun.out.line(f"Session kept: {back}")
    return _with_what_was_lost(0, runtime)


def _runtime(begun: Start, opened: Opened, front: Front) -> Runtime:
    return Runtime(
        session=opened.session,
        model=begun.model,
        front=front,
        system_prompt=begun.system_prompt,
        max_rounds=begun.settings.max_rounds,
        compacting=begun.compacting,
        place=place_of_sessions(begun.options, begun.settings),
        handoff=begun.settings.handoff,
        keys=begun.keys,
        with_tools=not begun.options.no_tools,
    )


async def _load(begun: Start, opened: Opened, runtime: Runtime) -> None:
    if not begun.options.no_todo:
        manifest = own_manifest()
        await runtime.load(manifest, activate_function(manifest.name, manifest.entrypoint))
    named, only_named = begun.options.extensions, begun.options.no_extensions
    await runtime.load_all(partial(found, named, only_named=only_named))
    await runtime.start(opened.reason)


def _greet(begun: Start, opened: Opened) -> None:
    kept = {"startup": "a new session", "resume": "the session goes on"}[opened.reason]
    begun.out.line(f"todo-context {__version__} · {kept if opened.session.path else 'nothing is kept'}")
    if isinstance(begun.model, OnlineModel) and begun.model.reason is not None:
        begun.err.line(str(begun.model.reason), begun.err.styles["error"])
    else:
        begun.out.line(OFFLINE if begun.is_offline else f"Model: {begun.model.provider}:{begun.model.name}")
