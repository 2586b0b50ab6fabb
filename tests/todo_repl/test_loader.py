"""An extension is loaded as its manifest says, or not at all."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.todo_repl.stage import Stage, manifest, runtime
from todo_context.errors import TodoContextError
from todo_repl.loader import activate_function
from todo_repl.manifest import ExtensionError, Manifest, own_manifest, parse_manifest
from todo_repl.runtime import Runtime

EXTENSION = """
from todo_context.pi import Answer, Tool, ToolResult

async def execute(call_id, arguments, ctx):
    return ToolResult(text="done")

async def hello(args, ctx):
    return Answer(text=f"hello {args}")

def tool(pi):
    pi.register_tool(Tool(name="probe", label="Probe", description="", parameters={}, execute=execute))

def command(pi):
    pi.register_command("hello", description="Say hello", handler=hello)

def hook(pi):
    pi.on("turn_end", lambda event, ctx: None)

def everything(pi):
    tool(pi); command(pi); hook(pi)

async def later(pi):
    everything(pi)

def crash(pi):
    tool(pi)
    raise ValueError("oh no")

def store(pi):
    pi.append_entry("x", {})

def swallow(pi):
    command(pi)
    try:
        tool(pi)
    except Exception:
        pass

NOT_A_FUNCTION = 3
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module that holds the extension; a new one for each test, for Python keeps modules."""
    name = f"extension_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(EXTENSION)
    monkeypatch.syspath_prepend(tmp_path)
    return name


def load(
    module: str, function: str, *, tools: Sequence[str] = (), commands: Sequence[str] = (), hooks: Sequence[str] = ()
) -> Runtime:
    declared = manifest(tools=tools, commands=commands, hooks=hooks).model_copy(
        update={"entrypoint": f"{module}:{function}"}
    )
    loaded = runtime(Stage())
    asyncio.run(loaded.load(declared, activate_function(declared.name, declared.entrypoint)))
    return loaded


@pytest.mark.parametrize("function", ["everything", "later"])
def test_what_is_declared_is_loaded(module: str, function: str) -> None:
    loaded = load(module, function, tools=["probe"], commands=["hello"], hooks=["turn_end"])

    assert loaded.commands()["hello"] == "Say hello"
    assert [tool.name for tool in loaded.tools()] == ["probe"]


def test_what_is_declared_need_not_be_registered(module: str) -> None:
    loaded = load(module, "hook", tools=["probe"], commands=["hello"], hooks=["turn_end", "turn_start"])

    assert list(loaded.tools()) == []


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("tool", 'the tool "probe", which its manifest does not declare. Add it to the manifest, under "tools".'),
        ("command", 'the command "hello", which its manifest does not declare. Add it to the manifest, under "comm'),
        ("hook", 'the hook "turn_end", which its manifest does not declare. Add it to the manifest, under "hooks".'),
        ("swallow", 'the tool "probe"'),
    ],
)
def test_what_is_not_declared_is_refused(module: str, function: str, said: str) -> None:
    declared = ["hello"] if function == "swallow" else []

    with pytest.raises(ExtensionError) as caught:
        load(module, function, commands=declared)

    assert str(caught.value).startswith("probe: registers ")
    assert said in str(caught.value)
    assert caught.value.extension == "probe"


def test_a_refused_extension_leaves_nothing_behind(module: str) -> None:
    loaded = runtime(Stage())
    declared = manifest(commands=["hello"], hooks=["turn_end"]).model_copy(
        update={"entrypoint": f"{module}:everything"}
    )

    with pytest.raises(ExtensionError):
        asyncio.run(loaded.load(declared, activate_function(declared.name, declared.entrypoint)))

    assert set(loaded.commands()) == set(runtime(Stage()).commands())
    assert list(loaded.tools()) == []


def test_an_extension_that_raises_is_named_and_its_trace_kept(module: str, home: Path) -> None:
    with pytest.raises(
        ExtensionError, match=r"probe: cannot be loaded: .*:crash: ValueError: oh no\. Its trace is in "
    ):
        load(module, "crash", tools=["probe"])

    (log,) = home.rglob("logs/*.log")
    assert "oh no" in log.read_text()


def test_nothing_can_be_stored_before_the_session_begins(module: str) -> None:
    with pytest.raises(ExtensionError, match=r'while it is being loaded\. Wait for "session_start"'):
        load(module, "store")


@pytest.mark.parametrize(
    ("entrypoint", "said"),
    [
        ("{module}:missing", "probe: there is no function missing in it"),
        ("{module}:NOT_A_FUNCTION", "probe: there is no function NOT_A_FUNCTION in it"),
        ("no_such_module:activate", "the entrypoint no_such_module:activate cannot be imported"),
    ],
)
def test_an_entrypoint_that_is_none_is_said(module: str, entrypoint: str, said: str) -> None:
    declared = manifest().model_copy(update={"entrypoint": entrypoint.format(module=module)})

    with pytest.raises(ExtensionError, match=said):
        activate_function(declared.name, declared.entrypoint)


@pytest.mark.parametrize("name", ["help", "hello"])
def test_a_command_that_is_taken_is_refused(name: str) -> None:
    loaded = runtime(Stage())

    async def handler(args: str, ctx: object) -> None:
        del args, ctx

    def activate(pi: object) -> None:
        pi.register_command(name, description="", handler=handler)  # type: ignore[attr-defined]

    async def twice() -> None:
        await loaded.load(
            manifest(commands=["hello"], name="first"),
            lambda pi: pi.register_command("hello", description="", handler=handler),
        )
        await loaded.load(manifest(commands=[name], name="second"), activate)

    with pytest.raises(ExtensionError, match=f"second: /{name} is taken"):
        asyncio.run(twice())


def test_the_built_in_extension_is_found_in_the_metadata_of_the_package() -> None:
    own = own_manifest()

    assert (own.name, own.entrypoint) == ("todo-context", "todo_context:activate")


BARE = {"name": "x", "version": "1", "entrypoint": "a.b:c"}


def test_a_manifest_may_say_more_than_the_host_reads() -> None:
    text = json.dumps({**BARE, "permissions": {"ui": []}, "tools": [{"name": "t", "since": 3}]})

    assert parse_manifest(text) == Manifest.model_validate({**BARE, "tools": [{"name": "t"}]})


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        pytest.param("{", "m.json: not JSON.", id="no JSON"),
        pytest.param("[]", "m.json: not an object.", id="a list"),
        pytest.param({"version": "1", "entrypoint": "a:b"}, "m.json: name is missing. Give it a text.", id="no name"),
        pytest.param({**BARE, "name": 3}, "m.json: name is 3. Give it a text.", id="a number for a name"),
        pytest.param({**BARE, "entrypoint": "a"}, "m.json: entrypoint is 'a'. Give it a text such as", id="entrypoint"),
        pytest.param({**BARE, "tools": "t"}, "m.json: tools is 't'. Give it a list.", id="tools"),
        pytest.param({**BARE, "tools": [{}]}, "m.json: tools.0.name is missing. Give it a text.", id="a tool"),
        pytest.param({**BARE, "hooks": [3]}, "m.json: hooks.0 is 3. Give it a list of event names.", id="hooks"),
    ],
)
def test_a_manifest_that_is_none_is_said_in_our_words(raw: object, said: str) -> None:
    with pytest.raises(TodoContextError) as caught:
        parse_manifest(raw if isinstance(raw, str) else json.dumps(raw), "m.json")

    assert str(caught.value).startswith(said)
    assert "pydantic" not in str(caught.value)
