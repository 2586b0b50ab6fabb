"""What the tools cost a model, by the counts of bench/tokens.json."""

import json
from typing import Any

import pytest

from bench.tokens import TABLE, hashes, limits


@pytest.fixture
def counted() -> Any:
    return json.loads(TABLE.read_text(encoding="utf-8"))


def test_the_counts_are_those_of_the_texts_as_they_are_now(counted: Any) -> None:
    assert counted["sha256"] == hashes(), "a text that a model reads has changed: run make bench"


def test_each_count_stays_within_its_limit(counted: Any) -> None:
    assert counted["tokens"].keys() == limits().keys()
    assert {name: count for name, count in counted["tokens"].items() if count > limits()[name]} == {}


def test_the_limits_are_330_for_a_definition_500_for_what_is_told_and_a_share_of_omp_14_for_each_shape() -> None:
    assert limits() == {
        "definition": 330,
        "backlog": 330,
        "told": 500,
        "3x4": 0.45 * 2510,
        "4x3": 0.45 * 2549,
        "1x12": 0.45 * 2432,
    }
