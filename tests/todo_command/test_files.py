"""/todo export and /todo import: files of the person's, so nothing is overwritten unasked, and nothing half read."""

import asyncio
import os
import stat
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

from tests.plans import plans
from tests.todo_command.desk import THREE, Desk, Person
from todo_command import disk
from todo_command.verbs import files
from todo_context.plan.apply import apply
from todo_context.plan.markdown import from_markdown, to_markdown
from todo_context.plan.model import EMPTY, Phase, Plan, Status, Task
from todo_context.plan.ops import Replace

PROSE = "# My list\nDo not lose this.\n"

not_root = pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
posix = pytest.mark.skipif(os.name == "nt", reason="needs what POSIX has")


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


# --- export -----------------------------------------------------------------------------------------


def test_the_plan_is_written_to_todo_md_in_the_folder_of_the_session(tmp_path: Path) -> None:
    desk = Desk(THREE, cwd=tmp_path)

    answer = desk.type("export")

    assert (answer.text, answer.is_error) == (f"Exported 3 tasks to {tmp_path}/TODO.md.", False)
    assert (tmp_path / "TODO.md").read_bytes() == THREE.encode()
    assert (leftovers(tmp_path), desk.actions) == ([], [])


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("plan.md", "plan.md"),
        ("  my plan.md  ", "my plan.md"),
        ('"my plan.md"', "my plan.md"),
        ("'my plan.md'", "my plan.md"),
        ('say "hi".md', 'say "hi".md'),
        ('"', '"'),
        ("漢字.md", "漢字.md"),
        ("./x/../plan", "plan"),
        ("~/plan.md", "../home/plan.md"),
        ('"~/plan.md"', "../home/plan.md"),
    ],
)
def test_the_rest_is_the_path(typed: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    (here / "x").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    answer = Desk(THREE, cwd=here).type(f"export {typed}")

    assert not answer.is_error
    assert (here / name).read_text(encoding="utf-8") == THREE


def test_an_empty_plan_is_said_so_and_no_file_is_made(tmp_path: Path) -> None:
    answer = Desk(cwd=tmp_path).type("export")

    assert not answer.is_error
    assert answer.text == "The plan is empty; no file was written. /todo append <task> starts one."
    assert list(tmp_path.iterdir()) == []


def test_what_the_plan_was_on_this_branch_is_overwritten_unasked(tmp_path: Path) -> None:
    person = Person(confirms=False)
    desk = Desk(THREE, cwd=tmp_path, person=person)
    desk.type("export")
    desk.type("done config")
    desk.type("done logger")

    assert desk.type("export").text == f"Exported 3 tasks to {tmp_path}/TODO.md."
    assert (tmp_path / "TODO.md").read_text() == desk.markdown != THREE
    assert person.asked == []


def test_an_empty_file_holds_nothing_to_lose(tmp_path: Path) -> None:
    write(tmp_path / "TODO.md", "")

    assert not Desk(THREE, cwd=tmp_path).type("export").is_error
    assert (tmp_path / "TODO.md").read_text() == THREE


def test_a_file_that_says_it_already_is_not_written_again(tmp_path: Path) -> None:
    desk = Desk(THREE, cwd=tmp_path)
    desk.type("export")
    before = (tmp_path / "TODO.md").stat()

    assert desk.type("export").text == f"No change: {tmp_path}/TODO.md says what the plan is."
    assert (tmp_path / "TODO.md").stat().st_mtime_ns == before.st_mtime_ns


FOREIGN = [
    pytest.param(PROSE, id="prose"),
    pytest.param("# Build\n- [ ] Another plan\n", id="a plan of another session"),
    pytest.param(THREE + "- [ ] mine\n", id="ours, with a task more"),
    pytest.param(THREE.replace("\n", "\r\n"), id="ours, with other line ends"),
    pytest.param(" \n", id="a blank"),
]


@pytest.mark.parametrize("text", FOREIGN)
def test_what_others_wrote_or_changed_is_not_overwritten_where_nobody_can_be_asked(text: str, tmp_path: Path) -> None:
    write(tmp_path / "TODO.md", text)
    write(tmp_path / "TODO-2.md", "taken")
    desk = Desk(THREE, cwd=tmp_path)

    answer = desk.type("export")

    assert answer.is_error
    assert answer.text == (
        f"{tmp_path}/TODO.md: not overwritten, for its text was written or changed elsewhere. "
        "/todo export TODO-3.md writes a new file."
    )
    assert (tmp_path / "TODO.md").read_bytes() == text.encode()
    assert not desk.type("export TODO-3.md").is_error


@pytest.mark.parametrize("text", FOREIGN)
@pytest.mark.parametrize("confirms", [True, False])
def test_a_person_is_asked_first(text: str, confirms: bool, tmp_path: Path) -> None:
    file = write(tmp_path / "TODO.md", text)
    person = Person(confirms=confirms)
    desk = Desk(THREE, cwd=tmp_path, person=person)

    answer = desk.type("export")

    assert person.asked == [f"Overwrite {file}? Its text was written or changed elsewhere, and would be lost."]
    assert file.read_bytes() == (THREE if confirms else text).encode()
    wanted = f"Exported 3 tasks to {file}." if confirms else f"Export cancelled; {file} is as it was."
    assert (answer.text, answer.is_error) == (wanted, False)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"x" * (disk.MOST_BYTES + 1)], ids=["no text", "very large"])
