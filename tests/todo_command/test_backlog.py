"""The backlog as a person types it: /todo backlog …, /backlog …, and what goes between it and the plan."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.todo_command.desk import Editor, Person
from tests.todo_context.backlog.kit import KINDS, break_store
from todo_command.verbs.backlog_table import VERBS, help_text, run
from todo_context import activate, plan_of, to_markdown
from todo_context.awaiting import awaited
from todo_context.backlog.checklist import HEAD
from todo_context.backlog.here import Here
from todo_context.backlog.item import Item, Status
from todo_context.backlog.lock import StoreLock
from todo_context.backlog.moves import Who
from todo_context.backlog.opening import open_store
from todo_context.backlog.shapes import Draft, Edit, Prune, Query
from todo_context.backlog.store import Store
from todo_context.hosts.memory import MemoryPi
from todo_context.pi import Answer, LeftOver
from todo_context.plan.problem import LineProblem
from todo_context.settings import BacklogSettings, PanelSettings, Settings


class Sitting:
    """Someone at a session in a project, over a store that others may share."""

    def __init__(
        self,
        place: str,
        name: str = "pi:11111111",
        *,
        person: Person | None = None,
        cwd: str = "/home/user/core",
        **more: Any,
    ) -> None:
        self.place, self.pi = place, MemoryPi(session=name, cwd=cwd, ui=person)
        self._chosen = BacklogSettings(store=place, **{"project": "core", **more})
        activate(self.pi, chosen=Settings(backlog=self._chosen, panel=PanelSettings(show=False)))

    def type(self, line: str) -> Answer:
        command, _, args = line.removeprefix("/").partition(" ")
        answer = asyncio.run(self.pi.run_command(command, args))
        assert answer is not None
        return answer

    def types(self, line: str) -> Answer:
        """Type what stands behind /backlog, where a plan is not needed."""
        return asyncio.run(run(line, Here(self._chosen), self.pi.context())).answer

    def says(self, line: str) -> str:
        answer = self.type(line)
        assert not answer.is_error, answer.text
        return answer.text

    def refuses(self, line: str) -> str:
        answer = self.type(line)
        assert answer.is_error, answer.text
        return answer.text

    def add(self, text: str) -> str:
        """Add an item; its id."""
        return self.says(f"/backlog add {text}").split()[1]

    def completes(self, line: str) -> list[str]:
        command, _, args = line.removeprefix("/").partition(" ")
        completer = self.pi.commands[command].get_argument_completions
        assert completer is not None
        return [each.value for each in asyncio.run(awaited(completer(args)))]

    @property
    def store(self) -> Store:
        return open_store(self.place)

    def item(self, id_: str) -> Item:
        return self.store.get([id_]).items[0]

    @property
    def plan(self) -> str:
        return to_markdown(plan_of(self.pi.branch()))


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "b.db") if request.param == "sqlite" else f"json:{tmp_path / 'todo.json'}"


@pytest.fixture
def one(place: str) -> Sitting:
    return Sitting(place)


def test_without_a_store_nothing_is_found_and_nothing_made(one: Sitting, tmp_path: Path) -> None:
    assert (
        one.says("/todo backlog") == 'Project "core": nothing open. The backlog is empty; backlog add <text> begins it.'
    )
    for verb in ("all", "log", "health", "clean", "prune"):
        assert one.says(f"/backlog {verb}") == "The backlog is empty; backlog add <text> begins it."
    for verb in ("done 4k2m", "claim", "undo", "show 4k2m", "forget 4k2m"):
        assert one.refuses(f"/backlog {verb}") == "The backlog is empty; backlog add <text> begins it."
    assert one.refuses("/todo pull 4k2m").startswith("The backlog is empty.")
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_was_set_aside_is_no_backlog_that_was_always_empty(one: Sitting, tmp_path: Path) -> None:
    break_store(one.place)

    assert "was set aside as" in one.refuses("/backlog")
    (aside,) = tmp_path.glob("*.aside-*")
    empty = f"The backlog is empty: its store could not be read and was set aside as {aside}"
    assert one.says("/backlog") == f'Project "core": nothing open. {empty}; backlog add <text> begins it.'
    assert one.refuses("/backlog done 4k2m") == f"{empty}; backlog add <text> begins it."
    assert one.says("/backlog log").startswith(empty)


def test_both_commands_are_one(one: Sitting) -> None:
    id_ = one.add("Port logger --priority high --tag infra --notes 'x'")

    assert (
        one.says("/todo backlog")
        == one.says("/backlog list")
        == f'Project "core": open\n{id_} high Port logger #infra (notes)'
    )


def test_an_item_is_named_by_its_id_its_beginning_or_a_part_of_its_text(one: Sitting) -> None:
    first, second = one.add("Port logger"), one.add("Port parser")

    assert one.says(f"/backlog done {first[3:]}") == f"Completed: {first} Port logger (done)"
    assert one.says("/backlog done parser") == f"Completed: {second} Port parser (done)"
    assert one.refuses("/backlog done nothing like it") == 'No item here has "nothing like it". backlog lists them.'
    assert one.refuses("/backlog done zzzz") == 'No item "zzzz". Use an id that list shows.'


def test_several_are_listed_or_chosen_from(place: str) -> None:
    person = Person()
    one, asked = Sitting(place), Sitting(place, person=person)
    first, second = one.add("Port logger"), one.add("Port parser")

    assert one.refuses("/backlog done port").split("\n")[1:] == [f"{first} Port logger", f"{second} Port parser"]
    assert asked.says("/backlog done port") == "Nothing chosen; the backlog is unchanged."
    person.choice = f"{second} Port parser"
    assert asked.says("/backlog done port") == f"Completed: {second} Port parser (done)"


def test_the_verbs_of_an_items_life(one: Sitting) -> None:
    id_ = one.add("Port logger")

    assert one.says(f"/backlog claim {id_}") == f"Claimed: {id_} Port logger (you on it)"
    assert one.item(id_).owner == "pi:11111111"
    assert one.says(f"/backlog claim {id_}") == f"No change: {id_} Port logger (you on it)"
    assert one.says(f"/backlog release {id_}") == f"Released: {id_} Port logger"
    assert (
        one.says(f"/backlog park {id_} until 2099-01-01")
        == f"Parked: {id_} Port logger (parked until 2099-01-01 00:00)"
    )
    assert one.says("/backlog") == 'Project "core": nothing open\nAlso 1 parked (--status parked).'
    assert one.says(f"/backlog park {id_}") == f"Parked: {id_} Port logger (parked)"
    assert one.says(f"/backlog unpark {id_}") == f"Unparked: {id_} Port logger"
    assert one.says(f"/backlog update {id_} Port the logger --priority low --tag a") == (
        f"Changed (text, tags, priority): {id_} low Port the logger #a"
    )
    assert one.says(f"/backlog rm {id_}") == f"Cancelled: {id_} low Port the logger #a (cancelled)"
    assert one.says("/backlog clean") == f"Archived 1 item: {id_}. restore brings one back."
    assert one.says(f"/backlog restore {id_} --open") == f"Reopened: {id_} low Port the logger #a"
    assert one.says("/backlog start") == f"Claimed: {id_} low Port the logger #a (you on it)"


def test_a_person_takes_what_another_session_holds_and_undoes_what_anyone_did(place: str) -> None:
    one, two = Sitting(place), Sitting(place, "pi:22222222")
    id_ = one.add("Port logger")
    one.says(f"/backlog claim {id_}")

    assert "pi:11111111 works on it" in two.refuses(f"/backlog claim {id_}")
    assert two.says(f"/backlog release {id_}") == f"Released: {id_} Port logger, while pi:11111111 was on it"
    assert one.says("/backlog undo") == f"Undone: released by pi:22222222. As it is now:\n{id_} Port logger (you on it)"
    assert two.says("/backlog undo 2").split("\n") == [
        "Undone: claimed by pi:11111111. As it is now:",
        f"{id_} Port logger",
        "Undone: added by pi:11111111 (person). As it is now:",
        f"{id_} is gone again",
    ]
    assert two.refuses("/backlog undo") == "There is nothing to undo. Look at the log."
    assert one.says("/backlog redo 2").startswith("Redone: added by you.")
    assert [line.split(" ", 3)[3] for line in one.says("/backlog log --limit 3").split("\n")] == [
        f"you did again what was undone of {id_} Port logger",
        f"you did again what was undone of {id_} Port logger",
        f"pi:22222222 (person) undid what was done to {id_} Port logger",
    ]


def test_undo_takes_what_somebody_did_and_not_what_was_done_by_itself(place: str) -> None:
    one, two = Sitting(place, auto_prune=True, prune_days=0), Sitting(place, "pi:22222222")
    held, closed = one.add("Port logger"), one.add("Old")
    one.store.claim(held, Who("pi:99999999"), lease=timedelta(0))
    one.says(f"/backlog done {closed}")
    asyncio.run(one.pi.emit("session_start"))
    assert [change.verb for change in one.store.log(2)] == ["tidy", "expire"]

    assert two.says("/backlog undo").startswith("Undone: completed by pi:11111111 (person). As it is now:")
    assert (one.item(closed).status, one.item(closed).archived_at) == (Status.OPEN, "")
    asyncio.run(one.pi.emit("session_start"))
    assert two.says("/backlog undo 3").split("\n") == [
        "Undone: claimed by pi:99999999. As it is now:",
        f"{held} Port logger",
        "Undone: added by pi:11111111 (person). As it is now:",
        f"{closed} is gone again",
        "Undone: added by pi:11111111 (person). As it is now:",
        f"{held} is gone again",
    ]
    assert two.says("/backlog redo").startswith("Redone: added ")


def test_all_lists_by_project_and_rename_moves_one(one: Sitting) -> None:
    first = one.add("Here")
    second = one.add("There --project docs")

    assert one.says("/backlog all") == f'All projects: open\n"core"\n  {first} Here\n"docs"\n  {second} There'
    assert one.says("/backlog").endswith("Also 1 open in other projects (backlog all).")
    assert one.says("/backlog project rename docs core") == 'Moved 1 item from "docs" to "core".'
    assert one.refuses("/backlog rename docs core").startswith('No item has the project "docs".')
    assert "needs two names" in one.refuses("/backlog rename docs")


def test_edges_name_what_waits(one: Sitting) -> None:
    first, second = one.add("First"), one.add("Second")

    assert one.says(f"/backlog block {second} {first}") == f"Now waits: {second} Second (waits for {first})"
    assert f"Claim {first} first." in one.refuses(f"/backlog claim {second}")
    assert "it cannot wait for" in one.refuses(f"/backlog block {first} {second}")
    assert one.says(f"/backlog unblock {second}") == f"No longer waits: {second} Second"


def test_a_hard_prune_is_asked_about_and_comes_back(place: str) -> None:
    person = Person(confirms=False)
    one, asked = Sitting(place), Sitting(place, person=person)
    id_ = one.add("Old")
    one.says(f"/backlog done {id_}")
    one.says("/backlog clean")

    assert one.says("/backlog prune --hard") == "No change: nothing that old is archived."
    shown = one.says("/backlog prune --hard --days 0").split("\n")
    assert (shown[0][:19], shown[1]) == ("Would delete 1 item", "- Old")
    assert one.item(id_).trashed_at == ""
    assert asked.says("/backlog prune --hard --days 0") == "Nothing was deleted."
    assert "- Old" in person.asked[0]
    person.confirms = True
    done = asked.says("/backlog prune --hard --days 0")
    assert done.startswith("Deleted 1 item. untrash ")
    assert (
        one.says(f"/backlog {done.split('. ')[1].split(' brings')[0]}") == f"Brought back: {id_} Old (done, archived)"
    )
    token = one.says("/backlog prune --hard --days 0").rpartition(" ")[2]
    assert one.says(f"/backlog prune --hard --days 0 --token {token}").startswith("Deleted 1 item.")


def test_a_hard_prune_of_a_set_that_moved_is_refused(one: Sitting) -> None:
    for text in ("One", "Two"):
        one.says(f"/backlog done {one.add(text)}")
    one.says("/backlog clean")
    token = one.says("/backlog prune --hard --days 0").rpartition(" ")[2]
    one.says(f"/backlog restore {one.store.export()[0].id}")

    assert one.refuses(f"/backlog prune --hard --days 0 --token {token}").startswith("The set is another: ")


def test_a_secret_is_refused_let_through_and_forgotten(one: Sitting) -> None:
    secret = "ghp_" + "a1B2" * 9

    refused = one.refuses(f"/backlog add Use {secret}")
    assert secret not in refused
    assert "--allow-secret" in refused
    id_ = one.add(f"Use {secret} --allow-secret")
    assert "forget" in one.says("/backlog health")
    assert "If you mean it: forget" in one.refuses(f"/backlog forget {id_}")
    assert one.says(f"/backlog forget {id_} --yes").startswith(f"Forgotten: {id_}.")
    assert secret not in one.says("/backlog log") + one.says(f"/backlog show {id_}")
    assert secret.encode() not in Path(one.place.removeprefix("json:")).read_bytes()


def test_health_names_what_is_up_and_fix_mends_what_is_safe(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.store.claim(id_, Who("pi:99999999"), lease=timedelta(0))

    assert one.says("/backlog health").startswith("LEASE_LOST: ")
    assert f"{id_} Port logger" in one.says("/backlog health --fix")
    assert one.says("/backlog health") == "Healthy: nothing is up."


def test_what_is_exported_can_be_imported_elsewhere_and_only_once(one: Sitting, tmp_path: Path) -> None:
    one.add("Port logger --tag infra")
    path = tmp_path / "out.json"

    assert one.says(f"/backlog export {path}") == f"Exported 1 item to {path}."
    assert json.loads(path.read_text())["version"] == 1
    assert "not overwritten" in one.refuses(f"/backlog export {path}")
    other = Sitting(str(tmp_path / "other.db"), cwd=str(tmp_path))
    assert other.says(f"/backlog import {path} --dry-run") == "Would take in: 1 new, 0 changed, 0 same."
    assert other.says(f"/backlog import {path}") == "Imported: 1 new, 0 changed, 0 same."
    assert other.says(f"/backlog import {path}") == "Imported: 0 new, 0 changed, 1 same."
    assert other.refuses("/backlog import nowhere.json").endswith(
        "there is no such file. Name another one; Tab completes."
    )
    path.write_text("[]")
    assert "no file of armory's, version 1" in other.refuses(f"/backlog import {path}")


def test_a_store_of_which_only_backups_are_left_is_recovered(tmp_path: Path) -> None:
    place = str(tmp_path / "b.db")
    one = Sitting(place)
    one.add("One")
    one.says("/backlog done one")
    one.says("/backlog clean")
    token = one.says("/backlog prune --hard --days 0").rpartition(" ")[2]
    one.says(f"/backlog prune --hard --days 0 --token {token}")
    Path(place).unlink()

    lost = Sitting(place)
    assert lost.refuses("/backlog").endswith("backlog recover does that.")
    assert lost.says("/backlog recover").startswith("Recovered: ")
    assert lost.says("/backlog") == 'Project "core": nothing open'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/backlog frob", 'There is no verb "frob". '),
        ("/backlog add", "backlog add: add needs a text. Usage: backlog add <text…> "),
        ("/backlog add x --color red", "--color: no such option here. There is --priority, "),
        ("/backlog add x --priority soon", "--priority soon: it is one of low, med, high, critical."),
        ("/backlog list --status lost", "--status lost: it is one of open, "),
        ("/backlog list --page two", "--page two: it is a whole number, 1 or more."),
        ("/backlog add x --notes", "--notes needs a value."),
        ("/backlog undo many", "undo takes how many changes, from 1 to 100."),
        ("/backlog untrash", "untrash needs the number"),
        ("/backlog done", "it needs the id of an item"),
        ("/backlog prune --days soon", "--days soon: it is how many days, or 2w."),
        ("/backlog park x until", "until when? tomorrow"),
    ],
)
def test_what_cannot_be_meant_is_answered_with_what_can(one: Sitting, line: str, said: str) -> None:
    one.add("Port logger")

    assert said in one.refuses(line)


@pytest.mark.parametrize(
    "line",
    [
        "/backlog @",
        "/backlog help @",
        "/backlog add x --@",
        "/backlog add x --priority @",
        "/backlog add x --until @",
        "/backlog add x --after @",
        "/backlog park port until @",
        "/backlog done @",
        "/backlog done port @",
        "/backlog show @",
        "/backlog log @",
        "/backlog block port @",
        "/backlog list --status @",
        "/backlog list --since @",
        "/backlog list --page @",
        "/backlog prune --days @",
        "/backlog import @",
        "/backlog rename @ x",
        "/todo pull @",
    ],
)
@pytest.mark.parametrize("secret", ["ghp_" + "a1B2" * 9, "sk-" + "proj-" + "a1B2" * 30])
def test_no_error_says_again_what_the_door_refuses(one: Sitting, line: str, secret: str) -> None:
    one.add("Port logger")

    assert secret[:9] not in one.refuses(line.replace("@", secret))


def test_a_list_of_what_is_not_there_does_not_say_it_again_either(one: Sitting) -> None:
    one.add("Port logger")

    assert one.says("/backlog list --project ghp_" + "a1B2" * 9).startswith('Project "ghp_…": nothing open')


@pytest.mark.parametrize(
    ("line", "text", "notes", "tags"),
    [
        ("""add don't lose the users' notes""", "don't lose the users' notes", "", ()),
        ("""add it 's --notes 'a b' --tag x""", "it 's", "a b", ("x",)),
        ("""add 'tis --notes='a b'""", "'tis", "a b", ()),
        ("""add one --notes 'don't say "no"' --tag 'c d'""", "one", 'don\'t say "no"', ("c d",)),
        ("""add one --notes 'C:\\new'""", "one", "C:\\new", ()),
        ("""add one --notes "it's 'a b'\"""", "one", "it's 'a b'", ()),
        ("""add one --notes '' --tag x""", "one", "", ("x",)),
        ("""add one --notes "" --tag x""", "one", "", ("x",)),
        ("""add one --notes don't""", "one", "don't", ()),
        ("""add say "x --notes 'a" --force 'b'""", "say x --notes 'a 'b'", "", ()),
        ("""add -- say --notes 'a b'""", "say --notes 'a b'", "", ()),
        ("""add one\\" and "two three\"""", 'one" and two three', "", ()),
    ],
)
def test_quotes_keep_a_value_together_and_an_apostrophe_is_one(
    one: Sitting, line: str, text: str, notes: str, tags: tuple[str, ...]
) -> None:
    one.types(line)

    (item,) = one.store.export()
    assert (item.text, item.notes, item.tags) == (text, notes, tags)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("add one --notes 'a b", '--notes: the quote before "a b" does not close. Close it, or leave it out.'),
        ("add one --notes='a", '--notes: the quote before "a" does not close.'),
        ('add a 5" disk', 'the quote before " disk" does not close. Close it, or write \\" for one that is text.'),
        ('add -- a 5" disk', 'the quote before " disk" does not close.'),
    ],
)
def test_a_quote_that_does_not_close_is_refused_with_its_place(one: Sitting, line: str, said: str) -> None:
    answer = one.types(line)

    assert answer.is_error
    assert said in answer.text
    assert not one.store.export()


