"""The script that every host plays, in our own."""

from pathlib import Path

import pytest

from tests.e2e.ours import OursDriver
from tests.e2e.same_script import play

pytestmark = pytest.mark.e2e


def test_the_plan_in_the_file_is_the_one_of_the_script_after_each_step(tmp_path: Path) -> None:
    requests = play(lambda server: OursDriver(server, tmp_path))

    assert len(requests) == 10
