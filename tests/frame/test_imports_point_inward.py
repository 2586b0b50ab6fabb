"""Rooms inside rooms: todo_repl -> todo_command -> todo_context -> todo_context.plan. None looks outward."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = {
    "todo_context": ROOT / "extension/todo_context",
    "todo_command": ROOT / "commands/todo_command",
    "todo_repl": ROOT / "host/todo_repl",
}

ROOMS = ("todo_context.plan", "todo_context", "todo_command", "todo_repl")
"""From the inside out. A module may import from its own room and from those before it."""

COMPOSITION_ROOTS = {("todo_context.activate", "todo_command")}
"""The one import outward: what `activate(pi)` puts together must come from somewhere."""

ONLY_IN = {
    "prompt_toolkit": ("todo_repl.ui",),
    "pydantic_ai": ("todo_repl.online", "todo_repl.online_errors", "todo_repl.cache_marks"),
}
"""Libraries that take long to import, and the only modules that may, for they are loaded when needed."""

IMPURE = frozenset(
    {"asyncio", "concurrent", "ctypes", "datetime", "glob", "http", "importlib", "io", "logging", "multiprocessing"}
    | {"os", "pathlib", "platform", "random", "secrets", "select", "shutil", "signal", "socket", "sqlite3", "ssl"}
    | {"subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid"}
)
"""What reaches the clock, the disk, another process or chance: never in `plan`."""


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def room(module: str) -> int | None:
    return next((level for level, package in enumerate(ROOMS) if is_within(module, package)), None)


def imported(module: str, source: str) -> Iterator[tuple[int, str]]:
    """Line and name of each import, at any depth, those for type checkers and those by a name in quotes too."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=name, level=0) if name is not None:
                # A submodule may be among the names: `from todo_context import plan`.
                yield from ((node.lineno, f"{name}.{alias.name}") for alias in node.names)
            case ast.ImportFrom(module=name, level=level):
                base = ".".join([*module.split(".")[:-level], *([name] if name else [])])
                yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
            case ast.Call(func=ast.Name("import_module" | "__import__") | ast.Attribute(attr="import_module")):
                literals = (arg.value for arg in node.args if isinstance(arg, ast.Constant))
                yield from ((node.lineno, value) for value in literals if isinstance(value, str))


def problem(module: str, target: str) -> str | None:
    """Why `module` must not import `target`; None when it may."""
    package = target.partition(".")[0]
    here, there = room(module), room(target)
    if here is None:
        return "is in no room"
    if there is not None:
        outward = there > here and (module, package) not in COMPOSITION_ROOTS
        return f"imports outward: {target}" if outward else None
    if package in ONLY_IN and not any(is_within(module, allowed) for allowed in ONLY_IN[package]):
        return f"imports {package}, which is for {' and '.join(ONLY_IN[package])} alone"
    if here == 0 and (package in IMPURE or package not in sys.stdlib_module_names):
        return f"is pure, but imports {target}"
    return None


def problems(module: str, source: str) -> list[str]:
    found = ((line, problem(module, target)) for line, target in imported(module, source))
    return sorted({f"{module}:{line} {why}" for line, why in found if why is not None})


def modules() -> Iterator[tuple[str, Path]]:
    for package, folder in SOURCES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            # __init__ stays in the name, so that a relative import counts its dots from the right place.
            yield ".".join((package, *parts)), path


def test_every_module_imports_inward_only() -> None:
    found = [why for module, path in modules() for why in problems(module, path.read_text(encoding="utf-8"))]

    assert found == []


def test_all_three_packages_are_looked_at() -> None:
    assert {module.partition(".")[0] for module, _ in modules()} == set(SOURCES)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        pytest.param("todo_context.lane", "import todo_command", id="the extension imports the command"),
        pytest.param("todo_context.lane", "def f():\n    from todo_repl.session import Session", id="late"),
        pytest.param("todo_command.match", "from todo_repl import cli", id="the command imports the host"),
        pytest.param("todo_context.plan.ops", "from todo_context.errors import TodoContextError", id="plan looks out"),
        pytest.param("todo_context.plan.ops", "from todo_context import pi", id="plan looks out by name"),
        pytest.param("todo_context.plan.ops", "from ..lane import Lane", id="plan looks out by dots"),
        pytest.param("todo_context.plan.__init__", "from .. import lane", id="a package looks out by dots"),
        pytest.param("todo_context.plan.ops", "import os.path", id="plan reaches the disk"),
        pytest.param("todo_context.plan.ops", "from time import time", id="plan reads the clock"),
        pytest.param("todo_context.plan.ops", "import rich", id="plan uses a library"),
        pytest.param("todo_context.activate", "from todo_repl import cli", id="activate imports the host"),
        pytest.param("todo_repl.cli", "import prompt_toolkit.history", id="prompt_toolkit outside ui"),
        pytest.param(
            "todo_repl.agent", "from pydantic_ai.direct import model_request", id="pydantic_ai outside online"
        ),
        pytest.param("todo_context.lane", "if TYPE_CHECKING:\n    import todo_repl", id="for types only"),
        pytest.param("todo_context.lane", "importlib.import_module('todo_repl.cli')", id="by a name in quotes"),
    ],
)
def test_an_import_outward_is_found(module: str, source: str) -> None:
    assert len(problems(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        pytest.param("todo_context.plan.ops", "from todo_context.plan.model import Plan\nimport re", id="plan"),
        pytest.param("todo_context.plan.ops", "from .model import Plan", id="plan by dots"),
        pytest.param("todo_context.activate", "import todo_command", id="the composition root"),
        pytest.param("todo_context.panel", "from rich.text import Text\nimport os", id="the extension"),
        pytest.param("todo_repl.ui.prompt", "import prompt_toolkit\nimport todo_command, todo_context", id="ui"),
        pytest.param("todo_repl.online", "from pydantic_ai import exceptions", id="online"),
    ],
)
def test_an_import_inward_is_left_alone(module: str, source: str) -> None:
    assert problems(module, source) == []