def test_a_project_is_not_renamed_to_a_secret(one: Sitting) -> None:
    secret = "ghp_" + "a1B2" * 9
    id_ = one.add("Port logger")

    refused = one.refuses(f"/backlog rename core {secret}")
    assert "A secret in its project: GitHub token" in refused
    assert secret not in refused
    assert one.item(id_).project == "core"
    assert one.says(f"/backlog rename core {secret} --allow-secret").startswith("Moved 1 item")


def test_a_page_that_is_not_there_is_told_with_how_many_there_are(one: Sitting) -> None:
    assert one.store.add([Draft(text=f"Item {n}, page 1", project="core") for n in range(501)], Who("x")).changes

    assert one.refuses("/backlog list --page 999") == 'Project "core": no page 999; there is 11.'
    assert one.refuses("/backlog list --page 2 --status done") == 'Project "core": no page 2; nothing is done.'
    assert one.says("/backlog list --page 10").startswith('Project "core": open, page 10\n')
    assert ", page 1" in one.says("/backlog list").split("\n")[1]


def test_the_log_of_an_item_that_is_not_known_says_so(one: Sitting) -> None:
    id_ = one.add("Port logger")

    assert one.refuses("/backlog log zzzz") == 'No item "zzzz". Use an id that list shows.'
    assert one.says("/backlog undo").endswith(f"{id_} is gone again")
    assert f"added {id_} Port logger" in one.says(f"/backlog log {id_}")


