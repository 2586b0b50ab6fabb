"""A person who is asked nothing: each question fails the test. What is shown to them, the test says."""

from collections.abc import Sequence

from todo_context.pi import LeftOver
from todo_context.plan.problem import LineProblem


class Unasked:
    """The questions of `todo_context.pi.Ui`."""

    async def editor(
        self, title: str, text: str, problems: Sequence[LineProblem] = (), *, opened: str | None = None
    ) -> str | None:
        raise AssertionError((title, text, problems, opened))

    def edit_settled(self) -> None:
        raise AssertionError

    async def left_over(self) -> LeftOver | None:
        raise AssertionError

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        raise AssertionError((title, options))

    async def confirm(self, title: str, message: str) -> bool:
        raise AssertionError((title, message))

    async def input(self, title: str, placeholder: str = "") -> str | None:
        raise AssertionError((title, placeholder))

    def copy(self, text: str) -> bool:
        raise AssertionError(text)
