import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plans import plan
from todo_command.grammar import quoted_word
from todo_command.match import Cut, Nothing, Several, blocked, cut_task, find_phase, find_target, find_task, key
from todo_context.plan.model import Phase, Plan, Task
from todo_context.plan.ops import Target
from todo_context.plan.text import one_line

PLAN = plan("""\
# Build
- [/] Wire config
- [ ] Port logger
- [x] Wire old cables

# Deploy
- [ ] Don't deploy on Friday
- [ ] Deploy staging
- [!] Deploy production <!-- blocker: no key -->

# Deploy later
- [ ] Say "hi"
- [ ] Fix
""")


def task(content: str) -> Target:
    return Target(task=content)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        pytest.param("Wire config", "Wire config", id="exact"),
        pytest.param("  wire   CONFIG ", "Wire config", id="exact but for case and blanks"),
        pytest.param('"Wire config"', "Wire config", id="quoted"),
        pytest.param('"wire con', "Wire config", id="quote not closed"),
        pytest.param(r"wire\ con", "Wire config", id="backslash"),
        pytest.param("logger", "Port logger", id="the only part"),
        pytest.param("wire", "Wire config", id="the only actionable of several"),
        pytest.param('Say "hi"', 'Say "hi"', id="quotes of its own"),
        pytest.param('"hi"', 'Say "hi"', id="a part with quotes of its own"),
        pytest.param("FIX", "Fix", id="exact beats longer ones"),
        pytest.param("Wire \x1b[31mconfig\u202e", "Wire config", id="compared as the screen shows it"),
    ],
)
def test_a_name_means_one_task(typed: str, expected: str) -> None:
    assert find_task(PLAN, typed) == task(expected)


def test_several_that_may_be_meant_are_given_back_in_plan_order() -> None:
    assert find_task(PLAN, "deploy") == Several((task("Don't deploy on Friday"), task("Deploy staging")))


def test_where_none_may_be_meant_all_that_match_are_given_back() -> None:
    found = find_task(PLAN, "deploy", prefer=lambda _: False)

    assert found == Several((task("Don't deploy on Friday"), task("Deploy staging"), task("Deploy production")))


def test_a_verb_may_prefer_other_tasks_than_actionable_ones() -> None:
    assert find_task(PLAN, "deploy", prefer=blocked) == task("Deploy production")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        pytest.param("Deploy staging", task("Deploy staging"), id="exact task"),
        pytest.param("deploy", Target(phase="Deploy"), id="exact phase beats partial tasks"),
        pytest.param("wire", task("Wire config"), id="partial task"),
        pytest.param("buil", Target(phase="Build"), id="partial phase"),
        pytest.param('"deploy later"', Target(phase="Deploy later"), id="quoted phase"),
    ],
)
def test_a_target_is_a_task_or_a_phase(typed: str, expected: Target) -> None:
    assert find_target(PLAN, typed) == expected


def test_where_several_tasks_match_no_phase_is_looked_for() -> None:
    both = plan("# Docs now\n- [ ] Read docs\n- [ ] Write docs\n")

    assert find_target(both, "docs") == Several((task("Read docs"), task("Write docs")))


def test_several_phases_are_given_back_too() -> None:
    phases = plan("# Test one\n- [ ] a\n# Test two\n- [ ] b\n")

    assert find_target(phases, "test") == Several((Target(phase="Test one"), Target(phase="Test two")))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("BUILD", "Build"),
        ("bu", "Build"),
        ("later", "Deploy later"),
        ("deploy", "Deploy"),
        ("depl", None),
        ("nope", None),
        ("", None),
    ],
)
def test_a_phase_is_found_exactly_then_by_the_only_prefix_then_by_the_only_part(
    name: str, expected: str | None
) -> None:
    assert find_phase(PLAN, name) == expected


def test_the_first_of_names_that_differ_in_case_is_meant() -> None:
    assert find_task(plan("# A\n- [x] run\n- [ ] Run\n"), "Run") == task("run")


@pytest.mark.parametrize("typed", ["shpi", '""', '"  "', "\u202e", "task-1"])
def test_what_matches_nothing_is_said_so(typed: str) -> None:
    assert isinstance(find_target(PLAN, typed), Nothing)


def test_the_closest_names_come_with_nothing() -> None:
    assert find_task(PLAN, "prot loger") == Nothing("prot loger", ("Port logger",))


def test_for_the_name_of_a_phase_its_tasks_are_the_closest() -> None:
    assert find_task(PLAN, "build") == Nothing("build", ("Wire config", "Port logger", "Wire old cables"))


@pytest.mark.parametrize(
    ("text", "content", "rest"),
    [
        pytest.param("wire config", "Wire config", "", id="all of it is the name"),
        pytest.param("wire config no  key", "Wire config", "no  key", id="the longest run"),
        pytest.param("logger of the host", "Port logger", "of the host", id="a part"),
        pytest.param('"wire config" no key', "Wire config", "no key", id="a quoted word"),
        pytest.param(r"wire\ config why", "Wire config", "why", id="a word with a backslash"),
        pytest.param('Say "hi" twice', 'Say "hi"', "twice", id="quotes of its own"),
        pytest.param("fix it\nsoon", "Fix", "it\nsoon", id="lines stay"),
    ],
)
def test_the_leading_words_name_the_task(text: str, content: str, rest: str) -> None:
    assert cut_task(PLAN, text) == Cut(task(content), rest)


def test_where_no_run_names_one_task_the_longest_that_names_several_is_given_back() -> None:
    cut = cut_task(PLAN, "deploy because of x")

    assert isinstance(cut.found, Several)
    assert cut.rest == "because of x"


def test_the_longest_run_narrows_the_choice() -> None:
    several = plan("# A\n- [ ] Deploy staging one\n- [ ] Deploy staging two\n- [ ] Deploy production\n")

    assert cut_task(several, "deploy staging broke") == Cut(
        Several((task("Deploy staging one"), task("Deploy staging two"))), "broke"
    )


def test_the_first_word_is_what_was_not_found() -> None:
    assert cut_task(PLAN, "lgger is slow") == Cut(Nothing("lgger", ("Port logger",)), "lgger is slow")


def test_a_long_text_is_not_tried_word_by_word() -> None:
    cut = cut_task(PLAN, "wire config " + "word " * 50_000)

    assert cut.found == task("Wire config")


_CONTENTS = st.lists(st.text("ab \"\\'[é ßǆ\u202e", min_size=1, max_size=6).map(one_line), max_size=8)


@given(_CONTENTS)
def test_every_task_can_be_named_by_its_quoted_content(contents: list[str]) -> None:
    named = {key(content): content for content in reversed(contents) if key(content)}
    whole = Plan((Phase(name="P", tasks=tuple(Task(content=content) for content in contents)),))

    for content in named.values():
        assert find_target(whole, quoted_word(content)) == task(content)