def test_what_can_be_claimed_is_listed(one: Sitting) -> None:
    first, second, third = one.add("First"), one.add("Second"), one.add("Third")
    one.says(f"/backlog block {second} {first}")
    one.says(f"/backlog claim {third}")

    assert one.says("/backlog ready").split("\n") == ['Project "core": ready', f"{first} First"]


def test_clear_is_clean(one: Sitting) -> None:
    id_ = one.add("Old")
    one.says(f"/backlog done {id_}")

    assert one.says("/backlog clear") == f"Archived 1 item: {id_}. restore brings one back."


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_each_verb_has_its_help(one: Sitting, verb: str) -> None:
    assert one.says(f"/backlog {verb} --help") == one.says(f"/backlog help {verb}")
    assert one.says(f"/backlog {verb} -h") == one.says(f"/backlog help {verb}")


def test_behind_two_dashes_help_is_text(one: Sitting) -> None:
    assert one.says("/backlog add -- --help me").endswith(" --help me")
    assert one.says("/backlog add why -h").endswith(" why -h")


@pytest.mark.parametrize("verb", ["list", "add x", "health", "done 4k2m"])
def test_a_place_that_is_unfit_is_told_also_where_nothing_is_yet(tmp_path: Path, verb: str) -> None:
    (tmp_path / "Dropbox").mkdir()
    for place in (str(tmp_path / "Dropbox" / "b.db"), "b.db"):
        assert "/b.db" in Sitting(place).refuses(f"/backlog {verb}")
    assert "is copied to other machines" in Sitting(str(tmp_path / "Dropbox" / "b.db")).refuses(f"/backlog {verb}")


