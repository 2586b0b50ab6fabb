"""The numbers of bench/attention.json: of what is sent now, within the limit, and those that docs/attention.md shows."""

import re
from pathlib import Path

import pytest

from bench.attention import TALKS, Kept, kept, rows, sent, talk
from bench.ways import WAYS

PAGE = (Path(__file__).parents[2] / "docs/attention.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## What it costs\n")[2].partition("\n## ")[0]
RECORDED, HALF, QUARTER = TALKS

MOST = 0.06
"""What the reminder may add to the cost of the talk."""


@pytest.fixture
def table() -> Kept:
    return kept()


def test_the_numbers_are_those_of_what_is_sent_now(table: Kept) -> None:
    assert table["sha256"] == sent(), "what is sent has changed: run make bench, and bring docs/attention.md up to it"
    assert table["requests"] == len(talk()[0]) == len(talk()[1]) == 40


def test_each_talk_has_each_way(table: Kept) -> None:
    assert {name: list(ways) for name, ways in table["talks"].items()} == {name: list(WAYS) for name in TALKS}


def test_the_reminder_costs_little_beside_the_talk(table: Kept) -> None:
    ways = table["talks"][RECORDED]
    bare, ours = ways["no reminder"], ways["ours"]

    assert ours["marks"] / bare["marks"] - 1 <= MOST
    assert ours["automatic"] / bare["automatic"] - 1 <= MOST


def test_every_other_way_is_dearer(table: Kept) -> None:
    for ways in table["talks"].values():
        ours = ways["ours"]
        for name in set(ways) - {"no reminder", "ours"}:
            assert ways[name]["marks"] > 1.1 * ours["marks"], name


def test_the_page_shows_the_table_of_the_talk_as_recorded(table: Kept) -> None:
    assert re.findall(r"^\| .*\d.* \|$", SECTION, re.MULTILINE) == [*rows(table["talks"][RECORDED])]


def test_the_page_says_what_a_shorter_talk_comes_to(table: Kept) -> None:
    shown = re.findall(r"\+[\d.]+ %", SECTION.rpartition("|")[2])
    ours = [next(iter(rows(table["talks"][name]))) for name in (HALF, QUARTER)]

    assert shown == [percent for row in ours for percent in re.findall(r"\+[\d.]+ %", row)]
