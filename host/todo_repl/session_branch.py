"""The branch of a session, read from the leaf back, and no further than somebody looks.

A branch ends where a parent is not in the session, and before an entry that it passed already.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import overload

from todo_context.pi import Entry


class Way:
    """The way from a leaf to the root. It grows with the session, and all branches along it share it.

    `find` gives the entry of an id. What that raises comes through, and the next look tries again.
    """

    def __init__(self, find: Callable[[str], Entry | None], leaf_id: str | None) -> None:
        self._find = find
        self._next = leaf_id
        self._passed: set[str] = set()
        self._cut_at: str | None = None
        self.back: list[Entry] = []
        """What was read of it, from the leaf that it began with."""
        self.ahead: list[Entry] = []
        """What was stored since, the oldest first."""

    @property
    def cut_at(self) -> str | None:
        """The id of the first entry, if it names a parent and the way was found to end there all the same."""
        return self._cut_at

    def grow(self, entry: Entry) -> None:
        """Make the leaf an entry that was stored after the leaf."""
        self.ahead.append(entry)

    def branch(self) -> "Branch":
        """The branch up to the leaf of this moment."""
        return Branch(self, len(self.ahead))

    def reach(self, count: int | None) -> bool:
        """Read until `back` has so many entries, None: all of them; whether it has."""
        while count is None or len(self.back) < count:
            if not self._step():
                return count is None
        return True

    def _step(self) -> bool:
        if self._next is None:
            return False
        entry = None if self._next in self._passed else self._find(self._next)
        if entry is None:
            self._next = None
            self._cut_at = str(self.back[-1]["id"]) if self.back else None
            return False
        self._passed.add(self._next)
        self.back.append(entry)
        parent = entry.get("parentId")
        self._next = parent if isinstance(parent, str) else None
        if self._next is None and parent is not None:
            self._cut_at = str(entry["id"])
        return True


class Branch(Sequence[Entry]):
    """The entries from the root to a leaf, the root first. It stays as it is when the session grows.

    `reversed`, a negative index and `bool` read from the leaf back; all else reads the whole of it.
    """

    def __init__(self, way: Way, ahead: int) -> None:
        self._way = way
        self._ahead = ahead

    def __reversed__(self) -> Iterator[Entry]:
        for at in range(self._ahead - 1, -1, -1):
            yield self._way.ahead[at]
        at = 0
        while self._way.reach(at + 1):
            yield self._way.back[at]
            at += 1

    def __iter__(self) -> Iterator[Entry]:
        self._way.reach(None)
        yield from reversed(self._way.back)
        yield from islice(self._way.ahead, self._ahead)

    def __len__(self) -> int:
        self._way.reach(None)
        return len(self._way.back) + self._ahead

    def __bool__(self) -> bool:
        return self._ahead > 0 or self._way.reach(1)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | Sequence[Entry]:
        if isinstance(index, slice):
            return tuple(self)[index]
        from_leaf = len(self) - 1 - index if index >= 0 else -index - 1
        if 0 <= from_leaf < self._ahead:
            return self._way.ahead[self._ahead - 1 - from_leaf]
        if from_leaf < 0 or not self._way.reach(from_leaf - self._ahead + 1):
            raise IndexError(index)
        return self._way.back[from_leaf - self._ahead]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, (Branch, tuple)) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(str(entry["id"]) for entry in self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def since_compaction(branch: Sequence[Entry]) -> Sequence[Entry]:
    """The part of a branch that a request is made of: from the first entry that the newest compaction kept.

    The compaction stands in it where it stands on the branch. Without one, it is all of the branch; where what it
    kept is not on the branch, it begins with the compaction, as in pi.
    """
    found: list[Entry] = []
    kept: object = None
    at_compaction = 0
    for entry in reversed(branch):
        found.append(entry)
        if at_compaction:
            if entry.get("id") == kept:
                break
        elif entry.get("type") == "compaction":
            at_compaction, kept = len(found), entry.get("firstKeptEntryId")
            if not kept:
                break
    else:
        del found[at_compaction or len(found) :]
    return found[::-1]