def test_the_help_names_each_verb_and_fits_the_screen(one: Sitting) -> None:
    assert one.says("/backlog help") == help_text()
    assert all(f"{verb.name} " in help_text() for verb in VERBS)
    assert max(map(len, help_text().split("\n"))) <= 90
    assert one.says("/backlog help add").startswith("backlog add <text…> [--priority …]")


def test_verbs_and_items_are_completed(one: Sitting) -> None:
    id_ = one.add("Port logger")

    assert "backlog add " in one.completes("/todo backlog ")
    assert one.completes("/todo backlog un")[0] == "backlog unpark "
    assert one.completes("/backlog don") == ["done "]
    assert one.completes("/backlog done log") == [f"done {id_[3:]}"]
    assert one.completes("/todo pull ") == [f"pull {id_[3:]}"]
    assert one.completes("/backlog add x") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("park wire", 'moves "Wire config" into the backlog'),
        ("pull 4k2m", 'claims "4k2m" in the backlog and adds it to the plan'),
        ("backlog add x", "add <text…>: a new item"),
        ("backlog", "list [<text…>]: what is open here"),
        ("backlog frob x", 'the backlog has no verb "frob"'),
    ],
)
def test_what_a_line_would_do_is_said_before(one: Sitting, line: str, said: str) -> None:
    one.says('/todo append Build "Wire config"')
    preview = one.pi.commands["todo"].preview
    assert preview is not None

    assert asyncio.run(awaited(preview(line))) == said


# --- between the plan and the backlog -------------------------------------------------------------------


def test_a_parked_task_is_an_item_with_its_notes_and_gone_from_the_plan(one: Sitting) -> None:
    one.says('/todo append Build "Wire config"')
    one.says("/todo note wire see the log")
    one.says("/todo block wire no key")

    answer = one.says("/todo park wire")

    (item,) = one.store.export()
    assert answer == f'Parked in the backlog as {item.id}: "Wire config". Nothing is open any more.'
    assert (item.text, item.notes, item.project) == ("Wire config", "see the log\n\nblocked: no key", "core")
    assert (item.status, item.origin) == (Status.OPEN, f"plan:pi:11111111:{sha256(b'Wire config').hexdigest()[:16]}:1")
    assert one.plan == "# Build\n"


def test_a_crash_between_the_two_steps_of_park_doubles_nothing(one: Sitting) -> None:
    one.says('/todo append Build "Wire config"')
    before = list(one.pi.path)
    one.says("/todo park wire")
    one.pi.path[:] = before  # the item was stored, and then the program died

    one.says("/todo park wire")

    assert len(one.store.export()) == 1
    assert one.plan == "# Build\n"


def test_a_task_that_is_parked_again_after_its_item_was_closed_is_a_new_item(one: Sitting) -> None:
    one.says('/todo append Build "Wire config"')
    one.says("/todo park wire")
    one.says("/backlog done wire")
    one.says('/todo append Build "Wire config"')

    one.says("/todo park wire")

    assert sorted(item.status for item in one.store.export()) == [Status.DONE, Status.OPEN]


def test_a_secret_keeps_the_task_in_the_plan(one: Sitting) -> None:
    one.says(f"/todo append Build 'Use ghp_{'a1B2' * 9}'")

    assert one.refuses("/todo park use").endswith("The plan is unchanged.")
    assert "ghp_" in one.plan


def test_a_pulled_item_is_claimed_and_a_task(one: Sitting) -> None:
    id_ = one.add("Port logger --notes old")

    assert one.says(f"/todo pull {id_}") == f'Pulled {id_} into the plan: "Port logger". It is in progress now.'
    assert one.item(id_).owner == "pi:11111111"
    assert one.plan == "# Todos\n- [/] Port logger\n  > old\n"
    assert one.says("/todo pull logger") == f'No change: "Port logger" is in the plan, and {id_} is claimed.'
    other = one.add("Port parser")
    one.says('/todo append Later "Write docs"')
    assert one.says(f"/todo pull {other}") == f'Pulled {other} into "Later": "Port parser".'


