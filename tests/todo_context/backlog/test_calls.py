"""What models send to the tool `todo`, and what is made of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_context.backlog.calls import ACTIONS, Call, ignored, read
from todo_context.backlog.tool import call_card, lenient, schema


def call(raw: Any) -> Call:
    found = read(raw)
    assert isinstance(found, Call), found
    return found


@pytest.mark.parametrize(
    ("raw", "action", "given"),
    [
        pytest.param({"action": "add", "text": "x"}, "add", {"text": "x"}, id="as the schema has it"),
        pytest.param('{"action":"add","text":"x"}', "add", {"text": "x"}, id="as a text"),
        pytest.param({"action": "create", "title": "x"}, "add", {"text": "x"}, id="other words"),
        pytest.param({"action": "Done", "id": "4k2m"}, "complete", {"id": ("4k2m",)}, id="done"),
        pytest.param({"action": "complete", "id": ["4k2m", "td-aa"]}, "complete", {"id": ("4k2m", "td-aa")}, id="ids"),
        pytest.param({"action": "complete", "ids": "4k2m, td-aa"}, "complete", {"id": ("4k2m", "td-aa")}, id="commas"),
        pytest.param({"action": "get", "id": 4223}, "get", {"id": ("4223",)}, id="an id that looks like a number"),
        pytest.param(
            {"action": "add", "text": "x", "priority": "Medium", "tags": "a, b"},
            "add",
            {"text": "x", "tags": ("a", "b"), "priority": "med"},
            id="priority and tags",
        ),
        pytest.param(
            {"action": "add", "text": "x", "tags": '["a", "b,c"]'},
            "add",
            {"text": "x", "tags": ("a", "b,c")},
            id="tags",
        ),
        pytest.param({"action": "list", "status": "completed"}, "list", {"status": ("done",)}, id="status"),
        pytest.param({"action": "list", "tags": ["a"]}, "list", {"tag": "a"}, id="tags for a tag"),
        pytest.param({"action": "list", "page": "2", "text": None}, "list", {"page": 2}, id="a number in quotes, null"),
        pytest.param(
            {"action": "prune", "ageDays": 3, "all": "true"}, "prune", {"days": 3, "all": True}, id="armory's"
        ),
        pytest.param({"action": "start"}, "claim", {}, id="start"),
    ],
)
def test_is_read(raw: Any, action: str, given: dict[str, Any]) -> None:
    found = call(raw)

    assert (found.action, dict(found.given), found.ignored) == (action, given, ())


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        pytest.param({}, "No action is named.", id="nothing"),
        pytest.param({"action": "complet"}, 'No action "complet". Closest: complete.', id="misspelled"),
        pytest.param(
            {"action": "complete"}, 'complete needs id. One that works: {"action":"complete","id":"4k2m"}', id="no id"
        ),
        pytest.param({"action": "add", "text": ""}, "add needs text.", id="blank"),
        pytest.param(
            {"action": "add", "text": "x", "priority": "soon"},
            'priority is "soon", and must be one of low',
            id="priority",
        ),
        pytest.param({"action": "list", "status": "lost"}, 'status is "lost", and must be one of open', id="status"),
        pytest.param({"action": "list", "page": "two"}, "and must be a whole number", id="page"),
        pytest.param({"action": "get", "id": {"a": 1}}, "and must be a text or a list", id="an object for an id"),
        pytest.param([1], "Not an object.", id="a list"),
        pytest.param("{", "Not an object.", id="torn"),
        pytest.param(None, "Not an object.", id="null"),
    ],
)
def test_is_refused_with_a_call_that_works_or_what_there_is(raw: Any, said: str) -> None:
    found = read(raw)

    assert isinstance(found, str)
    assert said in found
    assert "One that works: " in found or "There is list, get" in found or "must be" in found


def test_a_key_that_an_action_does_not_take_is_named() -> None:
    found = call({"action": "complete", "id": "4k2m", "color": "red"})

    assert ignored(found) == 'Passed over: "color". Keys of complete: id.'


@pytest.mark.parametrize("name", ACTIONS)
def test_each_example_can_be_read(name: str) -> None:
    action = ACTIONS[name]

    assert call(json.loads(f'{{"action":"{name}"{"," + action.example if action.example else ""}}}')).action == name
    assert set(action.needs) <= set(action.keys)


def test_the_schema_names_each_action_and_its_keys() -> None:
    properties: Any = schema(may_delete=True)["properties"]

    assert properties["action"]["enum"] == list(ACTIONS)
    assert {key for action in ACTIONS.values() for key in action.keys} - set(properties) == {"all", "limit"}


def test_what_deletes_for_good_is_offered_only_where_it_is_allowed() -> None:
    properties: Any = schema()["properties"]

    assert {"hard", "token"}.isdisjoint(properties)


def test_a_host_that_validates_first_lets_everything_pass() -> None:
    properties: Any = lenient(schema())["properties"]

    assert "required" not in lenient(schema())
    assert all(value == {} or {} in value["anyOf"] for value in properties.values())


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*"ab", "action", "id", "text"]), inner)
    ),
    max_leaves=6,
)


@given(
    st.one_of(
        _JSON,
        st.fixed_dictionaries(
            {"action": st.sampled_from(sorted(ACTIONS))},
            optional=dict.fromkeys(["id", "text", "tags", "priority", "status", "page", "until", "days", "all"], _JSON),
        ),
    )
)
def test_anything_is_read_or_refused(raw: Any) -> None:
    assert isinstance(read(raw), Call | str)
    assert "\n" not in call_card(raw)