def test_what_is_no_plan_at_all_is_foreign(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "TODO.md").write_bytes(content)

    assert "not overwritten" in Desk(THREE, cwd=tmp_path).type("export").text
    assert (tmp_path / "TODO.md").read_bytes() == content


class Meanwhile(Person):
    """Someone who takes a while to say yes."""

    meanwhile: Callable[[], object]

    async def confirm(self, title: str, message: str) -> bool:
        self.meanwhile()
        return await super().confirm(title, message)


@pytest.mark.parametrize("text", [PROSE.replace("not", "NOT"), ""], ids=["of the same length", "emptied"])
def test_a_file_that_changes_while_the_person_is_asked_is_left_alone(text: str, tmp_path: Path) -> None:
    file = write(tmp_path / "TODO.md", PROSE)
    person = Meanwhile()
    person.meanwhile = lambda: write(file, text)

    answer = Desk(THREE, cwd=tmp_path, person=person).type("export")

    assert answer.is_error
    assert answer.text == f"{file}: changed just now, and was left alone. Look at it, then try again."
    assert (file.read_text(), leftovers(tmp_path)) == (text, [])


def test_a_file_that_appears_meanwhile_is_left_alone(tmp_path: Path) -> None:
    file = write(tmp_path / "TODO.md", PROSE)

    with pytest.raises(disk.FileError, match="changed just now"):
        disk.write_text(file, THREE, over=None)

    assert (file.read_text(), leftovers(tmp_path)) == (PROSE, [])


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_a_file_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    file = write(tmp_path / "TODO.md", "")
    file.chmod(mode)

    Desk(THREE, cwd=tmp_path).type("export")

    assert (stat.S_IMODE(file.stat().st_mode), file.read_text()) == (mode, THREE)


@posix
def test_a_new_file_is_as_open_as_new_files_of_the_person_are(tmp_path: Path) -> None:
    (tmp_path / "other").touch()

    Desk(THREE, cwd=tmp_path).type("export")

    assert (tmp_path / "TODO.md").stat().st_mode == (tmp_path / "other").stat().st_mode


@posix
def test_a_symbolic_link_stays_one_and_what_it_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "TODO.md").symlink_to("docs/plan.md")
    desk = Desk(THREE, cwd=tmp_path)

    for expected in (THREE, THREE.replace("[/]", "[x]").replace("[ ] Port", "[/] Port")):
        assert not desk.type("export").is_error
        assert (tmp_path / "docs/plan.md").read_text() == expected
        desk.type("done config")

    assert (tmp_path / "TODO.md").is_symlink()
    assert leftovers(tmp_path / "docs") == []


def make_folder(path: Path) -> None:
    path.mkdir()


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


BROKEN: list[object] = [pytest.param(make_folder, "this is a folder. Name a file in it.", id="a folder")]
if os.name != "nt":
    BROKEN += [
        pytest.param(os.mkfifo, "this is no regular file. Name another one.", id="a pipe"),
        pytest.param(
            lambda path: path.symlink_to("/dev/null"), "this is no regular file. Name another one.", id="a device"
        ),
        pytest.param(
            make_loop, "cannot be read: Too many levels of symbolic links. Name another file.", id="a loop of links"
        ),
    ]


