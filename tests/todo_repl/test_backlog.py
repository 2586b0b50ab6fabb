"""`todo-context backlog …`: a shell's way to the backlog, with JSON and exit codes."""

import getpass
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.todo_repl.process import run
from tests.todo_repl.terminal import Terminal
from todo_context.backlog.moves import Who
from todo_context.backlog.opening import open_store
from todo_context.backlog.places import default_place
from todo_context.backlog.shapes import Draft
from todo_context.paths import data_dir
from todo_repl.cli import main

backlog = partial(run, "backlog")


def answered(*arguments: str, cwd: Path, code: int = 0) -> Any:
    """What a script reads."""
    ended = backlog(*arguments, "--json", cwd=cwd)
    assert ended.returncode == code, ended
    return json.loads(ended.stdout)


def test_an_item_from_a_shell(tmp_path: Path) -> None:
    added = backlog("add", "Port", "logger", "--priority", "high", cwd=tmp_path)
    (item,) = open_store(str(default_place())).export()

    assert (added.returncode, added.stdout, added.stderr) == (0, f"Added: {item.id} high Port logger\n", "")
    assert (item.project, item.source) == (tmp_path.name, f"shell:{_user()}")
    assert backlog("done", "logger", cwd=tmp_path).stdout == f"Completed: {item.id} high Port logger (done)\n"
    assert backlog("log", cwd=tmp_path).stdout.count(" you ") == 2
    assert backlog("undo", cwd=tmp_path).stdout.startswith("Undone: completed by you.")


def test_json_holds_items_changes_and_refusals(tmp_path: Path) -> None:
    added = answered("add", "Port logger", cwd=tmp_path)
    id_ = added["changed"][0]

    assert [item["text"] for item in answered("list", cwd=tmp_path)["items"]] == ["Port logger"]
    refused = answered("add", "port LOGGER", cwd=tmp_path, code=1)
    assert [(each["code"], each["message"].startswith(f"{id_} says the same")) for each in refused["refused"]] == [
        ("exists", True)
    ]
    (change,) = answered("log", cwd=tmp_path)["changes"]
    assert (change["verb"], change["item"], change["before"]) == ("add", id_, None)


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (["show", "zzzz"], 1, "unknown"),
        (["done", "zzzz"], 1, "unknown"),
        (["done", "port"], 1, "ambiguous"),
        (["done", "no", "such"], 1, "unknown"),
        (["claim", "zzzz"], 1, "unknown"),
        (["update", "zzzz", "x"], 1, "unknown"),
        (["update", "logger"], 2, "usage"),
        (["log", "zzzz"], 1, "unknown"),
        (["block", "logger", "zzzz"], 1, "unknown"),
        (["park", "logger", "until", "yesterday"], 1, "date"),
        (["list", "--page", "9"], 1, "nothing"),
        (["list", "--since", "junk"], 2, "usage"),
        (["import", "nowhere.json"], 1, "nothing"),
        (["frob"], 2, "usage"),
    ],
)
def test_whatever_is_refused_has_one_shape(tmp_path: Path, arguments: list[str], exit_code: int, code: str) -> None:
    store = open_store(str(default_place()))
    store.add([Draft(text="Port logger", project="core"), Draft(text="Port parser", project="core")], Who("x"))
    (tmp_path / "core").mkdir()

    said = answered(*arguments, cwd=tmp_path / "core", code=exit_code)

    (refused,) = said["refused"]
    assert (refused["code"], set(refused)) == (code, {"code", "id", "index", "message"})
    assert refused["message"] in said["text"]


def test_what_is_not_refused_says_so(tmp_path: Path) -> None:
    (id_,) = answered("add", "Port logger", cwd=tmp_path)["changed"]

    for verb in (["list"], ["show", id_], ["log"], ["health"], ["update", id_, "Port it"], ["done", id_], ["help"]):
        assert answered(*verb, cwd=tmp_path)["refused"] == []


def test_what_is_claimed_in_a_shell_stays_claimed(tmp_path: Path) -> None:
    (id_,) = answered("add", "Port logger", cwd=tmp_path)["changed"]

    claimed = answered("claim", id_, cwd=tmp_path)

    assert claimed["items"][0]["owner"] == f"shell:{_user()}"
    assert "leaseUntil" not in claimed["items"][0]


