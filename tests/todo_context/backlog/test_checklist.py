"""The backlog as a text to edit: what is written is what is read."""

from hypothesis import given
from hypothesis import strategies as st

from tests.todo_context.backlog.kit import NOW, an_item, days_ago
from todo_context.backlog.checklist import HEAD, Line, is_backlog, parse, render, wanted
from todo_context.backlog.item import Item, Priority, Status, folded_notes, folded_tags
from todo_context.plan.text import one_line

_texts = st.one_of(
    st.sampled_from(
        [
            "Port logger",
            "[x] done?",
            "ends <!-- td-aaaa -->",
            "<!-- high -->",
            "# no heading",
            "> quoted",
            "#tag",
            "- [ ] x",
        ]
    ),
    st.text(max_size=20).map(one_line).filter(bool),
)
_notes = st.one_of(
    st.just(""),
    st.sampled_from(["one\n\ntwo", "> x\n# y\n- [ ] z", "  indented"]),
    st.text(max_size=30).map(folded_notes),
)
_tags = st.lists(
    st.one_of(st.sampled_from(["a b", 'q"x', "-->", "high", "td-aaaa"]), st.text(max_size=6)), max_size=3
).map(folded_tags)
_items = st.lists(
    st.builds(
        Item,
        id=st.uuids().map(lambda uuid: f"td-{uuid.hex[:8]}"),
        text=_texts,
        notes=_notes,
        project=st.one_of(st.sampled_from(["", "core", "# x", "a b"]), st.text(max_size=6).map(one_line)),
        tags=_tags,
        priority=st.sampled_from(Priority),
        status=st.sampled_from([Status.OPEN, Status.IN_PROGRESS, Status.PARKED]),
    ),
    max_size=5,
    unique_by=lambda item: item.id,
)


@given(_items)
def test_every_item_survives_the_editor(items: list[Item]) -> None:
    parsed = parse(render(items, "core", NOW), "core")

    assert parsed.problems == ()
    read = {line.id: (line.text, line.notes, line.project, line.tags, line.priority) for line in parsed.lines}
    assert read == {item.id: (item.text, item.notes, item.project, item.tags, item.priority) for item in items}


def test_what_woke_by_itself_is_open_and_what_sleeps_is_parked() -> None:
    items = [
        an_item("td-aaaa", "Woke", parked_until=days_ago(1)),
        an_item("td-bbbb", "Sleeps", parked_until=days_ago(-1)),
        an_item("td-cccc", "Parked", status=Status.PARKED),
    ]

    rows = [line[:12] for line in render(items, "", NOW).split("\n") if line.startswith("- [")]

    assert rows == ["- [ ] Woke <", "- [~] Sleeps", "- [~] Parked"]


@given(_items)
def test_a_text_that_nobody_changed_wants_nothing(items: list[Item]) -> None:
    text = render(items, "core", NOW)

    assert wanted(parse(text, "core"), parse(text.replace("\n", "\r\n"), "core")).is_nothing


TEXT = f"""\
{HEAD}
# core
- [ ] Port logger <!-- td-aaaa high #infra -->
  > keeps the old format
- [~] Later <!-- td-bbbb -->
"""


def edited(text: str) -> tuple[list[Line], list[tuple[Line, Line]], list[str]]:
    found = wanted(parse(TEXT, "core"), parse(text, "core"))
    assert not found.unknown
    return [*found.new], [*found.changed], [*found.gone]


def test_a_new_line_is_a_new_item() -> None:
    new, changed, gone = edited(TEXT + "- [ ] Write the docs <!-- low #docs -->\n  > two\n  > lines\n")

    assert (changed, gone) == ([], [])
    (line,) = new
    assert (line.text, line.priority, line.tags, line.notes) == (
        "Write the docs",
        Priority.LOW,
        ("docs",),
        "two\nlines",
    )


def test_a_line_that_is_gone_is_cancelled() -> None:
    assert edited(TEXT.replace("- [~] Later <!-- td-bbbb -->\n", "")) == ([], [], ["td-bbbb"])


def test_a_mark_and_a_heading_change_what_is_below() -> None:
    _, changed, _ = edited(TEXT.replace("[ ]", "[x]").replace("# core", "# docs"))

    assert [(after.mark, after.project) for _, after in changed] == [("done", "docs"), ("parked", "docs")]


def test_what_cannot_be_read_is_named_by_its_line() -> None:
    parsed = parse(
        f"{HEAD}prose\n- [?] x\n- [ ] <!-- td-aaaa -->\n- [ ] a <!-- td-bbbb -->\n- [ ] b <!-- td-bbbb -->\n", "core"
    )

    first = HEAD.count("\n") + 1
    assert [(problem.line - first, problem.message.split(";")[0]) for problem in parsed.problems] == [
        (0, "neither an item, - [ ] text, nor a note, > text, nor a project, # name"),
        (1, "unknown mark [?]"),
        (2, "an item needs a text"),
        (4, "td-bbbb stands on two lines"),
    ]


def test_a_text_of_the_plan_is_none_of_the_backlog() -> None:
    assert is_backlog(TEXT)
    assert not is_backlog("# core\n- [ ] Port logger\n")
