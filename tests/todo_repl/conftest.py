"""What several tests of sessions count."""

import os

import pytest


@pytest.fixture
def bytes_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How much each reading of a session file gave. All of them go through os.pread."""
    counted: list[int] = []
    read = os.pread

    def pread(fd: int, length: int, offset: int) -> bytes:
        content = read(fd, length, offset)
        counted.append(len(content))
        return content

    monkeypatch.setattr(os, "pread", pread)
    return counted
