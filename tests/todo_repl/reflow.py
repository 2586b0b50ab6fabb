"""A screen that wraps long rows anew when it becomes narrower, and keeps the cursor on its text, as terminals do."""

from typing import Any

import pyte
from pyte.screens import StaticDefaultDict


class ReflowScreen(pyte.HistoryScreen):
    """pyte's own cuts rows off. Rows that were wrapped are not joined again when it becomes wider."""

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        lines, columns = lines or self.lines, columns or self.columns
        end = max([self.cursor.y, *(y for y in range(self.lines) if self._used(y))])
        rows: list[Any] = []
        cursor = 0
        for y in range(end + 1):
            if y == self.cursor.y:
                cursor = len(rows) + self.cursor.x // columns
            for part in range(max(1, -(-self._used(y) // columns))):
                row: Any = StaticDefaultDict(self.default_char)
                begin = part * columns
                cells = self.buffer[y].items()
                row.update({x - begin: cell for x, cell in cells if begin <= x < begin + columns})
                rows.append(row)
        gone = max(0, len(rows) - lines)
        self.history.top.extend(rows[:gone])
        self.buffer.clear()
        self.buffer.update(enumerate(rows[gone:]))
        self.lines, self.columns, self.margins = lines, columns, None
        self.cursor.y, self.cursor.x = max(0, cursor - gone), self.cursor.x % columns

    def _used(self, y: int) -> int:
        return max((x + 1 for x, cell in self.buffer[y].items() if cell.data.strip()), default=0)
