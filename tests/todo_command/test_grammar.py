import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_command.grammar import Split, leading_quoted, leading_runs, quoted_word, spoken, unquoted, verb_call, words


@pytest.mark.parametrize(
    ("args", "verb", "rest"),
    [
        ("", "", ""),
        (" \t\u3000", "", ""),
        ("done", "done", ""),
        ("  DONE  ", "done", ""),
        ("done\tWire  config ", "done", "Wire  config"),
        ("done\u00a0x", "done", "x"),
        ("append\n\nx", "append", "x"),
        ("?", "?", ""),
        ("done\u0085x", "done\u0085x", ""),
    ],
)
def test_a_call_is_a_verb_and_the_rest(args: str, verb: str, rest: str) -> None:
    call = verb_call(args)

    assert (call.verb, call.rest) == (verb, rest)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("a  b\tc", ("a", "b", "c")),
        ('"a b" c', ("a b", "c")),
        ('au"th" x"y z"', ("auth", "xy z")),
        ('auth "a b c', ("auth", "a b c")),
        (r"say \"hi\"", ("say", '"hi"')),
        (r"Write\ docs", ("Write docs",)),
        (r'"a \" b"', ('a " b',)),
        ("x\\", ("x\\",)),
        ("'a b'", ("'a", "b'")),
        ('"" x', ("x",)),
        ('""', ()),
        ('"  "', ("  ",)),
    ],
)
def test_words(text: str, expected: tuple[str, ...]) -> None:
    assert words(text) == expected


@given(st.text(min_size=1))
def test_a_quoted_word_is_read_as_that_word(name: str) -> None:
    assert words(quoted_word(name)) == (name,)


@pytest.mark.parametrize("name", ["Build", "Déployer", "ログイン修正", "'x'", "a-b"])
def test_a_name_without_blanks_needs_no_quotes(name: str) -> None:
    assert quoted_word(name) == name


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ('"Wire config" no key  yet', Split("Wire config", "no key  yet")),
        ('"Wire config', Split("Wire config", "")),
        (r"Wire\ config why", Split("Wire config", "why")),
        ('Wire "config"', None),
        ("", None),
    ],
)
def test_a_quoted_first_word_stands_apart(text: str, split: Split | None) -> None:
    assert leading_quoted(text) == split


def test_runs_of_leading_words_come_longest_first_and_keep_the_rest_as_typed() -> None:
    assert list(leading_runs("a b  c", 9)) == [Split("a b  c", ""), Split("a b", "c"), Split("a", "b  c")]


def test_runs_longer_than_asked_are_left_out() -> None:
    assert [run.name for run in leading_runs("a b c", 2)] == ["a b", "a"]
    assert list(leading_runs("a b c", 0)) == []


@pytest.mark.parametrize(
    ("text", "expected"), [('"see the log"', "see the log"), ('"see" the log', '"see" the log'), ("C:\\x", "C:\\x")]
)
def test_only_a_text_that_is_quoted_as_a_whole_loses_its_quotes(text: str, expected: str) -> None:
    assert unquoted(text) == expected


def test_spoken_text_has_one_blank_between_words() -> None:
    assert spoken('  "Wire"   config ') == "Wire config"
