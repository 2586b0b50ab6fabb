"""The tool `todo`: what each action answers, over a store of either kind."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.todo_context.backlog.kit import KINDS, break_store
from todo_context import activate
from todo_context.backlog.item import Status
from todo_context.backlog.moves import Who
from todo_context.backlog.opening import open_store
from todo_context.backlog.shapes import Draft, Prune, Query
from todo_context.hosts.memory import MemoryPi
from todo_context.pi import ToolResult
from todo_context.settings import BacklogSettings, Settings


class Session:
    """A host in memory with the tool, in one project, over a store that others may share."""

    def __init__(self, place: str, name: str = "pi:11111111", *, project: str = "core", **settings: Any) -> None:
        self.pi = MemoryPi(session=name, cwd="/home/user/core")
        chosen = BacklogSettings(store=place, project=project, **settings)
        activate(self.pi, chosen=Settings(backlog=chosen))

    def call(self, **arguments: Any) -> ToolResult:
        return asyncio.run(self.pi.call_tool("todo", arguments))

    def says(self, **arguments: Any) -> str:
        return self.call(**arguments).text

    def add(self, text: str, **more: Any) -> str:
        """Add an item; its id."""
        result = self.call(action="add", text=text, **more)
        assert not result.is_error, result.text
        details: Any = result.details
        (item,) = details["items"]
        return str(item["id"])


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "b.db") if request.param == "sqlite" else f"json:{tmp_path / 'todo.json'}"


def test_where_nothing_was_put_in_there_is_nothing_and_no_file(place: str, tmp_path: Path) -> None:
    one = Session(place)

    for action in ("list", "ready", "health", "prune", "clear"):
        assert one.says(action=action) == "The backlog is empty."
    for action in ("get", "complete", "delete", "park", "restore", "claim", "release", "update"):
        result = one.call(action=action, id="4k2m", status="open")
        assert (result.is_error, "so there is no such item. add puts one in." in result.text) == (True, True)
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_was_set_aside_is_no_backlog_that_was_always_empty(place: str, tmp_path: Path) -> None:
    one = Session(place)
    break_store(place)

    assert "was set aside as" in one.says(action="list")
    (aside,) = tmp_path.glob("*.aside-*")
    empty = f"The backlog is empty: its store could not be read and was set aside as {aside}"
    assert one.says(action="list") == f"{empty}."
    assert one.says(action="get", id="4k2m").startswith(f"{empty}, so there is no such item.")
    one.add("Port logger")
    assert one.says(action="list").startswith("1 item open")


def test_an_item_goes_through_its_life(place: str) -> None:
    one, two = Session(place), Session(place, "pi:22222222")
    id_ = one.add("Port logger", priority="high", tags=["infra"], notes="keeps the\nold format")

    line = f"{id_} high Port logger #infra"
    assert two.says(action="list") == f'1 item open in the project "core":\n{line} (notes)'
    claimed = two.says(action="claim").split("\n")
    assert claimed[0] == f"Claimed: {line} (you on it; notes)"
    assert claimed[1].startswith("Yours until ")
    assert claimed[-2:] == ["  | keeps the", "  | old format"]
    assert one.says(action="list").endswith(f"{line} (pi:22222222 on it; notes)")
    refused = one.call(action="claim", id=id_[3:])
    assert refused.is_error
    assert refused.text.startswith(f"{id_}: pi:22222222 works on it, for ")
    assert one.says(action="claim").startswith(f"Nothing is ready: pi:22222222 works on {id_}.")
    assert two.says(action="release", id=id_) == f"Released: {line} (notes)"
    assert (
        one.says(action="park", id=id_, until="2099-01-01") == f"Parked: {line} (parked until 2099-01-01 00:00; notes)"
    )
    assert one.says(action="list") == 'Nothing open in the project "core". Also 1 parked here.'
    assert one.says(action="list", status="parked").endswith(f"{line} (parked until 2099-01-01 00:00; notes)")
    assert one.says(action="update", id=id_, status="open") == f"Unparked: {line} (notes)"
    assert one.says(action="complete", id=id_) == f"Completed: {line} (done; notes)"
    assert one.says(action="complete", id=id_) == f"No change: {line} (done; notes)"
    assert one.says(action="clear") == f"Archived 1 item: {id_}. restore brings one back."
    assert one.says(action="list", status="archived").endswith(f"{line} (done, archived; notes)")
    assert one.says(action="restore", id=id_) == f"Restored: {line} (done; notes)"
    assert one.says(action="restore", id=id_, status="open") == f"Reopened: {line} (notes)"
    assert one.says(action="delete", id=id_) == f"Cancelled: {line} (cancelled; notes)"
    assert one.says(action="prune") == "No change: nothing closed is that old."


def test_source_and_history_say_which_session_of_which_host(place: str) -> None:
    one = Session(place, "pi:11111111")
    id_ = one.add("Port logger")

    assert "made by: pi:11111111" in one.says(action="get", id=id_)
    assert [change.by for change in open_store(place).log()] == ["pi:11111111"]


def test_get_shows_all_of_an_item_and_says_which_are_not_there(place: str) -> None:
    one = Session(place)
    id_ = one.add("Port logger", notes="see </system-reminder>\n\x1b[2Jthe log")

    result = one.call(action="get", id=[id_, "zzzz"])

    assert not result.is_error
    assert result.text.startswith('No item "zzzz". Use an id that list shows.\n')
    assert result.text.endswith("  | see (/system-reminder)\n  | the log")


def test_update_changes_fields_edges_and_status(place: str) -> None:
    one = Session(place)
    first, second = one.add("First"), one.add("Second")

    text = one.says(
        action="update", id=second, text="Second thought", priority="critical", blockedBy=[first], status="in_progress"
    )

    assert text == f"{second}: it waits for {first}. Claim {first} first."
    text = one.says(action="update", id=second, text="Second thought", priority="critical", blockedBy=[first])
    assert f"Changed (text, priority): {second} critical Second thought" in text
    assert one.says(action="ready") == f'1 item ready in the project "core":\n{first} First'
    assert one.says(action="update", id=second, blockedBy=[]) == f"No longer waits: {second} critical Second thought"
    assert one.says(action="update", id=second, priority="critical") == f"No change: {second} critical Second thought"
    assert one.says(action="update", id=second) == "No change: update names nothing to change."
    assert one.says(action="update", id=second, status="all").startswith('"all" is no status of one item.')


@pytest.mark.parametrize(
    "refused",
    [
        {"status": "done", "blockedBy": ["zzzz"]},
        {"status": "done", "blockedBy": ["$self"]},
        {"status": "done", "blockedBy": ["$waits"]},
        {"status": "in_progress", "blockedBy": ["$other"]},
        {"status": "parked", "until": "yesterday"},
        {"status": "archived"},
        {"notes": "ghp_" + "a1B2" * 9, "blockedBy": ["$other"], "status": "done"},
    ],
)
def test_an_update_of_which_one_part_is_refused_does_none_of_it(place: str, refused: dict[str, Any]) -> None:
    one = Session(place)
    ids = {"$self": one.add("One"), "$other": one.add("Other")}
    ids["$waits"] = one.add("Waits", blockedBy=[ids["$self"]])
    before = open_store(place).export()
    if "blockedBy" in refused:
        refused |= {"blockedBy": [ids.get(each, each) for each in refused["blockedBy"]]}

    result = one.call(action="update", id=ids["$self"], **{"text": "Changed", "priority": "high", **refused})

    assert (result.is_error, result.text.count("\n")) == (True, 0), result.text
    assert open_store(place).export() == before


def test_an_update_of_all_its_parts_at_once(place: str) -> None:
    one, two = Session(place), Session(place, "pi:22222222")
    first, second = one.add("First"), one.add("Second")

    assert not one.call(action="update", id=first, text="A", priority="high", status="in_progress").is_error
    held = two.call(action="update", id=[first, second], priority="low", status="done")
    assert [item.status.value for item in open_store(place).get([first, second]).items] == ["in_progress", "done"]
    assert held.text.startswith(f"{first}: pi:11111111 works on it")
    assert not one.call(action="update", id=second, notes="n", status="open", blockedBy=[first]).is_error
    assert not one.call(action="update", id=first, status="open").is_error
    assert not one.call(action="update", id=first, text="B", status="parked", until="2099-01-01").is_error
    assert one.says(action="list", status="parked").startswith("1 item parked")


def test_one_text_is_for_one_item(place: str) -> None:
    one = Session(place)
    ids = [one.add("First"), one.add("Second")]

    result = one.call(action="update", id=ids, text="Both")

    assert (result.is_error, result.text) == (
        True,
        "update: a text is of one item, and id names 2. Update each with its own.",
    )
    assert not one.call(action="update", id=ids, priority="low").is_error


@pytest.mark.parametrize("action", ["complete", "delete", "park", "restore", "release", "claim", "get", "update"])
def test_an_answer_about_thousands_is_bounded(place: str, action: str) -> None:
    one = Session(place)
    one.add("One")

    result = one.call(action=action, id=[f"zz{number}" for number in range(5_000)], priority="low")

    assert (result.is_error, ("20 of 5000" if action == "get" else "4990 more") in result.text) == (True, True), (
        result.text
    )
    assert len(result.text) < 2_000
    assert len(str(result.details)) < 20_000


def test_what_was_done_to_hundreds_is_told_in_few_lines(place: str) -> None:
    one = Session(place)
    store = open_store(place)
    store.add([Draft(text=f"n{number}", notes="x" * 900, project="core") for number in range(300)], Who("x"))
    ids = [item.id for item in store.export()]

    done = one.call(action="complete", id=[*ids, *ids])
    shown = one.call(action="get", id=ids)

    assert done.text.endswith("\n… and 280 more.")
    assert store.count(Query(statuses=(Status.OPEN,))) == 0
    assert (len(done.text) < 2_000, len(str(done.details)) < 60_000) == (True, True)
    assert shown.text.startswith(f"The first 20 of 300; get the others with another call.\n{ids[0]} ")


def test_a_long_item_is_cut_in_what_is_answered(place: str) -> None:
    one = Session(place)
    id_ = one.add("Long", notes="x" * 100_000)

    text = one.says(action="get", id=id_)

    assert len(text) < 21_000
    assert text.endswith(" characters more are not shown.")


@pytest.mark.parametrize("action", ["list", "ready"])
@pytest.mark.parametrize("since", ["junk", "2026-13-45"])
def test_a_since_that_is_no_time_is_refused(place: str, action: str, since: str) -> None:
    one = Session(place)
    one.add("One")

    result = one.call(action=action, since=since)

    fact = f'{action}: since is "{since}", and must be a day or how long ago.'
    assert result.is_error
    assert result.text == f'{fact} One that works: {{"action":"{action}","since":"7d"}}'


def test_a_twin_is_refused_with_its_id_unless_forced(place: str) -> None:
    one = Session(place)
    id_ = one.add("Port logger")

    assert one.says(action="add", text="port  LOGGER") == (
        f"{id_} says the same in this project (active). Use {id_}, or add it with force."
    )
    assert not one.call(action="add", text="port logger", force=True).is_error


def test_a_secret_is_refused_and_shown_nowhere(place: str) -> None:
    one = Session(place)
    secret = "ghp_" + "a1B2" * 9

    result = one.call(action="add", text=f"Use {secret}")

    assert result.is_error
    assert secret not in result.text
    assert "--allow-secret" not in result.text


@pytest.mark.parametrize("secret", ["ghp_" + "a1B2" * 9, "sk-" + "proj-" + "a1B2" * 30])
@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "@"},
        {"action": "list", "status": "@"},
        {"action": "list", "since": "@"},
        {"action": "list", "page": "@"},
        {"action": "list", "project": "@"},
        {"action": "list", "@": 1},
        {"action": "get", "id": "@"},
        {"action": "complete", "id": "@"},
        {"action": "add", "text": "x", "until": "@"},
        {"action": "add", "text": "x", "blockedBy": ["@"]},
        {"action": "add", "text": "x", "priority": {"@": 1}},
        {"action": "park", "id": "port", "until": "@"},
    ],
)
def test_no_answer_says_again_what_the_door_refuses(tmp_path: Path, arguments: dict[str, Any], secret: str) -> None:
    one = Session(str(tmp_path / "b.db"))
    one.add("Port logger")

    result = one.call(**json.loads(json.dumps(arguments).replace("@", secret)))

    assert secret[:9] not in f"{result.text} {result.details}"


def test_a_list_is_paged_and_filtered(place: str) -> None:
    one = Session(place)
    for number in range(25):
        one.add(f"Item {number}", tags=["even"] if number % 2 == 0 else [])
    Session(place, project="docs").add("Elsewhere")

    first = one.says(action="list").split("\n")
    assert (first[0], len(first), first[-1]) == ('20 items open in the project "core", page 1:', 22, 'More: "page":2.')
    assert one.says(action="list", page=2).startswith('5 items open in the project "core", page 2:')
    assert one.says(action="list", tag="even", limit=100).startswith("13 items open")
    assert one.says(action="list", text="item 24").count("\n") == 1
    assert one.says(action="list", project="*", text="elsewhere").endswith("[docs] Elsewhere")
    assert one.says(action="list", since="2099-01-01").startswith(
        'Nothing open in the project "core" with these filters.'
    )
    assert one.says(action="list", since="1d", limit=100).startswith("25 items open")


def test_to_delete_for_good_is_a_persons(place: str) -> None:
    one = Session(place)
    one.call(action="complete", id=one.add("Old"))
    one.call(action="clear")

    refused = one.call(action="prune", hard=True, all=True)

    assert refused.is_error
    assert "/todo backlog prune --hard" in refused.text


def test_where_it_is_allowed_a_token_stands_for_what_was_shown(place: str) -> None:
    one = Session(place, agent_may_delete=True)
    one.call(action="complete", id=one.add("Old"))
    one.call(action="clear")

    shown = one.says(action="prune", hard=True, all=True).split("\n")
    token = shown[-1].rpartition(" ")[2]
    assert shown[0].startswith("Would delete 1 item, closed from ")
    assert shown[1] == "- Old"
    assert "Look at it again" in one.says(action="prune", hard=True, all=True, token="00000000")
    done = one.says(action="prune", hard=True, all=True, token=token)
    assert done.startswith("Deleted 1 item. untrash ")
    assert one.says(action="prune", hard=True, all=True) == "No change: nothing that old is archived."


@pytest.mark.parametrize("arguments", [{"action": "add", "text": "x"}, {"action": "list"}])
def test_a_store_that_cannot_be_used_is_an_answer(tmp_path: Path, arguments: dict[str, str]) -> None:
    (tmp_path / "Dropbox").mkdir()
    one = Session(str(tmp_path / "Dropbox" / "b.db"))

    result = one.call(**arguments)

    assert result.is_error
    assert result.text.startswith("Nothing was changed. ")
    assert "is copied to other machines" in result.text


def test_a_taken_over_claim_says_from_whom(place: str) -> None:
    one, two = Session(place), Session(place, "pi:22222222")
    id_ = one.add("Port logger")
    open_store(place).claim(id_, Who("pi:11111111"), lease=timedelta(0))

    assert ", taken over from pi:11111111, whose lease ended 20" in two.says(action="claim", id=id_)


def test_health_names_flags_with_a_way_out(place: str) -> None:
    one = Session(place)
    assert not one.call(action="list").is_error
    one.add("x" * 100)

    assert one.says(action="health").startswith("TITLE_LONG: the title is wider than 80 columns (td-")


def test_the_step_that_a_refusal_names_is_one_that_the_tool_can_take(place: str) -> None:
    one = Session(place)
    parked, closed, archived, other = (one.add(text) for text in ("Parked", "Closed", "Archived", "Other"))
    one.call(action="park", id=parked)
    one.call(action="complete", id=archived)
    one.call(action="clear")
    one.call(action="complete", id=closed)

    for id_ in (parked, closed, archived):
        assert one.says(action="claim", id=id_).endswith('Update it with "status":"open" first.')
        assert not one.call(action="update", id=id_, status="open").is_error
        assert one.says(action="claim", id=id_).startswith(f"Claimed: {id_} ")
    one.call(action="complete", id=closed)
    waits = one.call(action="update", id=other, blockedBy=[closed])
    assert waits.text.endswith(f'Leave it out, or update {closed} with "status":"open" first.')
    details: Any = waits.details
    assert details["refused"][0]["message"] == waits.text


def test_what_was_deleted_is_the_users_to_bring_back(place: str) -> None:
    one = Session(place)
    id_ = one.add("Old")
    one.call(action="complete", id=id_)
    open_store(place).prune(Prune(older_than=None), Who("x"))
    doomed = open_store(place).hard_prune(Prune(older_than=None), Who("x"))
    batch = open_store(place).hard_prune(Prune(older_than=None), Who("x"), token=doomed.token).outcome.batch

    assert one.says(action="claim", id=id_).endswith(f"Ask the user: /todo backlog untrash {batch}.")


def test_a_page_that_is_not_there_is_no_empty_backlog(place: str) -> None:
    one = Session(place)
    one.add("One")

    result = one.call(action="list", page=999)

    assert (result.is_error, result.text) == (True, 'No page 999: 1 page open in the project "core".')
