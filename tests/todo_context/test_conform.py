"""`python -m todo_context.conform`, as a process of its own, over every vector: `tests/vectors/`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import is_right, tally
from tests.plans import vectors

CONTRACTS = {
    "omp14_command": 577,
    "omp14_markdown_parse": 1459,
    "omp14_markdown_render": 227,
    "omp14_ops": 2183,
    "omp14_replay": 132,
    "omp14_validate": 22,
    "omp18_command": 97,
    "omp18_markdown_parse": 293,
    "omp18_markdown_render": 90,
    "omp18_ops": 400,
    "omp18_replay": 5,
}
"""The files, and how many lines each has."""


def conform(*lines: str | bytes, arguments: tuple[str, ...] = ()) -> tuple[int, list[Any], str]:
    """Run it over lines: the exit code, its answers, and what it said on the side."""
    sent = b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
    done = subprocess.run(
        [sys.executable, "-m", "todo_context.conform", *arguments],
        input=sent,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    return done.returncode, [json.loads(line) for line in done.stdout.split(b"\n")[:-1]], done.stderr.decode()


def actual(kind: str, **given: Any) -> Any:
    """What it makes of one input."""
    code, (answer,), said = conform(json.dumps({"id": 1, "kind": kind, "input": given}))
    assert (code, said) == (0, "")
    return answer["actual"]


def test_every_vector_is_answered_as_it_must_be() -> None:
    lines = [vector for name in CONTRACTS for vector in vectors(name)]

    code, answers, said = conform(*map(json.dumps, lines))

    right = [is_right(vector, answer) for vector, answer in zip(lines, answers, strict=True)]
    print(tally(lines, right))
    assert [vector["id"] for vector, is_good in zip(lines, right, strict=True) if not is_good][:20] == []
    assert (code, said, len(lines)) == (0, "", 5485)


@pytest.mark.parametrize("name", CONTRACTS)
def test_no_file_of_vectors_has_lost_a_line(name: str) -> None:
    assert len(list(vectors(name))) == CONTRACTS[name]


def test_the_answers_have_the_keys_of_their_kind() -> None:
    phases = [{"name": "A", "tasks": [{"content": "x", "status": "blocked", "blocker": "r", "id": "7"}]}]
    read = [{"name": "A", "tasks": [{"content": "x", "status": "blocked", "blocker": "r"}]}]

    assert actual("ops", phases=phases, ops=[{"op": "done", "task": "y"}]) == {"phases": read, "problems": 1}
    assert actual("ops", phases=phases, calls=[{"op": "view"}, {}]) == {"phases": read, "problems": [0, 1]}
    assert actual("markdown_parse", markdown="# A\n- [!] x <!-- blocker: r -->\nwhat\n") == {
        "phases": read,
        "problems": 1,
        "lines": [3],
    }
    assert actual("markdown_render", phases=phases) == {"markdown": "# A\n- [!] x <!-- blocker: r -->\n"}
    assert actual("replay", entries=[]) == {"phases": []}
    assert actual("command", phases=phases, args="unblock x") == {
        "phases": [{"name": "A", "tasks": [{"content": "x", "status": "in_progress"}]}],
        "committed": True,
    }
    assert actual("validate", args={"ops": [{"op": "note", "task": "x", "text": ""}]}) == {"ok": True}


@pytest.mark.parametrize(
    ("args", "ok"),
    [
        pytest.param({"ops": [{"op": "start"}]}, True, id="what is lacking is not asked"),
        pytest.param({"ops": [{"op": "append", "phase": " ", "items": [""]}]}, True, id="nor what is blank"),
        pytest.param({"ops": [{"op": "done", "task": "nix"}], "todos": 5}, True, id="nor what stands beside it"),
        pytest.param({"ops": [{"op": "done", "task": ""}]}, False, id="D5 nothing is named"),
        pytest.param({"ops": [{"op": "done", "task": 5}]}, False, id="a number for a name"),
        pytest.param({"ops": [{"op": "init", "list": [{"phase": "A"}]}]}, False, id="an entry without items"),
        pytest.param({"ops": [{"task": "x"}]}, False, id="no operation"),
        pytest.param({"todos": []}, False, id="an empty list"),
        pytest.param(5, False, id="a number"),
    ],
)
def test_the_verdict_is_on_the_shape(args: Any, ok: bool) -> None:
    assert actual("validate", args=args) == {"ok": ok}


def test_which_contract_a_line_is_from_changes_nothing() -> None:
    entry = {"type": "message", "message": {"role": "toolResult", "toolName": "todo", "details": {"phases": []}}}
    lines = [json.dumps({"id": c, "kind": "replay", "contract": c, "input": {"entries": [entry]}}) for c in ("a", "b")]

    _, answers, _ = conform(*lines)

    assert [answer["actual"] for answer in answers] == [{"phases": []}, {"phases": []}]


LEAVING = ("export /tmp/evil.md", "export ../evil.md", 'import "/etc/passwd"', "export ~/x", "EXPORT a/../../b")


def _deep(name: str) -> str:
    tasks = f'[{{"content":"x","foo":{"[" * 970}{"]" * 970}}}]'
    return f'{{"id":"{name}","kind":"command","input":{{"args":"append x","phases":[{{"name":"a","tasks":{tasks}}}]}}}}'


def test_a_line_that_cannot_be_used_is_told_and_the_next_is_answered() -> None:
    good = json.dumps({"id": "good", "kind": "markdown_render", "input": {"phases": []}})
    bad: list[str | bytes] = [
        "{",
        "[]",
        b'{"id": "\xff"}',
        "[" * 100_000,
        json.dumps({"id": "kind", "kind": "nix", "input": {}}),
        json.dumps({"id": "no kind"}),
        json.dumps({"id": "no input", "kind": "ops"}),
        json.dumps({"id": "no list", "kind": "replay", "input": {"entries": 5}}),
        json.dumps({"id": "outside", "kind": "command", "input": {"args": "", "files": {"../x": ""}}}),
        json.dumps({"id": "no name", "kind": "command", "input": {"args": "", "files": {"": ""}}}),
        *(json.dumps({"id": "leaves", "kind": "command", "input": {"args": args}}) for args in LEAVING),
        '{"id": NaN, "kind": "ops", "input": {"ops": []}}',
        _deep("deep"),
    ]

    code, answers, said = conform(*bad, "", good)

    assert [(a["id"], a.get("error")) for a in answers[4:-1]] == [
        ("kind", "kind is 'nix'. There is: ops, markdown_parse, markdown_render, replay, command, validate."),
        ("no kind", "kind is missing, not str"),
        ("no input", "input is missing, not dict"),
        ("no list", "entries is int, not list"),
        ("outside", "files holds '../x'. Give texts by their names below one folder."),
        ("no name", answers[9]["error"]),
        *(("leaves", f"args is {args!r}, a path outside of its folder. Give one below it.") for args in LEAVING),
        (None, "no JSON: NaN is none of its numbers"),
        ("deep", "nested too deeply"),
    ]
    assert [sorted(answer) for answer in answers[:4]] == [["error", "id"]] * 4
    assert answers[-1] == {"id": "good", "actual": {"markdown": ""}}
    assert (code, said) == (1, "")


def test_texts_with_half_a_surrogate_pair_and_odd_line_ends_come_back() -> None:
    tasks = [{"content": "a\u2028b\x85\ud800", "status": "pending"}, None, {"status": "nix"}]

    assert actual("markdown_render", phases=[{"name": "A", "tasks": tasks}, {"name": "B"}, 5]) == {
        "markdown": "# A\n- [ ] a b\ufffd\n\n# B\n"
    }


def test_settings_of_the_person_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TODO_CONTEXT_PLAN_AUTO_START", "false")
    monkeypatch.setenv("TODO_CONTEXT_PLAN_PROMPTS_DIR", "/nowhere")

    tasks = actual("command", phases=[], args="append A x")["phases"][0]["tasks"]

    assert tasks == [{"content": "X", "status": "in_progress"}]


def test_each_line_is_answered_before_the_next_is_read_and_a_reader_who_left_is_no_error(tmp_path: Path) -> None:
    line = json.dumps({"id": 1, "kind": "replay", "input": {"entries": []}}).encode() + b"\n"
    with subprocess.Popen(
        [sys.executable, "-m", "todo_context.conform"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(line)
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == {"id": 1, "actual": {"phases": []}}
        process.stdout.close()
        process.stdin.write(line)
        process.stdin.close()

        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("streams", "said"),
    [
        ("<&-", "conform: standard input is closed. Give it lines to read, and a place to write.\n"),
        (">&-", "conform: standard output is closed. Give it lines to read, and a place to write.\n"),
        pytest.param(
            ">/dev/full",
            "conform: standard output: No space left on device. Give it a place to write.\n",
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full"),
        ),
    ],
)
def test_streams_that_cannot_be_used_are_one_line(streams: str, said: str) -> None:
    command = f'echo {{}} | "$0" -m todo_context.conform {streams}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )

    assert (done.returncode, done.stderr) == (2, said)


def test_it_takes_no_arguments() -> None:
    assert conform(arguments=("vectors.jsonl",)) == (2, [], "usage: python -m todo_context.conform <vectors.jsonl\n")
