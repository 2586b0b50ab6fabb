"""The script that chooses a Python: it tries each one, and says in one line what is missing."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools/make-venv.sh"

PRESENT_BUT_EMPTY = "echo 'pyenv: command not found' >&2; exit 127"
TOO_OLD = "exit 1"
WORKS = f'exec {sys.executable} "$@"'
WITHOUT_VENV = f'case "$2" in *ensurepip*) exit 1;; esac; {WORKS}'
MAKES_VENV = f'case "$2" in venv) mkdir "$3"; echo "$0" >"$3/made-by"; exit;; esac; {WORKS}'


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder of stand-ins for the Pythons of a machine, the only ones that the script can find."""
    folder = tmp_path / "programs"
    folder.mkdir()
    return folder


def put(programs: Path, name: str, body: str) -> str:
    program = programs / name
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return str(program)


def make_venv(programs: Path, *wanted: str) -> subprocess.CompletedProcess[str]:
    # The stand-ins come first, and every name that the script knows has one.
    for name in ("python3.14", "python3.13", "python3.12", "python3.11", "python3"):
        if not (programs / name).exists():
            put(programs, name, PRESENT_BUT_EMPTY)
    return subprocess.run(
        ["/bin/sh", SCRIPT, programs.parent / "venv", *wanted],
        env={"PATH": f"{programs}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def made_by(programs: Path) -> str:
    return (programs.parent / "venv/made-by").read_text().strip()


def test_a_python_that_is_there_but_does_not_run_is_passed_over(programs: Path) -> None:
    put(programs, "python3.13", PRESENT_BUT_EMPTY)
    put(programs, "python3.12", TOO_OLD)
    good = put(programs, "python3.11", MAKES_VENV)

    done = make_venv(programs)

    assert (done.returncode, done.stderr) == (0, "")
    assert made_by(programs) == good


def test_one_with_venv_is_preferred_to_an_earlier_one_without(programs: Path) -> None:
    put(programs, "python3.13", WITHOUT_VENV)
    good = put(programs, "python3.11", MAKES_VENV)

    make_venv(programs)

    assert made_by(programs) == good


def test_a_named_python_is_the_only_one_tried(programs: Path) -> None:
    put(programs, "python3.13", MAKES_VENV)

    done = make_venv(programs, "python3.12")

    assert done.returncode == 1
    assert "among: python3.12." in done.stderr


def test_without_venv_one_line_names_the_package(programs: Path) -> None:
    put(programs, "python3", WITHOUT_VENV)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"

    done = make_venv(programs)

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"apt install python{version}-venv" in done.stderr


def test_without_any_python_one_line_says_so(programs: Path) -> None:
    done = make_venv(programs)

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "Python 3.11 or later" in done.stderr