@pytest.mark.parametrize("verb", ["export", "import"])
@pytest.mark.parametrize(("make", "wrong"), BROKEN)
def test_what_is_no_file_is_refused_and_never_waited_for(
    verb: str, make: Callable[[Path], object], wrong: str, tmp_path: Path
) -> None:
    make(tmp_path / "x")
    desk = Desk(THREE, cwd=tmp_path, person=Person())

    answer = desk.type(f"{verb} x")

    assert answer.is_error
    assert answer.text == f"{tmp_path}/x: {wrong}"
    assert ([path.name for path in tmp_path.iterdir()], desk.markdown) == (["x"], THREE)


@pytest.mark.parametrize("verb", ["export", "import"])
@pytest.mark.parametrize(
    ("typed", "wrong"),
    [
        ("a\nb.md", "a b.md: this name holds a control character (U+000A). Name a file without."),
        ('"a\x00b"', "ab: this name holds a control character (U+0000). Name a file without."),
        (
            "\x1b[2J\x1b]52;c;ZXZpbA==\x07ok.md",
            "ok.md: this name holds a control character (U+001B). Name a file without.",
        ),
        ("\x9b31mred\x9c", "red: this name holds a control character (U+009B). Name a file without."),
        ("docs/", "docs/: this is the name of a folder. Name a file in it."),
        ("", None),
    ],
)
def test_a_name_that_cannot_be_one_is_refused(verb: str, typed: str, wrong: str | None, tmp_path: Path) -> None:
    desk = Desk(THREE, cwd=tmp_path)

    answer = desk.type(f"{verb} {typed or chr(34) * 2}")

    assert answer.is_error
    assert answer.text == (wrong or f"{tmp_path}: this is a folder. Name a file in it.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["export", "import"])
@pytest.mark.parametrize(
    "name", ["x" * 300, "x/" * 3_000 + "y", "\ud800", "\u202egnp.exe/\u2066"], ids=["long", "deep", "surrogate", "bidi"]
)
def test_whatever_the_name_the_answer_is_one_short_line_that_is_safe(verb: str, name: str, tmp_path: Path) -> None:
    answer = Desk(THREE, cwd=tmp_path).type(f"{verb} {name}")

    assert answer.is_error
    assert len(answer.text) < 400
    assert [c for c in answer.text if unicodedata.category(c) in {"Cc", "Cf", "Cs"}] == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["nobody-of-this-name", "half-of-a-\ud800character"])
def test_a_home_that_is_not_there_is_said_so(tmp_path: Path, name: str) -> None:
    answer = Desk(THREE, cwd=tmp_path).type(f"export ~{name}/x")

    shown = name.replace("\ud800", "\ufffd")
    assert answer.text == f"~{shown}/x: there is no such home folder. Name the whole path."


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    answer = Desk(THREE, cwd=tmp_path).type("export docs/TODO.md")

    assert answer.is_error
    assert answer.text == f"{tmp_path}/docs/TODO.md: cannot be written: No such file or directory. Name another file."
    assert list(tmp_path.iterdir()) == []


@not_root
def test_a_folder_that_is_closed_is_said_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        answer = Desk(THREE, cwd=tmp_path).type("export")
    finally:
        tmp_path.chmod(0o700)

    assert answer.text == f"{tmp_path}/TODO.md: cannot be written: Permission denied. Name another file."
    assert list(tmp_path.iterdir()) == []


@not_root
def test_a_file_that_may_only_be_read_stays_as_it_is(tmp_path: Path) -> None:
    file = write(tmp_path / "TODO.md", "")
    file.chmod(0o400)

    assert Desk(THREE, cwd=tmp_path).type("export").text == f"{file}: may not be written. Name another file."
    assert (file.read_text(), leftovers(tmp_path)) == ("", [])


@posix
def test_a_disk_that_takes_no_more_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    import resource  # noqa: PLC0415 - not there on Windows
    import signal  # noqa: PLC0415 - beside it

    file = write(tmp_path / "TODO.md", "")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        answer = Desk(THREE, cwd=tmp_path).type("export")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)

    assert answer.text == f"{file}: cannot be written: File too large. Name another file."
    assert (file.read_text(), leftovers(tmp_path)) == ("", [])


# --- import -----------------------------------------------------------------------------------------


