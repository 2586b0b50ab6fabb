"""What docs/backlog.md shows of what a model is told is what is told, and it names each verb and box."""

import re
from pathlib import Path

import pytest

from tests.todo_context.backlog.kit import NOW, an_item
from todo_command.verbs.backlog_table import VERBS
from todo_context.backlog.item import Box, Priority, Status
from todo_context.backlog.telling import Sight, block

PAGE = (Path(__file__).parents[3] / "docs/backlog.md").read_text(encoding="utf-8")


def test_the_block_on_the_page_is_what_is_told() -> None:
    running = an_item("td-9fz2", "Wire the config", project="core", status=Status.IN_PROGRESS, owner="pi:77aa11bb")
    high = an_item("td-4k2m", "Port the logger", project="core", priority=Priority.HIGH)
    urgent = an_item("td-b7qd", "The site is down", project="docs", priority=Priority.CRITICAL)
    sight = Sight(
        project="core", me="", seq=41, here=(running, high), elsewhere=(urgent,), active=5, parked=2, critical=1, held=1
    )

    assert re.findall("^<system-reminder>\n.*?^</system-reminder>$", PAGE, re.MULTILINE | re.DOTALL) == [
        block(sight, NOW)
    ]


@pytest.mark.parametrize("name", [verb.name for verb in VERBS if verb.name != "list"])
def test_the_page_names_each_verb(name: str) -> None:
    assert re.search(rf"`(?:/backlog |todo-context backlog )?{name}\b|, `{name}`|/backlog {name}\b", PAGE)


@pytest.mark.parametrize("box", Box)
def test_the_page_names_each_box(box: Box) -> None:
    assert f"| {box} |" in PAGE
