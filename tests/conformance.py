"""What an answer to a vector must be: the real OMP's, or ours where it differs on purpose.

A line binds `ours` if it has that, else `expected`; what binds is by kind, below. `answers` are those of
`todo_context.conform`, or of any other implementation in the same form.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tests.plans import loaded, phases
from todo_context.plan.markdown import from_markdown

ONLY_WHEN_COMMITTED = frozenset({"copy", "edit", "export", "import"})
"""Verbs of OMP that touch files, an editor or the clipboard: only the plan binds, and only when it was committed."""

ALONE_IS_EVERYTHING = frozenset({"done", "drop", "rm"})


def is_right(vector: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """Whether an answer to a vector is what it must be."""
    return "actual" in answer and answer["id"] == vector["id"] and _RULES[vector["kind"]](vector, answer["actual"])


def tally(vectors: Iterable[Mapping[str, Any]], right: Iterable[bool]) -> str:
    """A table: how many lines of each kind, and of each difference on purpose, are right."""
    good, all_of = Counter[str](), Counter[str]()
    for vector, is_good in zip(vectors, right, strict=True):
        for row in (f"{vector['contract']} {vector['kind']}", *vector.get("differs", ())):
            all_of[row] += 1
            good[row] += is_good
    return "\n".join(f"{row:<24}{good[row]:>6} of {all_of[row]:>5}" for row in sorted(all_of, key=_order))


def _order(row: str) -> tuple[bool, bool, int, str]:
    number = row.removeprefix("D")
    return " " not in row, not number.isdigit(), int(number) if number.isdigit() else 0, row


def _ops(vector: Mapping[str, Any], actual: Mapping[str, Any]) -> bool:
    want = vector.get("ours", vector["expected"])
    if want is None:
        return True  # OMP refuses the shape; to answer is all that is asked
    if want.get("throws"):
        want = {"phases": phases(loaded(vector["input"]["phases"])), "problems": 1}
    return bool(actual["phases"] == want["phases"]) and _problems(want, actual["problems"])


def _problems(want: Mapping[str, Any], problems: int | list[int]) -> bool:
    if "results" in want:  # one operation a call, which has an error or has none
        return isinstance(problems, list) and [n > 0 for n in problems] == [r["is_error"] for r in want["results"]]
    claimed = want.get("problems", want.get("errors_count"))
    if isinstance(claimed, list) and isinstance(problems, list):
        return all(claim in (None, n) for claim, n in zip(claimed, problems, strict=True))
    return claimed in (None, problems)


def _markdown_parse(vector: Mapping[str, Any], actual: Mapping[str, Any]) -> bool:
    expected = vector["expected"]
    if "<!--=" in vector["input"]["markdown"]:
        return True  # our reserved form, which OMP does not know
    if expected["errors_count"] and "ours" not in vector:
        return set(actual["lines"]) <= set(expected["error_lines"])
    want = vector.get("ours", expected)
    return bool(actual["phases"] == want["phases"]) and _problems(want, actual["problems"])


def _markdown_render(vector: Mapping[str, Any], actual: Mapping[str, Any]) -> bool:
    if vector["omp_roundtrip_lossless"] and vector["input"]["phases"]:
        return bool(actual["markdown"] == vector["expected"]["markdown"])
    return from_markdown(actual["markdown"]).plan == loaded(vector["input"]["phases"])


def _replay(vector: Mapping[str, Any], actual: Mapping[str, Any]) -> bool:
    want = vector.get("ours", vector["expected"])
    return bool(actual["phases"] == ([] if want.get("throws") else want["phases"]))


def _command(vector: Mapping[str, Any], actual: Mapping[str, Any]) -> bool:
    want = vector.get("ours", vector["expected"])
    if vector["input"]["args"].strip().partition(" ")[0].lower() in ONLY_WHEN_COMMITTED and not want["committed"]:
        return True
    return bool((actual["phases"], actual["committed"]) == (want["phases"], want["committed"]))


def _validate(vector: Mapping[str, Any], actual: Mapping[str, Any]) -> bool:
    return bool(actual["ok"]) or not vector["expected"]["ok"] or _names_nothing(vector["input"]["args"])


def _names_nothing(arguments: Any) -> bool:
    """Whether a done, drop or rm has keys besides `op` and yet no target: D5 refuses it."""
    return any(
        isinstance(op, dict)
        and op.get("op") in ALONE_IS_EVERYTHING
        and set(op) > {"op"}
        and all(op.get(key) in (None, "", "null") for key in ("task", "phase"))
        for op in arguments["ops"]
    )


_RULES = {
    "ops": _ops,
    "markdown_parse": _markdown_parse,
    "markdown_render": _markdown_render,
    "replay": _replay,
    "command": _command,
    "validate": _validate,
}
