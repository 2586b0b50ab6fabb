from io import StringIO

from rich.console import Console

from tests.plans import plan
from todo_context.checklist import bounded_checklist, checklist
from todo_context.looks import STYLES
from todo_context.plan.model import Phase, Plan, Status, Task

DARK = STYLES["dark"]
TEXT = "# Build\n- [x] Wire config\n- [/] Port logger\n  > see log\n- [-] Old\n\n# Verify\n- [!] Run tests <!-- blocker: no CI -->"


def printed(renderable: object, **options: object) -> str:
    out = StringIO()
    Console(file=out, width=200, **options).print(renderable)  # type: ignore[arg-type]
    return out.getvalue()


def test_the_checklist_is_the_markdown_and_hides_emptied_phases() -> None:
    assert checklist(plan(TEXT + "\n# Gone\n"), DARK).plain == TEXT


def test_colours_go_to_a_terminal_only() -> None:
    assert printed(checklist(plan(TEXT), DARK)).rstrip() == TEXT
    assert "\x1b[" in printed(checklist(plan(TEXT), DARK), force_terminal=True, color_system="standard")


def test_hostile_text_shows_only_what_can_be_printed() -> None:
    """P06."""
    hostile = "\x1b[2J\x1b]52;c;ZXZpbA==\x07ok\u202e"
    task = Task(content=hostile, status=Status.BLOCKED, blocker=hostile, notes=(hostile,))

    assert checklist(Plan((Phase(name=hostile, tasks=(task,)),)), DARK).plain == (
        "# ok\n- [!] ok <!-- blocker: ok -->\n  > ok"
    )


def test_markup_in_a_task_is_text() -> None:
    assert (
        printed(checklist(plan("- [ ] [red]a[/red] [link=x]b"), DARK)).rstrip()
        == "# Todos\n- [ ] [red]a[/red] [link=x]b"
    )


def test_after_a_call_a_short_plan_shows_all_and_a_long_one_folds() -> None:
    assert bounded_checklist(plan(TEXT), DARK).plain == (
        "# Build\n- [x] Wire config\n- [/] Port logger\n- [-] Old\n# Verify\n- [!] Run tests <!-- blocker: no CI -->\n"
        "1 of 4 done, 1 dropped, 2 open (1 blocked)."
    )
    many = Plan((Phase(name="P", tasks=tuple(Task(content=f"t{n}") for n in range(400))),))
    lines = bounded_checklist(many, DARK).plain.split("\n")
    assert len(lines) == 11
    assert lines[-2:] == ["… +392 more open", "0 of 400 done, 400 open."]
