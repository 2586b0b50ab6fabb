import os
import socket
from pathlib import Path

import pytest

from tests.conftest import STOP_REMINDERS, is_loopback


def test_the_home_folder_is_the_tests_own(home: Path) -> None:
    assert Path.home() == home
    assert list(home.iterdir()) == []


def test_settings_from_outside_are_gone() -> None:
    left = [name for name in os.environ if name.startswith("TODO_CONTEXT_") or name.endswith("_API_KEY")]

    assert left == [STOP_REMINDERS]


def test_a_connection_to_elsewhere_fails_the_test() -> None:
    with socket.socket() as sock, pytest.raises(pytest.fail.Exception, match="reached out"):
        sock.connect(("192.0.2.1", 80))


def test_asking_for_the_address_of_elsewhere_fails_the_test() -> None:
    with pytest.raises(pytest.fail.Exception, match="reached out"):
        socket.getaddrinfo("example.org", 443)


@pytest.mark.parametrize("host", ["2001:db8::1", "10.0.0.1", "example.org", b"example.org", 7])
def test_elsewhere(host: object) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", b"localhost", "", None])
def test_loopback(host: object) -> None:
    assert is_loopback(host)