def test_exit_codes(tmp_path: Path) -> None:
    assert backlog(cwd=tmp_path).returncode == 0
    assert backlog("health", cwd=tmp_path).returncode == 0
    (id_,) = answered("add", "x" * 100, cwd=tmp_path)["changed"]
    flags = answered("health", cwd=tmp_path, code=4)["flags"]
    assert [(flag["code"], flag["ids"]) for flag in flags] == [("TITLE_LONG", [id_])]
    wrong, unknown = backlog("frob", cwd=tmp_path), backlog("done", "zzzz", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout, unknown.returncode, unknown.stdout) == (2, "", 1, "")
    assert unknown.stderr == 'No item "zzzz". Use an id that list shows.\n'


def test_behind_two_dashes_all_is_text(tmp_path: Path) -> None:
    added = backlog("add", "--", "--json", "is", "an option", cwd=tmp_path)

    assert added.stdout.endswith(" --json is an option\n")


def test_a_store_that_cannot_be_used_is_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    default_place().parent.mkdir(parents=True)
    default_place().write_text("no database, but some text that is long enough to be read as a page of one" * 20)

    ended = backlog("list", cwd=tmp_path)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert str(default_place()) in ended.stderr
    assert "Traceback" not in ended.stderr
    monkeypatch.setenv("TODO_CONTEXT_BACKLOG_STORE", str(tmp_path / "Dropbox" / "b.db"))
    (tmp_path / "Dropbox").mkdir()
    for verb in (["add", "x"], ["list"]):
        refused = backlog(*verb, cwd=tmp_path)
        assert (refused.returncode, "is copied to other machines" in refused.stderr) == (1, True)


def test_hostile_text_reaches_no_terminal(tmp_path: Path) -> None:
    backlog("add", "\x1b[2J\x1b]0;title\x07ok\u202e", "--notes", "\x1b[31mred", cwd=tmp_path)

    for verb in ("list", "all", "log", "health", "show"):
        shown = backlog(verb, *(["ok"] if verb == "show" else []), cwd=tmp_path)
        assert "\x1b" not in shown.stdout + shown.stderr
        assert "\u202e" not in shown.stdout


def test_settings_that_are_not_known_are_named_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TODO_CONTEXT_BACKLOG_STOER", "x")
    monkeypatch.chdir(tmp_path)

    assert main(["backlog"]) == 0

    assert "Closest: TODO_CONTEXT_BACKLOG_STORE" in capsys.readouterr().err


def test_help_is_help(tmp_path: Path) -> None:
    assert backlog("--help", cwd=tmp_path).stdout == backlog("help", cwd=tmp_path).stdout
    assert "recover" in backlog("-h", cwd=tmp_path).stdout
    of_add = backlog("add", "--help", cwd=tmp_path)
    assert (of_add.returncode, of_add.stdout, of_add.stderr) == (0, backlog("help", "add", cwd=tmp_path).stdout, "")


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    answered("add", "Port logger", cwd=tmp_path)

    assert backlog("list", "--page", "999", cwd=tmp_path).returncode == 1
    assert backlog("log", "zzzz", cwd=tmp_path).returncode == 1


def test_what_the_door_refuses_is_in_no_file_of_a_session_also_when_it_is_mended(tmp_path: Path) -> None:
    token, script = "gh" + "p_" + "a1B2" * 9, tmp_path / "editor.sh"
    script.write_text(f'echo "- [ ] Use {token}" >> "$1"\n')
    backlog("add", "Port logger", cwd=tmp_path)
    terminal = Terminal("--session", "s.jsonl", cwd=tmp_path, size=(120, 40), env={"EDITOR": f"sh {script}"})
    terminal.wait_for_prompt()

    def secrets() -> list[str]:
        folders = (data_dir(), tmp_path)
        files = {path for folder in folders for path in folder.rglob("*") if path.is_file() and path != script}
        return [path.name for path in files if token.encode() in path.read_bytes()]

    terminal.type(f"/backlog add key {token}\r")
    terminal.wait_for("GitHub token, at character 5")
    terminal.type("/backlog edit\r")
    terminal.wait_for("Nothing was written.")
    assert secrets() == []
    assert "Use ghp_…" in "".join(path.read_text() for path in (data_dir() / "edits").iterdir())
    script.write_text('sed -i "s/Use.*/Rotate it/" "$1"\n')
    terminal.type("/backlog edit\r")
    terminal.wait_for("not taken over")
    terminal.type("y\r")
    terminal.wait_for("Added: td-")
    terminal.leave()
    assert secrets() == []
    assert backlog("list", cwd=tmp_path).stdout.endswith(" Rotate it\n")
    assert "/backlog edit" in (data_dir() / "history").read_text()


def _user() -> str:
    return getpass.getuser()
