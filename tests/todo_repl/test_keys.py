"""The keys at the prompt: one table, which the settings change and the help lists."""

import asyncio

import pytest
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.key_binding import KeyPressEvent
from prompt_toolkit.layout import BufferControl, Layout, Window
from prompt_toolkit.output import DummyOutput

from todo_context.config import settings
from todo_context.errors import TodoContextError
from todo_context.settings import KeySettings
from todo_repl.help_text import help_text
from todo_repl.ui.keys import ACTIONS, Handler, bindings, rows, sequences, spoken


def test_every_action_has_a_key_of_its_own() -> None:
    ways = [way for found in sequences(KeySettings()).values() for way in found]

    assert len(ways) == len(set(ways)) >= len(ACTIONS)
    assert sequences(KeySettings())["panel"] == (("c-t",),)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (KeySettings(panel="ctrl-t"), 'settings: [keys] panel: there is no key "ctrl-t". Closest: "c-t".'),
        (KeySettings(panel="Ctrl+Shift+Left"), 'there is no key "Ctrl+Shift+Left". Closest: "c-s-left".'),
        (KeySettings(panel="alt-p"), 'there is no key "alt-p". Closest: "escape p".'),
        (KeySettings(panel="meta-left"), 'there is no key "meta-left". Closest: "escape left".'),
        (KeySettings(redraw="pgup"), '[keys] redraw: there is no key "pgup". Closest: "pageup".'),
        (KeySettings(panel="<any>"), 'there is no key "<any>". Closest: '),
        (KeySettings(panel="x" * 50), f'there is no key "{"x" * 19}…".'),
        (KeySettings(panel="c-x \x1b[2Jnope"), 'there is no key "nope".'),
        (KeySettings(panel="x"), '"x" alone could not be typed any more. Begin with a key such as "c-t"'),
        (KeySettings(panel="c-r"), "[keys] panel: Ctrl-R is for search already. Give one of the two another key"),
        (KeySettings(panel="c-m"), "[keys] panel: Enter is for submit already."),
        (KeySettings(submit=" , "), '[keys] submit: it has no key. Give it one, such as "enter".'),
    ],
)
def test_what_cannot_be_bound_is_one_line(keys: KeySettings, said: str) -> None:
    with pytest.raises(TodoContextError) as caught:
        sequences(keys)

    assert said in str(caught.value)
    assert str(caught.value).isprintable()


def test_enter_and_alt_enter_can_change_places() -> None:
    swapped = sequences(KeySettings(submit="escape enter", newline="enter"))

    assert (swapped["submit"], swapped["newline"]) == ((("escape", "c-m"),), (("c-m",),))


@pytest.mark.parametrize(
    ("way", "said"),
    [
        (("c-x", "c-e"), "Ctrl-X Ctrl-E"),
        (("escape", "enter"), "Alt-Enter"),
        (("escape", "p"), "Alt-P"),
        (("escape",), "Esc"),
        (("s-tab",), "Shift-Tab"),
        (("c-s-left",), "Ctrl-Shift-Left"),
        (("f12",), "F12"),
        (("c-@",), "Ctrl-Space"),
        (("c-m",), "Enter"),
    ],
)
def test_keys_are_called_as_people_call_them(way: tuple[str, ...], said: str) -> None:
    assert spoken(way) == said


def test_the_help_lists_the_keys_as_they_are_bound() -> None:
    keys = KeySettings(panel="f2, escape p", search="")
    text = help_text({"quit": "Leave"}, {}, tuple(rows(keys)))

    assert "F2, Alt-P          unfold the panel, or fold it\n" in text
    assert "look for an earlier line" not in text
    assert "Ctrl-D             leave, on an empty line" in text


def test_where_nobody_types_the_help_lists_no_keys() -> None:
    assert "Ctrl" not in help_text({"quit": "Leave"}, {}, ())


def test_the_settings_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TODO_CONTEXT_KEYS_PANEL", "f2")

    assert sequences(settings().keys)["panel"] == (("f2",),)


def test_an_action_that_nobody_handles_is_a_bug() -> None:
    with pytest.raises(KeyError, match="submit"):
        bindings(KeySettings(), {})


def test_pressed_keys_do_what_their_action_does() -> None:
    done: list[str] = []

    def handler(name: str) -> Handler:
        def run(event: KeyPressEvent) -> None:
            done.append(name)
            if name == "leave":
                event.app.exit()

        return Handler(run, when=name != "redraw")

    async def press(typed: str) -> str:
        buffer = Buffer()
        keys = bindings(KeySettings(panel="f2, escape p"), {action.name: handler(action.name) for action in ACTIONS})
        with create_pipe_input() as pipe:
            app: Application[None] = Application(
                layout=Layout(Window(BufferControl(buffer))), key_bindings=keys, input=pipe, output=DummyOutput()
            )
            pipe.send_text(typed)
            await asyncio.wait_for(app.run_async(), 30)
        return buffer.text

    text = asyncio.run(press("a\r\x1b\r\nb\x1bOQ\x1bp\x0c\x18\x05\x12\x03\x04"))

    assert done == ["submit", "newline", "newline", "panel", "panel", "editor", "search", "interrupt", "leave"]
    assert text == "ab"
