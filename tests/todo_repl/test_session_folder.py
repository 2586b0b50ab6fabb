"""Where sessions are, and which one is the newest."""

import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from todo_repl.session import Session, new_session_path, newest_session, session_folder

CWD = "/home/user/project"
SAMPLES = Path(__file__).parent / "samples"


def session_at(root: Path, name: str, *, mtime_s: int) -> Path:
    path = session_folder(CWD, root=root) / name
    with Session.create(path, CWD) as session:
        session.append_custom("t", {})
    os.utime(path, (mtime_s, mtime_s))
    return path


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/home/u/p", "--home-u-p--"),
        ("/", "----"),
        ("//srv/x", "---srv-x--"),
        ("/a:b/c\\d", "--a-b-c-d--"),
        ("C:\\Users\\u", "--C--Users-u--"),
        ("/home/u/größe x", "--home-u-größe x--"),
    ],
)
def test_a_folder_is_named_as_pi_names_it(cwd: str, name: str) -> None:
    assert session_folder(cwd, root=Path("/data")) == Path("/data") / name


def test_a_session_is_named_by_its_time_and_its_id() -> None:
    path = new_session_path(
        CWD, root=Path("/data"), now=lambda: datetime(2026, 11, 30, 14, 38, 14, 480_999, tzinfo=UTC)
    )

    assert path.parent == Path("/data/--home-user-project--")
    assert re.fullmatch(r"2026-11-30T14-38-14-480Z_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl", path.name)
    assert Session.create(path, CWD).id == path.stem.partition("_")[2]


def test_the_newest_is_the_one_written_last_whatever_its_name(tmp_path: Path) -> None:
    session_at(tmp_path, "c.jsonl", mtime_s=100)
    newest = session_at(tmp_path, "a.jsonl", mtime_s=300)
    session_at(tmp_path, "b.jsonl", mtime_s=200)

    assert newest_session(CWD, root=tmp_path) == newest


def test_what_is_no_session_of_ours_is_passed_over(tmp_path: Path) -> None:
    ours = session_at(tmp_path, "ours.jsonl", mtime_s=100)
    session_at(tmp_path, "other_ending.txt", mtime_s=200)
    session_at(tmp_path, "s.jsonl.torn", mtime_s=200)
    for sample in SAMPLES.glob("*.jsonl"):
        (ours.parent / sample.name).write_bytes(sample.read_bytes())
    (ours.parent / "empty.jsonl").touch()
    (ours.parent / "notes.jsonl").write_bytes(b"notes\xff\n")
    (ours.parent / "folder.jsonl").mkdir()
    (ours.parent / "gone.jsonl").symlink_to("nowhere")
    os.mkfifo(ours.parent / "pipe.jsonl")

    assert newest_session(CWD, root=tmp_path) == ours


def test_without_a_session_of_ours_there_is_no_newest(tmp_path: Path) -> None:
    assert newest_session(CWD, root=tmp_path) is None

    session_at(tmp_path, "ours.jsonl", mtime_s=100)
    assert newest_session("/home/user", root=tmp_path) is None


def test_a_folder_of_a_deep_place_has_a_name_that_a_disk_takes(tmp_path: Path) -> None:
    deep = "/" + "/".join(["a long folder's n\u00e4me"] * 40)
    names = {session_folder(cwd, root=tmp_path).name for cwd in (deep, f"/x{deep}")}

    assert len(names) == 2
    assert all(len(name.encode()) < 255 for name in names)
    session_folder(deep, root=tmp_path).mkdir()
