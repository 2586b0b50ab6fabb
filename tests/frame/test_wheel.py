"""The wheel holds the three packages, their licence and the manifest, and works on the base alone."""

import os
import subprocess
import sys
import venv
from email.parser import HeaderParser
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
WHEELS = ROOT / ".cache/wheels"
SOURCES = ("extension/todo_context", "commands/todo_command", "host/todo_repl")
METADATA = {
    "METADATA",
    "RECORD",
    "WHEEL",
    "entry_points.txt",
    "extra_metadata/manifest.json",
    "licenses/LICENSE",
}


def run(*command: str | Path, text: str = "", cwd: Path = ROOT) -> str:
    """Run a program to its end; what it printed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, input=text, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="hatchling is not installed; `make test` brings it")
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    return ZipFile(wheel).namelist()


def dist_info(names: list[str]) -> str:
    return next(name.partition("/")[0] for name in names if name.endswith("/METADATA"))


def test_it_holds_every_file_of_the_three_packages_and_no_other(names: list[str]) -> None:
    expected = {
        path.relative_to((ROOT / source).parent).as_posix()
        for source in SOURCES
        for path in (ROOT / source).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert {name for name in names if not name.startswith(dist_info(names))} == expected


def test_its_metadata_holds_the_manifest_and_the_licence(names: list[str]) -> None:
    folder = dist_info(names)

    assert {name.removeprefix(f"{folder}/") for name in names if name.startswith(folder)} == METADATA


def test_the_manifest_in_it_is_the_repositorys(wheel: Path, names: list[str]) -> None:
    carried = ZipFile(wheel).read(f"{dist_info(names)}/extra_metadata/manifest.json")

    assert carried == (ROOT / "manifest.json").read_bytes()


def test_types_travel_with_each_package(names: list[str]) -> None:
    assert {f"{Path(source).name}/py.typed" for source in SOURCES} <= set(names)


def test_models_are_an_extra(wheel: Path, names: list[str]) -> None:
    text = ZipFile(wheel).read(f"{dist_info(names)}/METADATA").decode()
    required = HeaderParser().parsestr(text).get_all("Requires-Dist") or []

    base = {str(line).split(">")[0].split("<")[0] for line in required if "extra ==" not in str(line)}

    assert base == {"markdown-it-py", "platformdirs", "prompt-toolkit", "pydantic", "rich", "wcwidth"}


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a new environment that holds the wheel and what it requires, nothing else."""
    if not (WHEELS / ".stamp").exists():
        pytest.skip("the packages to install are not there; `make test` puts them into .cache/wheels")
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=False, symlinks=True)
    programs = folder / "bin"
    offline = ("--no-index", "--find-links", WHEELS)
    run(sys.executable, "-m", "pip", "--python", programs / "python", "install", "-q", *offline, wheel, cwd=folder)
    return programs


def test_it_runs_without_the_extras(installed: Path, tmp_path: Path) -> None:
    assert "0.1.0" in run(installed / "todo-context", "--version", cwd=tmp_path)
    run(installed / "python", "-c", "import todo_context", cwd=tmp_path)


def test_the_command_works_on_the_base_alone(installed: Path, tmp_path: Path) -> None:
    typed = '/todo append Build "Wire config"\n/todo\n'

    assert "Wire config" in run(installed / "todo-context", "--no-session", text=typed, cwd=tmp_path)
