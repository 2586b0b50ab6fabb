"""What holds for every test: a home of its own, no settings from outside, no network but loopback."""

import itertools
import os
import signal
import sys
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

FROM_OUTSIDE = ("TODO_CONTEXT_", "XDG_", "OPENAI_", "ANTHROPIC_", "GOOGLE_", "GEMINI_", "CLICOLOR", "LC_")
"""Beginnings of the names of variables that would make a test depend on who runs it."""

NAMED_OUTSIDE = frozenset(
    {"COLORTERM", "COLUMNS", "EDITOR", "FORCE_COLOR", "LINES", "NO_COLOR", "TZ", "VISUAL"}
    | {"ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"}
    # Unbuffered output, for one, hides what fails when a program writes its last words.
    | {"PYTHONDEVMODE", "PYTHONIOENCODING", "PYTHONUNBUFFERED", "PYTHONUTF8", "PYTHONWARNINGS"}
)

STOP_REMINDERS = "TODO_CONTEXT_ATTENTION_STOP_REMINDERS"
"""Off, or a scripted model that says its last word would be asked for more. What is about them takes it away."""

# No time limits: a loaded machine is no failure. A red run in CI must be red again when repeated.
settings.register_profile(
    "tests", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("tests")


def is_loopback(host: object) -> bool:
    """Whether a host, by name or number, is this machine. None and "" mean: any address of it."""
    if isinstance(host, bytes):
        host = host.decode(errors="replace")
    if host is None or host in {"", "localhost"}:
        return True
    try:
        return isinstance(host, str) and ip_address(host).is_loopback
    except ValueError:
        return False


def _refuse_network(event: str, args: tuple[object, ...]) -> None:
    if event == "socket.connect":
        address = args[1]  # a path for a Unix socket
        host = address[0] if isinstance(address, tuple) else None
    elif event == "socket.getaddrinfo":
        host = args[0]
    else:
        return
    # pytest.fail raises no Exception, so no code under test can take it for a network error and go on.
    if not is_loopback(host):
        pytest.fail(f"A test reached out to {host!r}. Only loopback is allowed.")


sys.addaudithook(_refuse_network)

# A shell that runs tests in the background starts them with SIGINT ignored, and so would every program under test.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One new folder after the other. Not under tmp_path, which a test may want to find empty."""
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of this test, and nothing of the person's who runs it."""
    folder = next(homes)
    folder.mkdir()
    for name in os.environ:
        upper = name.upper()
        if upper.startswith(FROM_OUTSIDE) or upper in NAMED_OUTSIDE or upper.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setenv(STOP_REMINDERS, "0")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LANG", "C.UTF-8")
    return folder
