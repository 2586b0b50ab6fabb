"""The two schemas: the strict one, and the one for hosts that validate before us."""

import json
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from tests.plans import INIT
from tests.todo_context.plan.test_accept import READ, REFUSED, any_json
from tests.todo_context.plan.test_whole_list import READ as READ_LISTS
from tests.todo_context.plan.test_whole_list import REFUSED as REFUSED_LISTS
from todo_context.plan.accept import accept
from todo_context.plan.model import EMPTY
from todo_context.plan.ops import SHAPES, json_schema, lenient_json_schema

STRICT = Draft202012Validator(json_schema())
LENIENT = Draft202012Validator(lenient_json_schema())


def objects(*tables: list[Any]) -> list[Any]:
    """The calls of some tables. A host that validates has read their JSON, so each is an object."""
    rows = [row for table in tables for row in table if isinstance(row.values[0], dict)]
    return [pytest.param(row.values[0], id=row.id) for row in rows]


@pytest.mark.parametrize("schema", [STRICT, LENIENT], ids=["strict", "lenient"])
def test_each_is_a_schema(schema: Any) -> None:
    Draft202012Validator.check_schema(schema.schema)


@pytest.mark.parametrize("arguments", objects(READ, REFUSED, READ_LISTS, REFUSED_LISTS))
def test_every_dialect_passes_the_lenient_schema(arguments: Any) -> None:
    """A04, A05, A07."""
    assert LENIENT.is_valid(arguments)


@given(any_json)
def test_every_object_passes_the_lenient_schema(value: Any) -> None:
    assert LENIENT.is_valid({"ops": value})
    assert LENIENT.is_valid(value) or not isinstance(value, dict)


@pytest.mark.parametrize("name", SHAPES)
def test_the_example_of_each_operation_passes_both_and_is_read(name: str) -> None:
    arguments = {"ops": [json.loads(SHAPES[name].example)]}

    assert STRICT.is_valid(arguments)
    assert LENIENT.is_valid(arguments)
    assert not accept(arguments, EMPTY).problems


@pytest.mark.parametrize("arguments", [row for row in objects(READ, READ_LISTS) if "A0" in row.id])
def test_what_the_strict_schema_would_refuse_is_read_all_the_same(arguments: Any) -> None:
    """A04, A05: our own reading decides."""
    assert not STRICT.is_valid(arguments)
    assert not accept(arguments, EMPTY).problems


def test_what_passes_the_strict_schema_is_what_the_contract_shows() -> None:
    passing = [row.id for row in objects(READ, READ_LISTS) if STRICT.is_valid(row.values[0])]

    assert STRICT.is_valid(INIT)
    assert passing == [
        "init", "init of nothing", "flat init", "append", "done of a phase", "done alone is everything", "note",
        "block with text", "unblock", "view",
    ]  # fmt: skip
