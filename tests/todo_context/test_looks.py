import re
from dataclasses import astuple
from itertools import chain
from typing import get_args

import pytest
from prompt_toolkit.utils import get_cwidth
from rich.style import Style

from todo_context.looks import GLYPHS, STYLES, Role, looks, shows_unicode
from todo_context.plan.model import Status
from todo_context.settings import PanelSettings


@pytest.mark.parametrize("name", GLYPHS)
def test_every_glyph_takes_one_cell(name: str) -> None:
    for glyph in chain.from_iterable(astuple(GLYPHS[name])):
        assert get_cwidth(glyph) == 1


def test_ascii_is_ascii_and_each_status_has_a_mark_of_its_own() -> None:
    assert all("".join(value).isascii() for value in astuple(GLYPHS["ascii"]))
    for glyphs in GLYPHS.values():
        assert len({glyphs.mark(status) for status in Status}) == len(Status)


@pytest.mark.parametrize("theme", STYLES)
def test_a_theme_has_a_style_for_each_role(theme: str) -> None:
    assert set(STYLES[theme]) == set(get_args(Role))
    assert all(Style.parse(style) for style in STYLES[theme].values() if style)


def test_plain_has_no_colour() -> None:
    assert all(Style.parse(style).color is None for style in STYLES["plain"].values())


@pytest.mark.parametrize(
    ("theme", "environ", "chosen"),
    [
        pytest.param("auto", {}, "dark", id="nothing said"),
        pytest.param("auto", {"COLORFGBG": "15;0"}, "dark", id="white on black"),
        pytest.param("auto", {"COLORFGBG": "0;default;15"}, "light", id="black on white"),
        pytest.param("auto", {"COLORFGBG": "0;15", "NO_COLOR": "1"}, "plain", id="NO_COLOR"),
        pytest.param("light", {"COLORFGBG": "15;0"}, "light", id="chosen"),
    ],
)
def test_the_theme(theme: str, environ: dict[str, str], chosen: str) -> None:
    assert looks(PanelSettings(theme=theme), environ, has_unicode=True).styles is STYLES[chosen]


def test_the_marks_are_ascii_where_the_screen_shows_no_more_unless_chosen() -> None:
    assert looks(PanelSettings(), {}, has_unicode=False).glyphs is GLYPHS["ascii"]
    assert looks(PanelSettings(), {}, has_unicode=True).glyphs is GLYPHS["unicode"]
    assert looks(PanelSettings(glyphs="ascii"), {}, has_unicode=True).glyphs is GLYPHS["ascii"]
    assert looks(PanelSettings(glyphs="unicode"), {}, has_unicode=False).glyphs is GLYPHS["unicode"]


def test_nothing_moves_without_colours_or_by_choice() -> None:
    assert looks(PanelSettings(), {}, has_unicode=True).is_animated
    assert not looks(PanelSettings(), {"NO_COLOR": "1"}, has_unicode=True).is_animated
    assert not looks(PanelSettings(motion=False), {}, has_unicode=True).is_animated


@pytest.mark.parametrize(("encoding", "is_so"), [("utf-8", True), ("UTF8", True), ("ascii", False), ("latin-1", False)])
def test_which_streams_show_unicode(encoding: str, is_so: bool) -> None:
    assert re.match("[a-zA-Z]", encoding)
    assert shows_unicode(encoding) is is_so
    assert not shows_unicode(None)
