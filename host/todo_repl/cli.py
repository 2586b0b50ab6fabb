"""The command line: what was asked for, and how it ended as an exit code.

Exit codes: 0 done, 1 a known error, 2 usage, 3 a bug, 130 Ctrl-C. An error is one line on standard error.
The only place that catches everything.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TextIO

from todo_context.errors import TodoContextError

KNOWN_ERROR, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130

NAME = "todo-context"

EPILOG = """\
todo-context show [SESSION] [--json] prints the plan of a session file;
todo-context watch [SESSION] shows it as it changes, in a pane beside any agent;
todo-context backlog [VERB …] [--json] is /backlog from a shell;
todo-context install pi puts the extension into pi.

Without a terminal, lines are read from standard input; each is done before the
next one is read. With --json every message of the run is printed as one JSON
object a line, as the session stores it, and last
  {"type": "result", "text": …, "reason": …, "plan": [phases]}
The reason is "stop", "aborted", "error" or "limit", or, after a /command,
"command" or "error".

API keys come from OPENAI_API_KEY and ANTHROPIC_API_KEY, settings from
settings.toml or TODO_CONTEXT_<TABLE>_<KEY>.
Exit codes: 0 done, 1 a known error, 2 usage, 3 a bug, 130 Ctrl-C.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; its exit code."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        # What a narrow encoding cannot show is shown as "?", and ends nothing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else KNOWN_ERROR
    except TodoContextError as error:
        _say(str(error))
        return USAGE if _is_usage(error) else KNOWN_ERROR
    except OSError as error:
        _say(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return KNOWN_ERROR
    except BaseException as error:  # noqa: BLE001 (the top: nobody else is left to tell the person)
        from todo_repl.bugs import bug_line  # noqa: PLC0415 (not needed before)

        _say(bug_line("a bug", error))
        return BUG
    finally:
        _let_go(sys.stdout)
        _let_go(sys.stderr)


def _run(argv: list[str]) -> int:
    if argv[:1] == ["show"]:
        return _show(argv[1:])
    if argv[:1] == ["watch"]:
        return _watch(argv[1:])
    if argv[:1] == ["backlog"]:
        return _backlog(argv[1:])
    if argv[:1] == ["install"]:
        return _install(argv[1:])
    given = _parser().parse_args(argv)
    # After --help and --version, which need none of it.
    from todo_repl.config import Options  # noqa: PLC0415
    from todo_repl.start import start  # noqa: PLC0415

    return start(Options(**vars(given)))


def _show(argv: list[str]) -> int:
    given = _show_parser().parse_args(argv)
    from todo_context.config import settings  # noqa: PLC0415
    from todo_repl.config import newest_here, sessions_root, working_folder  # noqa: PLC0415
    from todo_repl.ui.output import Output  # noqa: PLC0415
    from todo_repl.ui.show import show  # noqa: PLC0415

    if given.session:
        path = Path(given.session)
    else:
        path = newest_here(working_folder(), sessions_root(given.session_dir, settings().repl))
    out = Output(sys.stdout)
    show(path, out, Output(sys.stderr), as_json=given.as_json)
    out.check()
    return 0


def _watch(argv: list[str]) -> int:
    given = _watch_parser().parse_args(argv)
    from todo_context.config import settings  # noqa: PLC0415
    from todo_repl.config import sessions_root, working_folder  # noqa: PLC0415
    from todo_repl.ui.output import Output  # noqa: PLC0415
    from todo_repl.ui.watch import watch  # noqa: PLC0415
    from todo_repl.watch import NewestHere  # noqa: PLC0415

    found, out = settings(), Output(sys.stdout)
    here = NewestHere(working_folder(), sessions_root(given.session_dir, found.repl))
    code = watch(Path(given.session) if given.session else None, here, out, found.panel)
    out.check()
    return code


def _backlog(argv: list[str]) -> int:
    from todo_repl.backlog import backlog  # noqa: PLC0415
    from todo_repl.config import working_folder  # noqa: PLC0415
    from todo_repl.ui.output import Output  # noqa: PLC0415

    out = Output(sys.stdout)
    code = backlog(argv, str(working_folder()), out, Output(sys.stderr))
    out.check()
    return code


def _install(argv: list[str]) -> int:
    given = _install_parser().parse_args(argv)
    from todo_repl.install import install  # noqa: PLC0415
    from todo_repl.ui.output import Output  # noqa: PLC0415

    out = Output(sys.stdout)
    out.line(install(given.host))
    out.check()
    return 0


class _Parser(argparse.ArgumentParser):
    """What it prints is safe for a screen: it repeats what it was given."""

    def error(self, message: str) -> NoReturn:
        from todo_context.plan.text import for_screen  # noqa: PLC0415 (not needed before)

        super().error(for_screen(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=NAME,
        description="Talk with an agent that keeps a plan, and change the plan with /todo.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("-p", "--prompt", metavar="TEXT", help='one message or /command, then leave; "-" reads it from standard input')
    add("--json", dest="as_json", action="store_true", help="with -p: print JSON, one object a line")
    add("--model", default="", metavar="PROVIDER:NAME", help="openai:NAME or anthropic:NAME; else an offline planner")
    add("--base-url", default="", metavar="URL", help="a server that speaks the provider's API")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--session", dest="session_file", default="", metavar="FILE", help="go on with this file, or begin it"
    )
    which.add_argument(
        "-c", "--continue", dest="goes_on", action="store_true", help="go on with the newest session of this folder"
    )
    which.add_argument("--resume", dest="resumes", action="store_true", help="choose a session of this folder")
    which.add_argument("--no-session", action="store_true", help="keep nothing")
    add("--session-dir", default="", metavar="DIR", help="where sessions are kept, instead of the data folder")
    add("--no-todo", action="store_true", help="without the todo extension")
    add("--no-tools", action="store_true", help="offer the model no tool; commands stay")
    add(
        "-e",
        "--extension",
        dest="extensions",
        action="append",
        default=[],
        metavar="FILE.py",
        help="load this extension too, or package.module; may come again",
    )
    add("--no-extensions", action="store_true", help="load no other extension than those of -e and our own")
    add("--version", action="version", version=f"{NAME} {_version()}")
    return parser


def _show_parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=f"{NAME} show", description="Print the plan of a session file.", allow_abbrev=False)
    parser.add_argument("session", nargs="?", metavar="SESSION", help="default: the newest session of this folder")
    parser.add_argument("--json", dest="as_json", action="store_true", help="the phases as JSON")
    parser.add_argument("--session-dir", default="", metavar="DIR", help="where sessions are kept")
    return parser


def _watch_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=f"{NAME} watch",
        description="Show the plan of a session file, of any program that show can read, as its agent changes it.",
        epilog="Keys: q leaves, t shows all or less, the arrows scroll. Without a terminal it prints each change.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "session", nargs="?", metavar="SESSION", help="it need not be there yet; default: the newest of this folder"
    )
    parser.add_argument("--session-dir", default="", metavar="DIR", help="where sessions are kept")
    return parser


def _install_parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=f"{NAME} install", description="Put the extension into another host.", allow_abbrev=False)
    parser.add_argument("host", metavar="HOST", help="pi, at $PI_CODING_AGENT_DIR or ~/.pi/agent")
    return parser


def _version() -> str:
    from todo_context import __version__  # noqa: PLC0415 (a name of the package, not of a module)

    return __version__


def _is_usage(error: TodoContextError) -> bool:
    from todo_repl.config import UsageError  # noqa: PLC0415 (not needed before)

    return isinstance(error, UsageError)


def _open_what_is_closed() -> None:
    # Else the next file that is opened, a session say, would be standard input or output to all that use it.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 (stays open to the end)


def _let_go(stream: TextIO) -> None:
    try:
        stream.flush()
    except OSError:
        # Python flushes once more at its end; what cannot be written then would turn the exit code into 120.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def _say(line: str) -> None:
    from todo_repl.ui.output import Output  # noqa: PLC0415 (not needed before)

    Output(sys.stderr).line(f"{NAME}: {line}")