def test_a_file_takes_the_place_of_the_plan_as_one_entry(tmp_path: Path) -> None:
    file = write(tmp_path / "TODO.md", "\ufeff# A\r\n* [X] a\r\n  > note\r\n\r\n1. Port logger\r\n")
    desk = Desk(THREE, cwd=tmp_path)

    answer = desk.type("import")

    assert not answer.is_error
    assert answer.text == f'Imported {file}: 1 phase, 2 tasks (1 added, 2 removed, 1 changed). Next: "Port logger".'
    assert desk.markdown == "# A\n- [x] a\n  > note\n- [/] Port logger\n"
    assert desk.actions == ["import"]


def test_an_import_is_undone_like_any_change(tmp_path: Path) -> None:
    write(tmp_path / "TODO.md", "- [ ] a\n")
    desk = Desk(THREE, cwd=tmp_path)
    desk.type("import")

    desk.type("undo")

    assert desk.markdown == THREE


def test_repetitions_are_reported_and_what_the_text_cannot_carry_is_kept(tmp_path: Path) -> None:
    write(tmp_path / "TODO.md", "# Build\n- [ ] Wire\n- [ ] New\n# Build\n- [x] Wire\n")
    hidden = Task(content="Wire", status=Status.IN_PROGRESS, id="7", active_form="Wiring", extra={"cost": 3})
    desk = Desk(cwd=tmp_path)
    desk.put(Plan((Phase(name="Build", tasks=(hidden,), extra={"colour": "red"}),)))

    answer = desk.type("import")

    assert answer.text.startswith(f"Imported {tmp_path}/TODO.md: 1 phase, 2 tasks (1 added).")
    assert 'phase "Build" is there twice' in answer.text
    assert '"Wire" is there twice' in answer.text
    (kept,) = asyncio.run(desk.lane.plan()).phases
    assert (kept.extra, kept.tasks[0]) == ({"colour": "red"}, hidden)


def test_a_file_that_says_what_the_plan_is_changes_nothing(tmp_path: Path) -> None:
    desk = Desk(THREE, cwd=tmp_path)
    desk.type("export")

    assert desk.type("import").text == f"No change: {tmp_path}/TODO.md says what the plan is."
    assert desk.actions == []


def test_lines_that_cannot_be_read_are_listed_and_nothing_changes(tmp_path: Path) -> None:
    good = "".join(f"- [ ] task {number}\n" for number in range(1, 39))
    bad = "".join(f"prose {number}\n" for number in range(9))
    file = write(tmp_path / "TODO.md", f"# A\n{good}- [?] \x1b[2J\u202eodd {'x' * 500}\n{bad}")
    desk = Desk(THREE, cwd=tmp_path)

    answer = desk.type("import")

    assert answer.is_error
    lines = answer.text.split("\n")
    assert lines[0] == f"{file}: 10 lines cannot be read. Nothing was changed."
    assert lines[1].startswith("line 40: - [?] odd xxx")
    assert lines[2] == "    unknown mark [?]; use one of [ ] [/] [x] [-] [!]"
    assert lines[3:5] == [
        "line 41: prose 0",
        '    "prose 0" is no task, note or heading; write - [ ] before a task, > before a note, # before a phase',
    ]
    assert (len(lines), lines[-1]) == (1 + 2 * files.PROBLEMS + 1, "… and 2 more")
    assert max(map(len, lines)) < 250
    assert (desk.markdown, desk.actions, file.read_text()[:4]) == (THREE, [], "# A\n")


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (None, "there is no such file. Name another one; Tab completes."),
        (b"- [ ] caf\xe9\n", "not UTF-8: byte 9 is 0xe9. Save it as UTF-8."),
        ("- [ ] a\n".encode("utf-16"), "not UTF-8: byte 0 is 0xff. Save it as UTF-8."),
        (b"- [ ] a\n".ljust(disk.MOST_BYTES + 1), "larger than 5 MB. Name the file of a plan."),
    ],
    ids=["missing", "latin-1", "utf-16", "too large"],
)
def test_what_cannot_be_read_is_one_line(content: bytes | None, wrong: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "TODO.md").write_bytes(content)
    desk = Desk(THREE, cwd=tmp_path)

    answer = desk.type("import")

    assert answer.is_error
    assert answer.text == f"{tmp_path}/TODO.md: {wrong}"
    assert desk.markdown == THREE


