"""A store of each kind for the tests that hold both to one contract."""

from pathlib import Path

import pytest

from tests.todo_context.backlog.kit import KINDS, Kit
from todo_context.backlog.store import Store


@pytest.fixture(params=KINDS)
def kit(request: pytest.FixtureRequest, tmp_path: Path) -> Kit:
    """A place for a store, nothing in it yet."""
    return Kit(str(request.param), tmp_path / "backlog")


@pytest.fixture
def store(kit: Kit) -> Store:
    """A store there."""
    return kit.open()
