import pytest
from hypothesis import given

from tests.plans import phases, plan, plans, texts
from todo_context.plan.markdown import from_markdown, restore_hidden, to_markdown
from todo_context.plan.model import EMPTY, Phase, Plan, Status, Task
from todo_context.plan.problem import LineProblem

EVERY_STATUS = """\
# Build
- [ ] pending
- [/] in progress
- [x] completed
- [-] abandoned
- [!] blocked <!-- blocker: no key -->
  > a note
  > of two lines
  >
  > the next note

# Empty
"""


@given(plans)
def test_every_plan_survives_the_editor(value: Plan) -> None:
    parsed = from_markdown(to_markdown(value))

    assert parsed.plan == value
    assert not parsed.problems


@given(texts)
def test_any_text_is_read_or_its_lines_are_named(text: str) -> None:
    parsed = from_markdown(text)

    assert [problem.line for problem in parsed.problems] == sorted({problem.line for problem in parsed.problems})
    assert from_markdown(to_markdown(parsed.plan)).plan == parsed.plan


def test_every_status_has_its_mark() -> None:
    parsed = from_markdown(EVERY_STATUS)

    assert [task.status for task in parsed.plan.tasks()] == list(Status)
    assert to_markdown(parsed.plan) == EVERY_STATUS


def test_an_empty_plan_is_empty_text() -> None:
    assert to_markdown(EMPTY) == ""
    assert from_markdown("").plan == EMPTY


@pytest.mark.parametrize(
    ("text", "content", "status"),
    [
        pytest.param("- [X] a", "a", "completed", id="a capital X"),
        pytest.param("- [] a", "a", "pending", id="no blank in the box"),
        pytest.param("- [>] a", "a", "in_progress", id="an arrow"),
        pytest.param("- [~] a", "a", "abandoned", id="a tilde"),
        pytest.param("* [x] a", "a", "completed", id="a star"),
        pytest.param("\t+ [x] a  ", "a", "completed", id="indented by a tab"),
        pytest.param("        - [/] a", "a", "in_progress", id="indented by an editor"),
        pytest.param("- \\[x\\] a", "a", "completed", id="escaped brackets"),
        pytest.param("3. [x] a", "a", "completed", id="a number"),
        pytest.param("- a", "a", "pending", id="a plain bullet"),
        pytest.param("1) a", "a", "pending", id="a plain number"),
        pytest.param("- [xx] a", "[xx] a", "pending", id="more than a mark is text"),
        pytest.param("\ufeff- [ ] a", "a", "pending", id="a byte-order mark"),
        pytest.param("- [ ] a <!-- blocker: b -->", "a <!-- blocker: b -->", "pending", id="only the blocked have a reason"),
    ],
)  # fmt: skip
def test_read_as_a_task(text: str, content: str, status: str) -> None:
    assert phases(plan(text)) == [{"name": "Todos", "tasks": [{"content": content, "status": status}]}]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param("- [?] a", "unknown mark [?]; use one of [ ] [/] [x] [-] [!]", id="unknown mark"),
        pytest.param("- [🚧] a", "unknown mark [🚧]; use one of [ ] [/] [x] [-] [!]", id="an emoji as mark"),
        pytest.param("- [ ]", "nothing stands after the mark; say what is to be done, or remove the line", id="no content"),
        pytest.param("-", "nothing stands after the bullet; say what is to be done, or remove the line", id="no task"),
        pytest.param("prose", '"prose" is no task, note or heading; write - [ ] before a task, > before a note, # before a phase', id="prose"),
        pytest.param("#x", '"#x" is no task, note or heading; write - [ ] before a task, > before a note, # before a phase', id="no heading"),
        pytest.param("> a", "a note needs a task above it; put it under its task, or remove the >", id="a note of nothing"),
        pytest.param("# \x07", "the heading is blank; name the phase, such as # Build", id="blank heading"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_named(line: str, message: str) -> None:
    assert from_markdown(f"# A\n{line}\n- [ ] b\n").problems == (LineProblem(2, line, message),)


def test_a_comment_on_a_line_of_its_own_ends_nothing() -> None:
    parsed = from_markdown("- [ ] a\n  > one\n<!-- hello -->\n  > two\n")

    assert [task.notes for task in parsed.plan.tasks()] == [("one\ntwo",)]


def test_parsing_keeps_repetitions_and_starts_nothing() -> None:
    text = "# A\n- [ ] x\n- [ ] x\n\n# A\n"

    assert to_markdown(plan(text)) == text


@pytest.mark.parametrize(
    ("note", "line"),
    [
        pytest.param("", "  > <!--= -->", id="empty"),
        pytest.param("a ", "  > <!--= a  -->", id="ends in a blank"),
        pytest.param("a\u2028b", "  > <!--= a\\u2028b -->", id="a line separator"),
        pytest.param("<!--= x", "  > <!--= <!--= x -->", id="looks reserved"),
        pytest.param("<!--= -->", "  > <!--= <!--= --\\u003e -->", id="looks reserved and ends"),
    ],
)  # fmt: skip
def test_a_note_line_that_would_not_survive_is_written_in_the_reserved_form(note: str, line: str) -> None:
    value = Plan((Phase(name="A", tasks=(Task(content="x", notes=(note,)),)),))

    assert to_markdown(value) == f"# A\n- [ ] x\n{line}\n"


def test_what_does_not_decode_is_an_ordinary_note() -> None:
    assert [t.notes for t in plan('- [ ] x\n  > <!--= " -->\n').tasks()] == [('<!--= " -->',)]


def test_a_blocked_content_that_looks_like_a_reason_keeps_it() -> None:
    value = Plan((Phase(name="A", tasks=(Task(content="x <!-- blocker: y -->", status=Status.BLOCKED, blocker="z"),)),))

    assert to_markdown(value) == "# A\n- [!] x <\\!-- blocker: y --> <!-- blocker: z -->\n"
    assert from_markdown(to_markdown(value)).plan == value


def test_keys_that_text_cannot_carry_come_back_by_content() -> None:
    base = Plan(
        (Phase(name="A", tasks=(Task(content="x", id="7", active_form="Xing", extra={"k": 1}),), extra={"p": 2}),)
    )
    edited = plan("# A\n- [x] x\n- [ ] y\n")

    restored = restore_hidden(edited, base)

    assert [(t.content, t.status, t.id, t.active_form, dict(t.extra)) for t in restored.tasks()] == [
        ("x", Status.COMPLETED, "7", "Xing", {"k": 1}),
        ("y", Status.PENDING, None, None, {}),
    ]
    assert restored.phases[0].extra == {"p": 2}