@not_root
def test_a_file_that_is_closed_is_said_so(tmp_path: Path) -> None:
    file = write(tmp_path / "TODO.md", THREE)
    file.chmod(0)

    answers = {Desk(THREE, cwd=tmp_path).type(verb).text for verb in ("import", "export")}

    assert answers == {f"{file}: cannot be read: Permission denied. Name another file."}


def test_a_file_of_the_largest_size_is_read(tmp_path: Path) -> None:
    (tmp_path / "TODO.md").write_bytes(b"- [ ] a\n".ljust(disk.MOST_BYTES))
    desk = Desk(cwd=tmp_path)

    assert not desk.type("import").is_error
    assert desk.markdown == "# Todos\n- [/] a\n"


@pytest.mark.parametrize("text", ["", " \n\n", "# Later\n", "<!-- nothing -->\n"])
@pytest.mark.parametrize("confirms", [True, False])
def test_a_person_confirms_a_file_without_tasks(text: str, confirms: bool, tmp_path: Path) -> None:
    file = write(tmp_path / "TODO.md", text)
    person = Person(confirms=confirms)
    desk = Desk(THREE, cwd=tmp_path, person=person)

    answer = desk.type("import")

    assert person.asked == [f"Empty the plan? No task is in {file}. Remove 3 tasks?"]
    assert answer.text.startswith(f"Imported {file}: " if confirms else "Import cancelled; the plan is unchanged.")
    assert list(asyncio.run(desk.lane.plan()).tasks()) == (
        [] if confirms else list(asyncio.run(Desk(THREE).lane.plan()).tasks())
    )


def test_without_a_person_an_empty_file_clears_the_plan(tmp_path: Path) -> None:
    file = write(tmp_path / "TODO.md", "")
    desk = Desk(THREE, cwd=tmp_path)

    assert desk.type("import").text == (f"Imported {file}: 0 phases, 0 tasks (3 removed). Nothing is open any more.")
    assert (asyncio.run(desk.lane.plan()), desk.actions) == (EMPTY, ["import"])


def test_nobody_is_asked_where_nothing_would_go(tmp_path: Path) -> None:
    write(tmp_path / "TODO.md", "")
    person = Person()

    assert Desk(cwd=tmp_path, person=person).type("import").text.startswith("No change")
    assert person.asked == []


@given(plans)
def test_what_is_exported_comes_back_by_import(given_plan: Plan) -> None:
    committed = apply(EMPTY, [Replace(given_plan)]).plan
    text = to_markdown(committed)

    assert apply(EMPTY, [Replace(from_markdown(text).plan)]).plan == committed


# --- the story of both ------------------------------------------------------------------------------


def test_e10_nothing_foreign_or_changed_is_overwritten_and_a_failed_import_leaves_its_source(tmp_path: Path) -> None:
    file = write(tmp_path / "TODO.md", PROSE)
    person = Person(confirms=False)
    desk = Desk(THREE, cwd=tmp_path, person=person)

    assert desk.type("export").text == f"Export cancelled; {file} is as it was."
    assert file.read_text() == PROSE
    person.confirms = True
    assert desk.type("export").text == f"Exported 3 tasks to {file}."
    edited = THREE + "- [ ] By hand\n"
    write(file, edited)
    person.confirms = False
    desk.type("done config")
    assert desk.type("export").text == f"Export cancelled; {file} is as it was."
    assert (file.read_text(), len(person.asked)) == (edited, 3)

    before = desk.markdown
    bad = write(file, "".join(f"- [ ] task {number}\n" for number in range(1, 40)) + "- [?] bad\n")
    text = bad.read_bytes()
    answer = desk.type("import")
    assert answer.is_error
    assert "line 40: - [?] bad" in answer.text
    assert (desk.markdown, file.read_bytes()) == (before, text)


def test_the_event_loop_goes_on_while_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "TODO.md").write_bytes(b"".join(b"- [ ] %d\n" % number for number in range(2_000)))
    desk = Desk(cwd=tmp_path)
    beats: list[bool] = []

    async def beat(done: asyncio.Event) -> None:
        while not done.is_set():
            beats.append(done.is_set())
            await asyncio.sleep(0)

    async def go() -> None:
        done = asyncio.Event()
        other = asyncio.ensure_future(beat(done))
        await desk.pi.run_command("todo", "import")
        done.set()
        await other

    asyncio.run(go())

    assert beats
