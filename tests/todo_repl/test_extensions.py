"""Extensions come from files, a folder and packages; one that cannot be loaded is one line."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.process import run
from todo_repl.cli import main

HELLO = """
from todo_context.pi import Answer

def activate(pi):
    async def hello(args, ctx):
        return Answer(text="hello from {name}")
    pi.register_command("{name}", description="Say hello", handler=hello)
"""

LATER = """
import asyncio
{hello}
at_once = activate

async def activate(pi):
    await asyncio.sleep(0)
    at_once(pi)
"""

TOOL = """
from todo_context.pi import Tool
def activate(pi):
    pi.register_tool(Tool(name="{tool}", label="", description="", parameters={{}}, execute=None))
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(home: Path) -> Path:
    """The person's own folder of extensions."""
    path = home / "config/todo-context/extensions"
    path.mkdir(parents=True)
    return path


Install = Callable[[str, str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a package of one module, with its entry point."""
    site = tmp_path / "site-packages"
    monkeypatch.syspath_prepend(site)

    def install(name: str, code: str, attribute: str = ":activate") -> None:
        info = site / f"{name}-1.dist-info"
        info.mkdir(parents=True)
        (site / f"{name}.py").write_text(code)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[todo_context.extensions]\n{name} = {name}{attribute}\n")

    return install


def hello(name: str) -> str:
    return HELLO.format(name=name)


def answered(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, list[str]]:
    """What a `-p` in this process printed, and its lines on standard error."""
    assert main(["--no-session", *arguments]) == code
    captured = capsys.readouterr()
    return captured.out.rstrip("\n"), captured.err.splitlines()


def loaded(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The extensions as /help lists them."""
    out, err = answered(capsys, *arguments, "-p", "/help")
    assert err == []
    return out.rpartition("\nExtensions: ")[2]


@pytest.mark.parametrize("code", [hello("greet"), LATER.format(hello=hello("greet"))], ids=["at once", "later"])
def test_a_file_of_the_start_is_loaded(code: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "greet.py").write_text(code)

    assert answered(capsys, "-e", "greet.py", "-p", "/greet") == ("hello from greet", [])
    assert answered(capsys, "--extension", str(here / "greet.py"), "-p", "/greet") == ("hello from greet", [])
    assert sorted(path.name for path in here.iterdir()) == ["greet.py"]


def test_a_module_and_an_entry_point_are_loaded(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("one", hello("greet"), ":activate")
    install("two", hello("wave").replace("def activate", "def begin"), ":begin")
    install("three", hello("nod"), "")

    assert loaded(capsys) == "todo-context, one (undeclared), three (undeclared), two (undeclared)"
    assert answered(capsys, "-p", "/wave") == ("hello from wave", [])
    assert loaded(capsys, "--no-extensions", "-e", "three") == "todo-context, three (undeclared)"


def test_the_order_is_own_then_packages_then_the_folder_then_the_start(
    folder: Path, here: Path, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("package", hello("package"), ":activate")
    for name in ("b", "a"):
        (folder / f"{name}.py").write_text(hello(name))
        (here / f"{name}2.py").write_text(hello(f"{name}2"))
    (folder / ".#a.py").write_text("no Python")
    (folder / "notes.txt").write_text("no Python")

    named = ("-e", "b2.py", "-e", "a2.py")
    declared = loaded(capsys, *named).replace(" (undeclared)", "")
    assert declared == "todo-context, package, a, b, b2, a2"
    assert loaded(capsys, "--no-extensions", *named).replace(" (undeclared)", "") == "todo-context, b2, a2"
    assert loaded(capsys, "--no-extensions", "--no-todo") == "none"


def test_a_file_that_comes_twice_is_loaded_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "greet.py").write_text(hello("greet"))

    assert loaded(capsys, "-e", os.path.relpath(folder / "greet.py")) == "todo-context, greet (undeclared)"


def test_a_manifest_beside_the_file_is_held_against_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "greet.py").write_text(hello("greet"))
    manifest = {"name": "greeting", "version": "1", "entrypoint": "greet:activate", "commands": [{"name": "greet"}]}
    (here / "greet.json").write_text(json.dumps(manifest))
    assert loaded(capsys, "-e", "greet.py") == "todo-context, greeting"

    (here / "greet.json").write_text(json.dumps({**manifest, "commands": []}))
    out, err = answered(capsys, "-e", "greet.py", "-p", "/help")
    undeclared = 'greeting: registers the command "greet", which its manifest does not declare.'
    assert err == [f'{undeclared} Add it to the manifest, under "commands".']
    assert out.endswith("Extensions: todo-context")

    (here / "greet.json").write_text(json.dumps({**manifest, "name": 3}))
    assert answered(capsys, "-e", "greet.py", "-p", "/todo")[1] == [
        f"{here / 'greet.json'}: name is 3. Give it a text."
    ]


def test_a_package_has_its_manifest_in_its_folder(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(here / "site")
    package = here / "site/packaged_greeting"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(hello("greet"))
    manifest = {"name": "greeting", "version": "1", "entrypoint": "x:activate", "commands": [{"name": "greet"}]}
    (package / "manifest.json").write_text(json.dumps(manifest))

    assert loaded(capsys, "-e", "packaged_greeting") == "todo-context, greeting"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param(None, "x.py: cannot be read: No such file or directory. Look at", id="missing"),
        pytest.param("def activate(pi):\n    pass\n  x", "x.py: line 3 is no Python: ", id="no Python"),
        pytest.param("\0", "x.py: cannot be loaded: ", id="no text"),
        pytest.param("", "x.py: there is no function activate in it. Add: def activate(pi): …", id="no function"),
        pytest.param("activate = 3", "x.py: there is no function activate in it.", id="no function but a number"),
        pytest.param("\n\nactivate = 1 / 0", "x.py: cannot be loaded: line 3: ZeroDivisionError: ", id="raises"),
        pytest.param("import no_such_module", "x.py: cannot be loaded: line 1: ModuleNotFoundError: No", id="import"),
        pytest.param("open('nothing')", "x.py: cannot be loaded: line 1: FileNotFoundError: ", id="the world"),
        pytest.param("raise SystemExit(3)", "x.py: cannot be loaded: line 1: SystemExit: 3", id="leaves"),
        pytest.param(
            "def activate(pi):\n    pi.x", "x: cannot be loaded: x.py: AttributeError: ", id="activate raises"
        ),
        pytest.param("def activate(pi):\n    pi.append_entry('a', {})", "x: stores an entry while", id="too soon"),
        pytest.param(hello("todo"), "x: /todo is taken. Load one of the two.", id="a command of ours"),
        pytest.param(hello("reload"), "x: /reload is taken. Load one of the two.", id="a command of the host"),
        pytest.param(TOOL.format(tool="todo_write"), "x: the tool todo_write is taken. Load one of", id="a tool"),
    ],
)
def test_one_that_cannot_be_loaded_is_one_line_and_the_session_starts_without_it(
    code: str | None, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if code is not None:
        (here / "x.py").write_text(code)
    (here / "greet.py").write_text(hello("greet"))

    out, err = answered(capsys, "-e", "x.py", "-e", "greet.py", "-p", "/greet")

    assert out == "hello from greet"
    assert len(err) == 1
    assert err[0].startswith(said)


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        pytest.param(
            "no.such.module", "", "no.such.module: the entrypoint no.such.module:activate cannot", id="missing"
        ),
        pytest.param("broken_one", "1 / 0", "broken_one: cannot be loaded: broken_one:activate: ZeroDiv", id="raises"),
        pytest.param("empty_one", "", "empty_one: there is no function activate in it.", id="no function"),
    ],
)
def test_a_module_that_cannot_be_loaded_is_one_line(
    name: str, code: str, said: str, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    if not name.startswith("no."):
        install(name, code, ":activate")

    _, err = answered(capsys, "--no-extensions", "-e", name, "-p", "/todo")

    assert len(err) == 1
    assert err[0].startswith(said)


def test_two_files_of_one_name_are_two_modules(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        (here / name).mkdir()
        (here / name / "x.py").write_text(
            "from dataclasses import dataclass\n@dataclass\nclass C:\n    x: 'int'\n" + hello(name)
        )

    assert answered(capsys, "-e", "a/x.py", "-e", "b/x.py", "-p", "/a") == ("hello from a", [])


def test_a_whole_program_runs_with_one(here: Path) -> None:
    (here / "loud.py").write_text(
        "def activate(pi):\n"
        "    pi.on('input', lambda event, ctx: {'action': 'transform', 'text': event['text'].upper()})\n"
        "    pi.on('context', lambda event, ctx: 3)\n"
    )
    with ScriptedLlm([]) as server:
        online = ("--model", "openai:m", "--base-url", server.base_url)
        done = run("--no-session", "--no-todo", *online, "-e", "loud.py", cwd=here, lines="hello\n/help\n")

    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert done.stderr.startswith("loud: at context: its answer is 3. A right one: ")
    assert "HELLO" in str(server.bodies[0])
    assert done.stdout.endswith("Extensions: loud (undeclared)\n")


def test_what_a_file_leaves_in_the_process_is_its_module_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "greet.py").write_text(hello("greet"))
    before = set(sys.path)

    answered(capsys, "-e", "greet.py", "-p", "/greet")

    assert set(sys.path) == before
    assert f"extension {here / 'greet.py'}" in sys.modules
    assert "greet" not in sys.modules