def test_a_crash_between_the_two_steps_of_pull_is_made_good_by_saying_it_again(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.says(f"/backlog claim {id_}")  # and then the program died

    assert one.says(f"/todo pull {id_}").startswith(f"Pulled {id_} into the plan")
    assert one.plan.count("Port logger") == 1


def test_what_another_holds_is_not_pulled(place: str) -> None:
    one, two = Sitting(place), Sitting(place, "pi:22222222")
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")

    assert two.refuses(f"/todo pull {id_}").endswith("The plan is unchanged.")
    assert two.plan == ""


def test_a_task_of_the_same_words_is_the_items(one: Sitting) -> None:
    one.says('/todo append Build "Port logger"')
    one.says("/todo done logger")
    id_ = one.add("Port logger")

    one.says(f"/todo pull {id_}")

    assert one.plan == "# Build\n- [/] Port logger\n"


def test_a_pulled_task_that_is_parked_goes_back_as_the_same_item(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")

    assert one.says("/todo park logger").startswith(f"Parked in the backlog as {id_}")
    assert len(one.store.export()) == 1
    assert (one.item(id_).status, one.item(id_).owner) == (Status.OPEN, "")


def test_completing_a_pulled_task_asks_whether_to_close_the_item(place: str) -> None:
    person = Person()
    one = Sitting(place, person=person)
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")

    answer = one.says("/todo done logger")

    assert person.asked == [f"Close {id_} in the backlog too? Port logger is completed, and came from there."]
    assert answer.endswith(f"\nClosed in the backlog: {id_}.")
    assert one.item(id_).status is Status.DONE


def test_items_of_the_same_words_are_one_task_and_each_is_asked_about(place: str) -> None:
    person = Person()
    one = Sitting(place, person=person)
    first, second = one.add("Port logger --notes one"), one.add("port logger --force").rstrip()
    third = one.add("Port logger --project docs")
    for id_ in (first, third):
        assert one.says(f"/todo pull {id_}").startswith(f"Pulled {id_} into the plan")
    assert one.says(f"/todo pull {third}").startswith("No change: ")
    assert one.plan.count("- [") == 1

    answer = one.says("/todo done Port logger").split("\n")

    assert [asked.split(" ")[1] for asked in person.asked] == [first, third]
    assert answer[-2:] == [f"Closed in the backlog: {first}.", f"Closed in the backlog: {third}."]
    assert [one.item(id_).status for id_ in (first, second, third)] == [Status.DONE, Status.OPEN, Status.DONE]


def test_a_task_of_several_items_that_is_parked_gives_all_of_them_back(one: Sitting) -> None:
    first, second = one.add("Port logger"), one.add("Port logger --project docs")
    one.says(f"/todo pull {first}")
    one.says(f"/todo pull {second}")
    one.says("/todo note logger it fails")

    assert one.says("/todo park logger").startswith(f"Parked in the backlog as {first}, {second}: ")
    assert {(one.item(id_).owner, one.item(id_).notes) for id_ in (first, second)} == {("", "it fails")}
    assert len(one.store.export()) == 2


def test_who_says_no_is_told_how_to_close_it(place: str) -> None:
    one = Sitting(place, person=Person(confirms=False))
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")

    assert one.says("/todo done").endswith(f"{id_} stays open in the backlog. /todo backlog done {id_} closes it.")


def test_without_a_person_a_line_names_the_item(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")

    assert one.says("/todo done").endswith(f"{id_} is still open in the backlog. /todo backlog done {id_} closes it.")


def test_an_item_that_was_closed_meanwhile_is_not_asked_about(place: str) -> None:
    person = Person()
    one = Sitting(place, person=person)
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    one.says(f"/backlog done {id_}")

    one.says("/todo done")

    assert person.asked == []


def test_the_thread_to_the_item_outlives_an_edit_and_a_resume(place: str) -> None:
    def reordered(text: str, problems: Sequence[LineProblem]) -> str:
        assert not problems
        return f"{text}- [ ] More\n"

    person = Person(edits=[reordered])
    one = Sitting(place, person=person)
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    one.says("/todo edit")
    again = Sitting(place, person=person)
    again.pi.path[:] = one.pi.path

    assert again.says("/todo done logger").endswith(f"Closed in the backlog: {id_}.")


def test_the_agent_is_told_with_the_result_of_its_call(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")

    result = asyncio.run(one.pi.call_tool("todo_write", {"ops": [{"op": "done", "task": "Port logger"}]}))

    assert result.text.endswith(f"\n{id_} is still open in the backlog; todo completes it.")


def test_the_person_is_asked_when_the_agent_has_stopped(place: str) -> None:
    person = Person()
    told: list[str] = []
    person.notify = lambda message, level="info": told.append(f"{level}: {message}")  # type: ignore[method-assign]
    one = Sitting(place, person=person)
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    asyncio.run(one.pi.call_tool("todo_write", {"ops": [{"op": "done", "task": "Port logger"}]}))
    assert person.asked == []

    asyncio.run(one.pi.emit("agent_end"))

    assert told == [f"info: Closed in the backlog: {id_}."]
    asyncio.run(one.pi.emit("agent_end"))
    assert len(person.asked) == 1


# --- from session to session ----------------------------------------------------------------------------


def handed_over(before: Sitting, name: str, **fields: Any) -> Sitting:
    """A session that goes on with the plan of another."""
    after = Sitting(before.place, name)
    data = {"v": 1, "seq": 1, "phases": [], "by": "extension", "action": "handoff", **fields}
    after.pi.append_entry("todo_write", data)
    return after


def test_after_a_handoff_the_claims_come_along(place: str) -> None:
    one = Sitting(place)
    pulled, claimed, free = one.add("Port logger"), one.add("Wire config"), one.add("Free")
    one.says(f"/todo pull {pulled}")
    one.says(f"/backlog claim {claimed}")
    two = handed_over(one, "pi:22222222", **{"from": "pi:11111111"})

    asyncio.run(two.pi.emit("session_start", {"reason": "new"}))

    assert [two.item(id_).owner for id_ in (pulled, claimed, free)] == ["pi:22222222", "pi:22222222", ""]
    assert two.item(pulled).lease_until
    assert f"this session took over {pulled} Port logger" in two.says("/backlog log")
    assert two.says("/backlog undo").startswith("Undone: claimed by pi:11111111.")


@pytest.mark.parametrize(
    ("reason", "fields"),
    [
        pytest.param("resume", {"from": "pi:11111111"}, id="it was long ago"),
        pytest.param("new", {}, id="nobody says from whom"),
        pytest.param("new", {"from": "pi:33333333"}, id="of another"),
    ],
)
def test_else_a_claim_stays_with_who_has_it(place: str, reason: str, fields: dict[str, str]) -> None:
    one = Sitting(place)
    id_ = one.add("Port logger")
    one.says(f"/backlog claim {id_}")

    asyncio.run(handed_over(one, "pi:22222222", **fields).pi.emit("session_start", {"reason": reason}))

    assert one.item(id_).owner == "pi:11111111"


@pytest.mark.parametrize("is_new", [True, False], ids=["the first item of all", "one more"])
def test_what_others_do_before_the_first_message_the_person_is_told_with_it(place: str, is_new: bool) -> None:
    person = Person()
    told: list[str] = []
    person.notify = lambda message, level="info": told.append(f"{level}: {message}")  # type: ignore[method-assign]
    one, two = Sitting(place, person=person), Sitting(place, "pi:22222222")
    if not is_new:
        two.add("Wire config")
    asyncio.run(one.pi.emit("session_start"))
    told.clear()
    id_ = two.add("Port logger")

    asyncio.run(one.pi.emit("input"))
    asyncio.run(one.pi.emit("input"))

    (line,) = told
    assert line == f"info: Backlog: pi:22222222 (person) added {id_[3:]} Port logger. /backlog shows it."


@pytest.mark.parametrize("event", ["session_start", "input"])
def test_a_store_that_others_hold_holds_up_no_message_and_is_told_once(place: str, event: str) -> None:
    person = Person()
    told: list[str] = []
    person.notify = lambda message, level="info": told.append(f"{level}: {message}")  # type: ignore[method-assign]
    one = Sitting(place, person=person)
    id_ = one.add("Port logger")
    one.says(f"/backlog claim {id_}")
    one = Sitting(place, person=person)

    with StoreLock(Path(place.removeprefix("json:"))).held(exclusive=True):
        began = time.monotonic()
        asyncio.run(one.pi.emit(event))
        took_s = time.monotonic() - began
        asyncio.run(one.pi.emit(event))

    assert took_s < 2
    assert len(told) == 1
    assert "another program has held it for 1 s" in told[0]
    assert told[0].endswith(" This session goes on without it until it can be used.")
    asyncio.run(one.pi.emit("input"))
    assert "Port logger" in str(one.pi.branch()[-1])


def test_a_program_without_our_lock_holds_up_no_message_either(tmp_path: Path) -> None:
    one = Sitting(str(tmp_path / "b.db"))
    one.add("Port logger")
    with closing(sqlite3.connect(one.place, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        asyncio.run(one.pi.emit("input"))
        took_s = time.monotonic() - began

    assert took_s < 2


# --- where only one half is taken back ------------------------------------------------------------------


def parked(one: Sitting) -> str:
    """A task of the plan that was parked; the id of its item."""
    one.says('/todo append Build "Wire config"')
    return one.says("/todo park wire").split()[5].rstrip(":")


def test_undo_of_a_park_in_the_plan_names_the_item_that_is_left(one: Sitting) -> None:
    id_ = parked(one)

    undone = one.says("/todo undo").split("\n")
    assert undone[-1] == f"It is in the backlog too, as {id_}. /todo backlog rm {id_} takes it out there."
    one.says(undone[-1].split(". ")[1].removesuffix(" takes it out there."))
    redone = one.says("/todo redo").split("\n")
    assert redone[-1] == f"{id_} is cancelled in the backlog. /todo backlog reopen {id_} opens it there."
    one.says(f"/todo backlog reopen {id_}")
    assert one.item(id_).status is Status.OPEN


def test_undo_of_a_pull_in_the_plan_names_the_claim_that_is_left(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")

    undone = one.says("/todo undo").split("\n")
    assert undone[-1] == f"{id_} is still claimed by this session. /todo backlog release {id_} gives it back."
    one.says(f"/todo backlog release {id_}")
    redone = one.says("/todo redo").split("\n")
    assert redone[-1] == f"{id_} is not claimed for it now. /todo backlog claim {id_} claims it."


def test_undo_of_giving_an_item_back_names_who_has_taken_it_since(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    one.says("/todo park logger")
    Sitting(one.place, "pi:22222222").says(f"/backlog claim {id_}")

    undone = one.says("/todo undo").split("\n")
    assert undone[-1] == f"pi:22222222 works on {id_} now. /todo backlog release {id_} frees it."
    one.says(f"/todo backlog release {id_}")


def test_undo_of_giving_an_item_back_names_the_claim_that_is_gone(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    one.says("/todo park logger")

    undone = one.says("/todo undo").split("\n")
    assert undone[-1] == f"{id_} is not claimed for it now. /todo backlog claim {id_} claims it."
    one.says(f"/todo backlog claim {id_}")
    one.says("/todo done logger")
    assert one.says("/todo undo").count("\n") == 0


def test_undo_of_a_park_in_the_backlog_names_the_way_back_of_the_task(one: Sitting) -> None:
    id_ = parked(one)

    undone = one.says("/backlog undo").split("\n")
    assert undone[-1] == f"The task of {id_} is not in the plan either. /todo undo brings it back."
    assert "Wire config" in one.says("/todo undo") + one.plan
    redone = one.says("/backlog redo").split("\n")
    assert redone[-1] == f"The task of {id_} is in the plan still. /todo redo takes it out."


def test_where_the_plan_went_on_the_item_comes_back(one: Sitting) -> None:
    one.says("/todo append Else")
    id_ = parked(one)
    one.says("/todo done else")
    one.add("Another")

    undone = one.says("/backlog undo 2").split("\n")
    assert undone[-1] == f"The task of {id_} is not in the plan either. /todo backlog redo 2 brings {id_} back."
    assert f"{id_} Wire config" in one.says("/backlog redo 2")


def test_undo_of_a_claim_in_the_backlog_names_the_task(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")

    undone = one.says("/backlog undo").split("\n")
    assert undone[-1] == f"The task of {id_} is in the plan still. /todo undo takes it out."
    one.says("/todo append Else")
    one.says("/backlog redo")
    assert one.says("/backlog undo").endswith(" /todo rm Port logger takes it out.")
    one.says("/todo rm Port logger")
    assert one.says("/backlog redo").split("\n")[-1] == (
        f"{id_} is claimed by this session, and no task of the plan. /todo pull {id_} makes it one."
    )
    assert one.says(f"/todo pull {id_}").startswith("Pulled")


def test_undo_of_a_release_in_the_backlog_names_the_task_that_is_gone(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    one.says("/todo park logger")

    undone = one.says("/backlog undo").split("\n")
    assert undone[-1] == f"{id_} is claimed by this session, and no task of the plan. /todo undo makes it one."


def test_a_task_that_is_opened_again_names_its_item_that_stays_closed(place: str) -> None:
    one = Sitting(place, person=Person())
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    assert one.says("/todo done logger").endswith(f"Closed in the backlog: {id_}.")

    for line in ("/todo undo", "/todo start logger"):
        said = one.says(line).split("\n")
        assert said[1:] == [f"{id_} is done in the backlog. /todo backlog reopen {id_} opens it there."]
        assert one.says("/todo done logger").count("\n") == 0
    one.says("/todo undo")
    one.says(f"/todo backlog reopen {id_}")
    assert one.says("/todo redo").endswith(f"Closed in the backlog: {id_}.")


def test_what_the_agent_opens_and_closes_again_in_a_run_is_not_told(place: str) -> None:
    person = Person()
    told: list[str] = []
    person.notify = lambda message, level="info": told.append(f"{level}: {message}")  # type: ignore[method-assign]
    one = Sitting(place, person=person)
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    one.says("/todo done logger")

    for calls in (["start", "done"], ["start"]):
        for op in calls:
            asyncio.run(one.pi.call_tool("todo_write", {"ops": [{"op": op, "task": "Port logger"}]}))
        asyncio.run(one.pi.emit("agent_end"))

    assert told == [f"info: {id_} is done in the backlog. /todo backlog reopen {id_} opens it there."]


def test_undo_of_a_completion_in_the_backlog_names_the_task_that_stays_closed(place: str) -> None:
    one = Sitting(place, person=Person())
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    one.says("/todo done logger")

    undone = one.says("/backlog undo").split("\n")
    assert undone[-1] == f"The task of {id_} is closed in the plan. /todo start Port logger opens it there."
    assert one.says("/todo start Port logger").count("\n") == 0


def test_what_never_was_in_the_plan_is_undone_without_a_word_of_it(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.says(f"/backlog claim {id_}")

    assert one.says("/backlog undo").split("\n") == [
        "Undone: claimed by this session. As it is now:",
        f"{id_} Port logger",
    ]


def rewound(one: Sitting, person: Person) -> list[str]:
    """Go back to where the plan had the task that was parked since; what the person is told."""
    told: list[str] = []
    person.notify = lambda message, level="info": told.append(f"{level}: {message}")  # type: ignore[method-assign]
    parked_at = next((n for n, entry in enumerate(one.pi.path) if '"park"' in json.dumps(entry)), len(one.pi.path))
    del one.pi.path[parked_at:]
    asyncio.run(one.pi.emit("session_tree", {}))
    return told


def test_a_way_back_before_a_park_names_the_item_and_one_command_has_both_be_one(place: str) -> None:
    person = Person()
    one = Sitting(place, person=person)
    id_ = parked(one)

    (said,) = rewound(one, person)
    assert said == (
        f"info: Wire config is in the backlog too, as {id_}: it was parked later. "
        f"/todo pull {id_} has both be one, /todo rm takes it out of the plan."
    )
    one.says(f"/todo pull {id_}")
    assert one.plan.count("Wire config") == 1
    assert rewound(one, person) == []


def test_a_task_that_is_in_the_backlog_too_asks_when_it_is_completed(place: str) -> None:
    person = Person()
    one = Sitting(place, person=person)
    id_ = parked(one)
    rewound(one, person)

    assert one.says("/todo done wire").endswith(f"Closed in the backlog: {id_}.")
    assert len(person.asked) == 1


# --- what another session works on --------------------------------------------------------------------


def test_who_closes_what_another_works_on_is_told(place: str) -> None:
    one, two = Sitting(place), Sitting(place, "pi:22222222")
    for verb, said in (("done", "Completed"), ("rm", "Cancelled"), ("park", "Parked")):
        id_ = one.add(f"Item {verb}")
        one.says(f"/backlog claim {id_}")
        answer = two.says(f"/backlog {verb} {id_}")
        assert answer.startswith(f"{said}: {id_}")
        assert answer.endswith(", while pi:11111111 was on it")
    mine = one.add("Mine")
    one.says(f"/backlog claim {mine}")
    assert "was on it" not in one.says(f"/backlog done {mine}")


def forked(place: str, person: Person) -> tuple[str, Sitting]:
    """A session with the plan of one that works on an item; and that item."""
    one = Sitting(place)
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    two = Sitting(place, "pi:22222222", person=person)
    two.pi.path[:] = one.pi.path
    return id_, two


def test_the_question_after_a_task_names_who_else_works_on_its_item(place: str) -> None:
    person = Person(confirms=False)
    id_, two = forked(place, person)

    two.says("/todo done logger")

    assert person.asked[0].endswith(f"came from there. pi:11111111 works on {id_}.")


def test_a_task_is_parked_and_its_item_stays_with_who_works_on_it(place: str) -> None:
    id_, two = forked(place, Person())

    assert two.says("/todo park logger").endswith(f"\npi:11111111 works on {id_}.")
    assert two.item(id_).owner == "pi:11111111"


def test_what_another_works_on_names_the_way_to_it(place: str) -> None:
    id_, two = forked(place, Person())

    assert two.refuses(f"/backlog claim {id_}").endswith(f"or free it: backlog release {id_}.")


def test_lines_that_are_gone_name_who_works_on_them(place: str) -> None:
    person = editing(lambda text: "".join(line for line in text.splitlines(keepends=True) if "logger" not in line))
    id_, two = forked(place, person)
    person.confirms = False

    two.says("/backlog edit")

    assert person.asked[0].endswith(f"gone from the text: {id_}. pi:11111111 works on {id_}.")


# --- the backlog in the editor --------------------------------------------------------------------------


def editing(*edits: Callable[[str], str]) -> Person:
    def editor(edit: Callable[[str], str]) -> Editor:
        return lambda text, _problems: edit(text)

    return Person(edits=[*map(editor, edits)])


def test_what_was_changed_in_the_text_is_written_and_nothing_else(place: str) -> None:
    one = Sitting(place)
    first, second, third = one.add("First"), one.add("Second --tag a"), one.add("Third")

    def edit(text: str) -> str:
        one.store.update(third, Edit(text="Third, by another"), Who("pi:22222222"))
        text = text.replace("- [ ] First", "- [x] First").replace("Second", "Second thought")
        return f"{text}- [ ] Fourth <!-- high #new -->\n  > a note\n"

    answer = Sitting(place, person=editing(edit)).says("/backlog edit")

    fourth = next(item for item in one.store.export() if item.text == "Fourth")
    assert answer.split("\n") == [
        f"Added: {fourth.id} high Fourth #new (notes)",
        f"Completed: {first} First (done)",
        f"Changed (text): {second} Second thought #a",
    ]
    assert one.item(third).text == "Third, by another"


def test_an_edit_is_one_change_that_is_undone_at_once(place: str) -> None:
    def edit(text: str) -> str:
        text = (
            text.replace("- [ ] First", "- [x] First").replace("Second", "Second thought").replace("- [ ] T", "- [~] T")
        )
        return f"{text}- [x] Fourth\n"

    one = Sitting(place, person=editing(edit))
    first, second, third = one.add("First"), one.add("Second"), one.add("Third")
    before = one.store.export()

    answer = one.says("/backlog edit").split("\n")

    (fourth,) = {item.id for item in one.store.export()} - {first, second, third}
    assert answer == [
        f"Added: {fourth} Fourth (done)",
        f"Completed: {first} First (done)",
        f"Changed (text): {second} Second thought",
        f"Parked: {third} Third (parked)",
    ]
    assert one.says("/backlog undo").startswith("Undone: edited by you. As it is now:\n")
    assert one.store.export() == before


def test_what_others_changed_meanwhile_stays_and_is_told(place: str) -> None:
    one = Sitting(place)
    ids = [one.add(text) for text in ("First", "Second --tag a", "Third", "Fourth", "Fifth", "Sixth")]
    first, second, third, fourth, fifth, sixth = ids

    def edit(text: str) -> str:
        other = Who("pi:22222222")
        one.store.update(first, Edit(text="First, by another", notes="Theirs"), other)
        one.store.update(second, Edit(text="Second, by another"), other)
        one.store.complete([third, fifth], other)
        one.store.cancel([fourth], other)
        one.store.update(sixth, Edit(text="Sixth thought"), other)
        text = text.replace("First", "First, by me").replace(f"Second <!-- {second} #a", f"Second <!-- {second} #b")
        text = text.replace("- [ ] Third", "- [-] Third").replace("- [ ] Fourth", "- [-] Fourth")
        text = "".join(line for line in text.splitlines(keepends=True) if "Fifth" not in line)
        return text.replace("Sixth", "Sixth thought")

    answer = Sitting(place, person=editing(edit)).refuses("/backlog edit").split("\n")

    theirs = 'its text was changed meanwhile, to "First, by another"; yours, "First, by me",'
    assert answer == [
        f"{first}: {theirs} is not written. backlog update {first} changes it.",
        f"{third}: it is done meanwhile; that you have it cancelled is not written. backlog rm {third} does it.",
        f"{fifth}: it is done meanwhile; that you have it cancelled is not written. backlog rm {fifth} does it.",
        f"Changed (tags): {second} Second, by another #b",
        f"No change: {first} First, by another (notes)",
        f"No change: {third} Third (done)",
        f"No change: {fourth} Fourth (cancelled)",
        f"No change: {sixth} Sixth thought",
        f"No change: {fifth} Fifth (done)",
    ]
    assert one.item(first).notes == "Theirs"


def test_what_was_deleted_meanwhile_stops_nothing_else(place: str) -> None:
    one = Sitting(place)
    first, second = one.add("First"), one.add("Second")

    def edit(text: str) -> str:
        other, every = Who("pi:22222222"), Prune(older_than=None)
        one.store.complete([first], other)
        one.store.prune(every, other)
        one.store.hard_prune(every, other, token=one.store.hard_prune(every, other).token)
        return text.replace("First", "Premier").replace("Second", "Deuxième")

    answer = Sitting(place, person=editing(edit)).refuses("/backlog edit").split("\n")

    assert answer == [
        f"{first}: it was deleted meanwhile, so nothing of it is written. Look at its log.",
        f"Changed (text): {second} Deuxième",
    ]


def test_a_secret_stands_in_no_conflict(place: str) -> None:
    one = Sitting(place)
    id_ = one.add("First")

    def edit(text: str) -> str:
        one.store.update(id_, Edit(text="First, by another"), Who("pi:22222222"))
        return text.replace("First", f"Use ghp_{'0' * 36}")

    assert "ghp_0" not in Sitting(place, person=editing(edit)).refuses("/backlog edit")


def test_an_edit_in_which_one_line_is_refused_writes_none(place: str) -> None:
    one = Sitting(place)
    id_ = one.add("First")
    person = editing(lambda text: text.replace("[ ] First", "[x] First") + f"- [ ] Rotate ghp_{'0' * 36}\n")

    assert (
        Sitting(place, person=person)
        .refuses("/backlog edit")
        .endswith("\nNothing was written. The text is offered again by backlog edit.")
    )
    assert one.item(id_).status is Status.OPEN


def test_lines_that_are_gone_are_asked_about(place: str) -> None:
    def without_items(text: str) -> str:
        return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("- ["))

    person = editing(without_items, without_items)
    one = Sitting(place, person=person)
    id_ = one.add("First")
    person.confirms = False

    assert one.says("/backlog edit") == "Edit cancelled; the backlog is unchanged."
    assert person.asked == [f"Cancel 1 item? Its line is gone from the text: {id_}."]
    person.confirms = True
    assert one.says("/backlog edit") == f"Cancelled: {id_} First (cancelled)"


def test_a_text_that_cannot_be_read_opens_again(place: str) -> None:
    person = editing(lambda text: f"{text}prose\n", lambda text: text.replace("prose", "- [ ] New"))
    one = Sitting(place, person=person)

    assert one.says("/backlog edit").endswith(" New")
    assert [len(problems) for problems in person.problems] == [0, 1]


def test_an_id_that_is_not_whole_means_no_other_line_s_item(place: str) -> None:
    one = Sitting(place)
    id_ = one.add("First")
    typed = f"- [ ] Other words <!-- {id_[:-1]} -->\n"
    person = editing(lambda text: text + typed, lambda text: text.replace(f"<!-- {id_[:-1]} -->", ""))

    Sitting(place, person=person).says("/backlog edit")

    (problem,) = person.problems[1]
    assert problem.message == f'no item has the id "{id_[:-1]}"; write all of it, or take it out for a new item'
    assert sorted(item.text for item in one.store.export()) == ["First", "Other words"]


def test_an_item_that_did_not_stand_in_the_text_is_overwritten_only_after_a_question(place: str) -> None:
    one = Sitting(place)
    id_ = one.add("Elsewhere --project docs")
    person = editing(*[lambda text: f"{text}- [ ] Here <!-- {id_} -->\n"] * 2)
    person.confirms = False
    two = Sitting(place, person=person)

    assert two.says("/backlog edit") == "Edit cancelled; the backlog is unchanged."
    title, row = "Overwrite 1 item with what the text says?", f"{id_} [docs] Elsewhere"
    assert person.asked == [f"{title} In the text that was opened they did not stand:\n{row}"]
    person.confirms = True
    two.says("/backlog edit")
    assert (one.item(id_).text, one.item(id_).project) == ("Here", "core")


def test_an_empty_text_or_none_changed_is_no_change(place: str) -> None:
    one = Sitting(place, person=editing(lambda text: text, lambda _: ""))
    one.add("First")

    assert one.says("/backlog edit") == "No change."
    assert one.says("/backlog edit") == "Edit cancelled; the backlog is unchanged."


def test_a_text_that_was_left_over_is_gone_on_with_where_it_belongs(place: str) -> None:
    of_backlog = LeftOver(text=f"{HEAD}\n# core\n- [ ] Rescued\n", opened=f"{HEAD}\n# core\n")
    person = editing(lambda text: text)
    one = Sitting(place, person=person)
    person.left = of_backlog

    assert one.refuses("/todo edit").startswith("A text of the backlog was left over.")
    assert one.says("/backlog edit").endswith(" Rescued")
    person.left = LeftOver(text="# A\n- [ ] x\n", opened="")
    assert one.refuses("/backlog edit").startswith("A text of the plan was left over.")


def test_without_a_person_the_editor_is_refused(one: Sitting) -> None:
    assert (
        one.refuses("/backlog edit") == "backlog edit needs a terminal with an editor. backlog update changes one item."
    )


def test_what_an_item_is_made_to_forget_is_nowhere_also_where_it_was_a_task(one: Sitting, tmp_path: Path) -> None:
    one.says('/todo append "rotate hunter2hunter2"')
    id_ = one.says("/todo park rotate").split()[5].rstrip(":")
    one.says(f"/backlog update {id_} --tag hunter2hunter2 --project hunter2hunter2 --allow-secret")
    one.says(f"/backlog forget {id_} --yes")

    assert "hunter2" not in one.says(f"/backlog show {id_}")
    assert all(b"hunter2" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_store_that_can_be_read_is_recovered_only_where_that_is_meant(one: Sitting) -> None:
    one.add("One")
    one.store.hard_prune(Prune(older_than=None), Who("x", is_person=True), token="none")  # makes a backup
    two = one.add("Two")

    for line in ("/backlog recover", "/backlog recover --new"):
        assert "undo brings none back" in one.refuses(line)
    assert two in one.says("/backlog")
    assert one.says("/backlog recover --new --yes").startswith("Recovered: 0 items")


def test_what_was_exported_and_taken_in_again_is_the_same(place: str, tmp_path: Path) -> None:
    one = Sitting(place, cwd=str(tmp_path))
    first, second = one.add("One"), one.add("Two")
    one.says("/backlog export a.json")

    assert one.says("/backlog import a.json") == "Imported: 0 new, 0 changed, 2 same."
    other = Sitting(place.replace("b.db", "o.db").replace("todo.json", "o.json"), cwd=str(tmp_path))
    other.says("/backlog import a.json")
    other.says(f"/backlog done {first}")
    other.says("/backlog export b.json")
    assert one.says("/backlog import b.json") == "Imported: 0 new, 1 changed, 1 same."
    assert (one.item(first).status, one.item(second).status) == (Status.DONE, Status.OPEN)


def test_entries_that_are_no_items_are_counted(place: str, tmp_path: Path) -> None:
    one = Sitting(place, cwd=str(tmp_path))
    todos = [{"id": "td-a", "text": "One"}, {"id": "td-a", "text": "Twice"}, {"id": "td x", "text": "?"}, 5]
    (tmp_path / "in.json").write_text(json.dumps({"version": 1, "todos": todos}))

    said = one.says("/backlog import in.json --dry-run")
    assert said == "Would take in: 1 new, 0 changed, 0 same, 3 left out that can be read as no item."


def test_a_pulled_task_takes_its_notes_back_and_frees_no_claim_of_another(place: str) -> None:
    one, two = Sitting(place), Sitting(place, "pi:22222222")
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    one.says("/todo note logger it fails on utf8")
    one.store.release([id_], Who("x", is_person=True))
    two.says(f"/todo pull {id_}")
    one.says("/todo park logger")

    assert (one.item(id_).notes, one.item(id_).owner) == ("it fails on utf8", "pi:22222222")


@pytest.mark.parametrize("renames", [False, True])
def test_a_task_that_goes_back_takes_no_words_from_its_item_that_others_gave_it(place: str, *, renames: bool) -> None:
    one = Sitting(place, person=editing(lambda text: text.replace("Port logger", "Port the old logger")))
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    if renames:
        one.says("/todo edit")
    else:
        two = Sitting(place, "pi:22222222")
        two.says(f"/backlog update {id_} Port logger to rust, see ticket 99")
    one.says("/todo park logger")

    assert one.item(id_).text == ("Port the old logger" if renames else "Port logger to rust, see ticket 99")


def test_a_note_that_is_a_part_of_another_is_kept(one: Sitting) -> None:
    id_ = one.says('/backlog add Job --notes "do not delete the table"').split()[1]
    one.says(f"/todo pull {id_}")
    one.says("/todo note Job delete the table")
    one.says("/todo park Job")

    assert one.item(id_).notes == "do not delete the table\n\ndelete the table"


def test_a_second_park_of_the_same_words_loses_no_note(one: Sitting) -> None:
    for note in ("first", "second"):
        one.says("/todo append Fix-it")
        one.says(f"/todo note Fix-it {note}")
        one.says("/todo park Fix-it")

    (item,) = one.store.list(Query()).items
    assert item.notes.split() == ["first", "second"]


def test_what_is_put_away_is_named_by_its_text_too(one: Sitting) -> None:
    id_ = one.add("Port logger")
    one.says("/backlog park logger")
    assert one.says("/backlog unpark logger").startswith(f"Unparked: {id_}")
    one.says("/backlog done logger")
    assert one.says("/backlog reopen logger").startswith(f"Reopened: {id_}")


def test_since_what_is_no_time_is_an_error(one: Sitting) -> None:
    one.add("One")
    assert "--since garbage: it is a day" in one.refuses("/backlog list --since garbage")


def test_an_edit_that_is_refused_in_part_makes_no_item_twice(place: str) -> None:
    opened = f"{HEAD}\n# core\n"
    with_secret = f"{opened}- [x] Closed already\n- [ ] Rotate ghp_{'0' * 36}\n"
    person = editing(lambda _: with_secret, lambda text: text.replace(f"ghp_{'0' * 36}", "the token"))
    one = Sitting(place, person=person)

    assert "offered again" in one.refuses("/backlog edit")
    person.left = LeftOver(text=with_secret, opened=opened)
    one.says("/backlog edit")
    assert sorted(item.text for item in one.store.export()) == ["Closed already", "Rotate the token"]


def test_a_task_that_is_renamed_in_the_editor_is_the_same_items_still(place: str) -> None:
    one = Sitting(place, person=editing(lambda text: text.replace("Port logger", "Port the logger")))
    id_ = one.add("Port logger")
    one.says(f"/todo pull {id_}")
    one.says("/todo edit")
    one.says("/todo done logger")

    assert one.item(id_).status is Status.DONE
