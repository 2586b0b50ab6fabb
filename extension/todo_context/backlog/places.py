"""Where a store may be, and which project a folder belongs to.

One rule for both, whatever way a folder is named: links are followed, and all worktrees of a repository are one
project. Nothing is started to find out; files are read.
"""

import re
from pathlib import Path

from todo_context.backlog.store import StoreError
from todo_context.backlog.trouble import of_os
from todo_context.paths import data_dir
from todo_context.plan.text import one_line

FILE_NAME = "backlog.db"

JSON = "json:"
"""How the place of a JSON file begins."""

NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "afs", "ceph", "glusterfs", "lustre", "gpfs"}
    | {"davfs", "webdav", "fuse.sshfs", "fuse.davfs2", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "macfuse"}
)
"""File systems of other machines: their locks do not hold what they promise."""

SYNCED = re.compile(
    r"(?i)(?:dropbox(?: \(.+\))?|onedrive(?: ?- ?.+)?|google ?drive|my drive|nextcloud|owncloud|icloud ?drive"
    r"|mobile documents|com~apple~clouddocs|pcloud ?drive|box sync|mega|megasync|syncthing|seafile|yandex\.disk)"
)
"""Names of folders that a program copies to other machines: two of them write, and one copy is lost."""

_MARKS = (".stfolder", ".dropbox", ".dropbox.cache", ".owncloudsync.log", ".seafile-data", ".sync")
"""What such programs leave in their folders."""

MOUNTS = Path("/proc/mounts")
_ESCAPE = re.compile(r"\\([0-7]{3})")


def default_place() -> Path:
    """Where the store is if nobody says otherwise.

    Raises:
        TodoContextError: this user has no home folder.
    """
    return data_dir() / FILE_NAME


def path_of(place: str) -> Path:
    """The file of a store, by the words of a setting; with links followed, so that by whatever way, its lock is one.

    Raises:
        StoreError: it is a path from wherever one happens to be: each folder would have a store of its own.
    """
    path = Path(place.removeprefix(JSON))
    try:
        path = path.expanduser()
        whole = path.resolve()
    except (RuntimeError, OSError) as error:
        # No such user, or links that lead to each other.
        step = "Name all of the path, from the root"
        raise StoreError("place", str(path), f"no such place ({error})", step) from error
    if not path.is_absolute():
        fact = "a path of the backlog begins at the root or at ~, else each folder has a backlog of its own"
        raise StoreError("place", str(path), fact, f"Name all of it, such as {path.absolute()}")
    return whole


def refuse_unfit(path: Path, mounts: Path = MOUNTS) -> None:
    """Say no to a place where a store would be lost.

    Raises:
        StoreError: it lies on a network file system, or in a folder that is synchronised; or it is no file.
    """
    try:
        _refuse_unfit(path, mounts)
    except OSError as error:
        raise of_os(error, path) from error


def _refuse_unfit(path: Path, mounts: Path) -> None:
    if path.exists() and not path.is_file():
        fact, folder = ("it is a folder", path) if path.is_dir() else ("it is a device or a pipe", path.parent)
        raise StoreError("place", str(path), fact, f"Name a file, such as {folder / FILE_NAME}")
    kind = _file_system(path, mounts)
    step = "Name a place on a disk of this machine, and share items by export and import"
    if kind in NETWORK:
        raise StoreError("place", str(path), f"it lies on a network file system ({kind})", step)
    for folder in path.parents:
        mark = next((mark for mark in _MARKS if (folder / mark).exists()), None)
        if SYNCED.fullmatch(folder.name) or mark:
            fact = f"{folder} is copied to other machines" + (f" (there is {mark} in it)" if mark else "")
            raise StoreError("place", str(path), fact, step)


def project_of(folder: Path) -> str:
    """The project of a folder: by its repository's remote, else the main worktree's name, else its own.

    One line; empty for the root of the disk.
    """
    folder = folder.resolve()
    for parent in (folder, *folder.parents):
        common = _git_folder(parent / ".git")
        if common is not None:
            main = common.parent.name if common.name == ".git" else common.name.removesuffix(".git")
            return one_line(_remote(common) or main)
    return one_line(folder.name)


def _git_folder(dot_git: Path) -> Path | None:
    """The folder that all worktrees of a repository share."""
    try:
        if dot_git.is_file():
            named = dot_git.read_text(encoding="utf-8", errors="replace").removeprefix("gitdir:").strip()
            dot_git = (dot_git.parent / named).resolve()
        if not (dot_git / "HEAD").exists():
            return None
        common = dot_git / "commondir"
        if common.is_file():
            return (dot_git / common.read_text(encoding="utf-8", errors="replace").strip()).resolve()
    except OSError:
        return None
    return dot_git


def _remote(common: Path) -> str:
    """The name of the repository at the remote: of origin, or the first there is."""
    try:
        lines = (common / "config").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    remotes: dict[str, str] = {}
    section = ""
    for line in map(str.strip, lines):
        if line.startswith("["):
            found = re.match(r'\[remote "(.*)"\]', line)
            section = found[1] if found else ""
        elif section and (found := re.match(r"url\s*=\s*(.+)", line)):
            remotes.setdefault(section, found[1].strip().strip('"'))
    url = remotes.get("origin") or next(iter(remotes.values()), "")
    return re.split(r"[/:\\]", url.rstrip("/\\"))[-1].removesuffix(".git")


def _file_system(path: Path, mounts: Path) -> str:
    """The kind of file system a path lies on; empty where nobody says."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    found: dict[Path, str] = {}
    for line in lines:
        fields = line.split(" ")
        if len(fields) > 2:  # noqa: PLR2004 (device, place, kind, …)
            place = _ESCAPE.sub(lambda code: chr(int(code[1], 8)), fields[1])
            found[Path(place)] = fields[2]
    return next((found[folder] for folder in (path, *path.parents) if folder in found), "")
