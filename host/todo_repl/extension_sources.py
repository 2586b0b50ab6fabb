"""Where extensions come from: installed packages, the folder of the person's own, and what a start names.

Each is read anew whenever it is loaded; only the code of an installed package stays as it was imported. A
manifest lies beside the code: `guard.json` beside `guard.py`, `manifest.json` in the folder of a package.
"""

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType

from todo_context.errors import TodoContextError
from todo_context.paths import config_dir
from todo_repl.bugs import bug_line
from todo_repl.loader import Loadable, Source, activate_function, function_in
from todo_repl.manifest import ExtensionError, Manifest, Undeclared, parse_manifest

GROUP = "todo_context.extensions"
"""The group of entry points in which an installed package names its extensions: name = "module:activate"."""

FOLDER = "extensions"
"""The folder of the person's own extensions, in the config folder."""

ACTIVATE = "activate"


def found(named: Sequence[str], *, only_named: bool) -> Iterator[Source]:
    """All others, in the order they are loaded: installed, in the folder by name, named at the start.

    A file that comes twice is given once.
    """
    if not only_named:
        for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
            yield partial(_installed, point)
    seen = set[str]()
    for name in [*([] if only_named else _in_folder()), *named]:
        if not _is_file(name):
            yield partial(_module, name, f"{name}:{ACTIVATE}")
        elif os.path.realpath(name) not in seen:
            seen.add(os.path.realpath(name))
            yield partial(_file, name)


def _is_file(name: str) -> bool:
    return name.endswith(".py") or "/" in name or os.sep in name


def _in_folder() -> Sequence[str]:
    try:
        folder = config_dir() / FOLDER
        return sorted(str(path) for path in folder.glob("*.py") if not path.name.startswith("."))
    except (TodoContextError, OSError):
        return []  # Without a home there is no folder, and one that cannot be looked into holds nothing for us.


def _installed(point: EntryPoint) -> Loadable:
    return _module(point.name, f"{point.module}:{point.attr or ACTIVATE}")


def _module(name: str, entrypoint: str) -> Loadable:
    try:
        activate = activate_function(name, entrypoint)
    except ExtensionError:
        raise
    except (Exception, SystemExit) as error:
        raise ExtensionError(name, "cannot be loaded:", bug_line(entrypoint, error)) from error
    file = sys.modules[entrypoint.partition(":")[0]].__file__
    return Loadable(_manifest(Path(file), name) if file else Undeclared(name), activate, entrypoint)


def _file(name: str) -> Loadable:
    path = Path(os.path.abspath(os.path.expanduser(name)))  # noqa: PTH100, PTH111 (no error without a home)
    manifest = _manifest(path, path.stem)
    function = manifest.entrypoint.partition(":")[2] if isinstance(manifest, Manifest) else ACTIVATE
    return Loadable(manifest, function_in(_run(path, name), function, name), name)


def _manifest(code: Path, name: str) -> Manifest | Undeclared:
    path = code.with_name("manifest.json") if code.stem == "__init__" else code.with_suffix(".json")
    try:
        return parse_manifest(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        return Undeclared(name)
    except (OSError, UnicodeDecodeError) as error:
        raise ExtensionError(str(path), f"cannot be read: {error}.", "Correct it, or take it away.") from error


class _Fresh(SourceFileLoader):
    """Reads the source each time: the cache of compiled files does not see two changes within a second."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile what the file holds now."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _run(path: Path, shown: str) -> ModuleType:
    name = f"extension {path}"
    spec = spec_from_loader(name, _Fresh(name, str(path)))
    assert spec is not None  # noqa: S101 (it is None only for a loader that cannot tell)
    assert spec.loader is not None  # noqa: S101 (likewise)
    module = module_from_spec(spec)
    # What asks for the module of a class, such as dataclasses, finds it here.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except OSError as error:
        if error.filename != str(path):
            raise _raised(path, shown, error) from error
        raise ExtensionError(
            shown, f"cannot be read: {error.strerror}.", "Look at the path, or leave it out."
        ) from error
    except SyntaxError as error:
        if error.filename != str(path):
            raise _raised(path, shown, error) from error
        raise ExtensionError(
            shown, f"line {error.lineno} is no Python: {error.msg}.", "Correct it, then /reload."
        ) from error
    except (Exception, SystemExit) as error:
        raise _raised(path, shown, error) from error
    return module


def _raised(path: Path, shown: str, error: BaseException) -> ExtensionError:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return ExtensionError(shown, "cannot be loaded:", bug_line(f"line {lines[-1]}" if lines else "import", error))
