"""The error an operator reads: something in the world is not as it must be.

`str(error)` is one line that names the place, the fact with the value seen, and one step that works.
What a model or a person sends wrong is no error but a value (`plan/problem.py`).
"""


class TodoContextError(Exception):
    """A known error. A program of ours that meets one prints its line and leaves with exit code 1."""
