import os
import subprocess
from pathlib import Path

import pytest

from todo_context.backlog.here import Here
from todo_context.backlog.opening import open_store
from todo_context.backlog.places import default_place, project_of, refuse_unfit
from todo_context.backlog.store import StoreError
from todo_context.settings import BacklogSettings


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "my repo"
    folder.mkdir()
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "one")
    return folder


def test_the_default_is_in_our_folder(home: Path) -> None:
    assert default_place() == home / "data" / "todo-context" / "backlog.db"


def test_d04_a_repository_is_one_project_by_every_way_into_it(repository: Path, tmp_path: Path) -> None:
    tree = tmp_path / "elsewhere"
    git(repository, "worktree", "add", str(tree), "-b", "topic")
    (repository / "deep" / "er").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(repository)

    ways = [repository, tree, link, repository / "deep" / "er", link / "deep"]

    assert {project_of(way) for way in ways} == {"my repo"}
    git(repository, "checkout", "-b", "other")
    assert {project_of(way) for way in ways} == {"my repo"}


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.com/team/core.git", "core"),
        ("git@example.com:team/core.git", "core"),
        ("ssh://git@example.com:22/team/core/", "core"),
        ("/srv/git/core.git", "core"),
        (r"C:\git\core", "core"),
    ],
)
def test_d04_a_project_is_named_by_its_remote(repository: Path, url: str, name: str) -> None:
    git(repository, "remote", "add", "fork", "https://example.com/me/mine.git")
    assert project_of(repository) == "mine"

    git(repository, "config", "remote.origin.url", url)

    assert project_of(repository) == name


def test_a_folder_without_a_repository_has_its_own_name(tmp_path: Path) -> None:
    folder = tmp_path / "notes\x1b[31m"
    folder.mkdir()
    (folder / ".git").write_text("gitdir: nowhere\n")

    assert project_of(folder) == "notes"
    assert project_of(Path("/")) == ""


@pytest.mark.parametrize(
    ("path", "fact"),
    [
        ("/home/ann/Dropbox/x/backlog.db", "/home/ann/Dropbox is copied to other machines"),
        ("/home/ann/OneDrive - Team/backlog.db", "is copied to other machines"),
        ("/Users/ann/Library/Mobile Documents/backlog.db", "is copied to other machines"),
        ("/mnt/team/deep/backlog.db", "it lies on a network file system (nfs4)"),
        ("/mnt/team disk/backlog.db", "it lies on a network file system (cifs)"),
        ("/mnt/team/local/backlog.db", ""),
        ("/mnt/teams/backlog.db", ""),
        ("/home/ann/dropboxes/backlog.db", ""),
    ],
)
def test_a_place_that_other_machines_share_is_refused(tmp_path: Path, path: str, fact: str) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "disk / ext4 rw 0 0\nserver:/t /mnt/team nfs4 rw 0 0\ndisk2 /mnt/team/local ext4 rw 0 0\n"
        "//server/t /mnt/team\\040disk cifs rw 0 0\nodd\n"
    )

    if not fact:
        refuse_unfit(Path(path), mounts)
        return
    with pytest.raises(StoreError) as caught:
        refuse_unfit(Path(path), mounts)
    assert caught.value.trouble == "place"
    assert fact in str(caught.value)


def test_a_folder_with_the_mark_of_such_a_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".stfolder").mkdir()

    for place in (f"{tmp_path}/a/backlog.db", f"json:{tmp_path}/a/todo.json"):
        with pytest.raises(StoreError, match=r"there is \.stfolder in it"):
            open_store(place)


def test_what_is_no_file_is_refused_untouched(tmp_path: Path) -> None:
    folder, pipe = tmp_path / "folder", tmp_path / "pipe"
    folder.mkdir()
    os.mkfifo(pipe)

    for place, fact in ((folder, "it is a folder"), (pipe, "it is a device or a pipe"), ("/dev/null", "it is a dev")):
        for kind in ("", "json:"):
            with pytest.raises(StoreError, match=f"{fact}.*Name a file, such as "):
                open_store(f"{kind}{place}")
    assert sorted(tmp_path.iterdir()) == [folder, pipe]


def test_a_path_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)

    for place in (f"{loop}/backlog.db", f"json:{loop}", "~no-such-user-of-this-machine/backlog.db"):
        with pytest.raises(StoreError, match=r"no such place .* Name all of the path"):
            open_store(place)


def test_where_nobody_says_what_is_mounted_nothing_is_refused(tmp_path: Path) -> None:
    refuse_unfit(tmp_path / "backlog.db", tmp_path / "no such file")


@pytest.mark.parametrize("place", ["b.db", "json:todo.json", "./x/b.db"])
def test_a_path_from_wherever_one_is_would_be_a_store_for_each_folder(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(StoreError) as error:
        open_store(place)

    assert "else each folder has a backlog of its own" in str(error.value)
    assert str(tmp_path / place.removeprefix("json:")) in error.value.step
    assert list(tmp_path.iterdir()) == []
    (tmp_path / place.removeprefix("json:")).parent.mkdir(exist_ok=True)
    (tmp_path / place.removeprefix("json:")).touch()
    assert not Here(BacklogSettings(store=place)).is_there
