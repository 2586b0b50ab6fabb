"""The two rules of caching, on requests that are counted by hand."""

from collections.abc import Callable, Iterator, Sequence

import pytest

from bench.cache_rules import LOOKBACK, Block, Cost, automatic, explicit


def request(written: str) -> list[Block]:
    """Blocks of ten tokens each, one a word; a word that ends in "*" has a mark."""
    return [Block(word.rstrip("*"), 10, word.endswith("*")) for word in written.split()]


def run(rule: Callable[[Sequence[Sequence[Block]]], Iterator[Cost]], *written: str) -> list[Cost]:
    return [*rule([request(each) for each in written])]


@pytest.mark.parametrize(
    ("written", "costs"),
    [
        pytest.param(["a b"], [Cost(plain=20)], id="at first nothing is there"),
        pytest.param(["a b", "a b c"], [Cost(plain=20), Cost(read=20, plain=10)], id="what was sent is read"),
        pytest.param(["a b r", "a b c r"], [Cost(plain=30), Cost(read=20, plain=20)], id="a tail that moves is not"),
        pytest.param(["a x b", "a y b"], [Cost(plain=30), Cost(read=10, plain=20)], id="behind a change all is anew"),
        pytest.param(
            ["a b", "x", "a b"], [Cost(plain=20), Cost(plain=10), Cost(plain=20)], id="only the one before counts"
        ),
        pytest.param(["a b", "a"], [Cost(plain=20), Cost(read=10)], id="a shorter one"),
    ],
)
def test_automatic(written: Sequence[str], costs: Sequence[Cost]) -> None:
    assert run(automatic, *written) == costs


@pytest.mark.parametrize(
    ("written", "costs"),
    [
        pytest.param(["a b"], [Cost(plain=20)], id="without a mark nothing is kept"),
        pytest.param(["a b* r"], [Cost(written=20, plain=10)], id="written up to the mark, plain behind it"),
        pytest.param(["a* b*", "a* b*"], [Cost(written=20), Cost(read=20)], id="the longest entry is read"),
        pytest.param(
            ["a* r", "a b c* r"], [Cost(written=10, plain=10), Cost(read=10, written=20, plain=10)], id="it goes on"
        ),
        pytest.param(
            ["a r*", "a b r*", "a b c r*"],
            [Cost(written=20), Cost(written=30), Cost(written=40)],
            id="a mark on what changes has all written each time",
        ),
        pytest.param(["a b c*", "a b d*"], [Cost(written=30), Cost(written=30)], id="no entry within an entry"),
        pytest.param(["a b", "a b c*"], [Cost(plain=20), Cost(written=30)], id="what had no mark was not kept"),
        pytest.param(["a b*", "a b c"], [Cost(written=20), Cost(plain=30)], id="nothing is found without a mark"),
        pytest.param(
            ["a*", "x*", "a b*"], [Cost(written=10), Cost(written=10), Cost(read=10, written=10)], id="not only before"
        ),
        pytest.param(["a b*", "x b*"], [Cost(written=20), Cost(written=20)], id="the same block behind another"),
    ],
)
def test_explicit(written: Sequence[str], costs: Sequence[Cost]) -> None:
    assert run(explicit, *written) == costs


@pytest.mark.parametrize(
    ("between", "found"), [pytest.param(LOOKBACK - 2, True, id="near"), pytest.param(LOOKBACK - 1, False, id="too far")]
)
def test_an_entry_is_looked_for_at_so_many_places_from_a_mark(between: int, found: bool) -> None:
    """The mark's own place is the first: 18 blocks between the marks are 20 places."""
    _, cost = run(explicit, "a*", f"a {'x ' * between} b*")

    assert (cost.read, cost.written) == ((10, 10 * between + 10) if found else (0, 10 * between + 20))


def test_a_second_mark_bridges_what_is_too_far() -> None:
    _, cost = run(explicit, "a*", f"a* {'x ' * 40} b*")

    assert cost == Cost(read=10, written=410)


def test_the_prices() -> None:
    assert Cost(read=100, written=100, plain=100).equivalents == pytest.approx(10 + 125 + 100)
    assert Cost(1, 2, 3) + Cost(10, 20, 30) == Cost(11, 22, 33)
