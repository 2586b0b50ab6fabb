"""Processes that work on one session file, and say each entry's id only once it is stored."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

CHILD = """
import json
import os
import random
import sys
import time
from pathlib import Path
from todo_repl.session import Session, SessionError, SessionMovedError

path, name, seed, most = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
chance = random.Random(seed)
TEXTS = ("x", "Grüße \\u2028 日本 🎉 " * 40, "long " * 5_000)

def acknowledge(entry_id):
    os.write(1, (entry_id + "\\n").encode())

def pause():
    if chance.random() < 0.2:
        time.sleep(chance.random() / 300)
"""

BUSY = """
with Session.open(path, cwd="/") as session:
    acknowledge("ready")
    while True:
        place = chance.random()
        if place < 0.1 and session.leaf_id:
            before = session.leaf_id
            session.move_to(chance.choice(session.entries())["id"])
            # To stay is no entry.
            if session.leaf_id != before:
                acknowledge(session.leaf_id)
        else:
            acknowledge(session.append_custom("t", {"text": chance.choice(TEXTS)}))
"""

IN_TURNS = """
acknowledge("ready")
sys.stdin.readline()
done = 0
while done < most:
    pause()
    try:
        with Session.open(path, cwd="/") as session:
            for _ in range(chance.randint(1, 5)):
                acknowledge(session.append_custom("t", {"text": chance.choice(TEXTS)}))
                done += 1
    except SessionError as error:
        if "another process" not in error.fact:
            raise
"""

GOES_ON_THERE = """
with Session.open(path, cwd="/") as session:
    acknowledge("ready")
    sys.stdin.readline()
    done = 0
    while done < most:
        pause()
        try:
            acknowledge(session.append_custom("t", {"text": chance.choice(TEXTS)}))
            done += 1
        except SessionMovedError:
            session.go_on_there()
"""

FOREIGN = """
acknowledge("ready")
sys.stdin.readline()
for number in range(most):
    pause()
    entry = {"type": "custom", "customType": "other", "id": f"{name}{number}", "parentId": None, "data": chance.choice(TEXTS)}
    with path.open("ab", buffering=0) as file:
        file.write(json.dumps(entry, ensure_ascii=False).encode() + b"\\n")
    acknowledge(entry["id"])
"""


def chance_of(seed: int) -> random.Random:
    """What decides a schedule, the same for the same seed."""
    return random.Random(seed)  # noqa: S311 (no secret)


class Child:
    """One of them. `acknowledged` are the ids that it said."""

    def __init__(self, code: str, path: Path, name: str, chance: random.Random, most: int = 0) -> None:
        arguments = [str(path), name, str(chance.random()), str(most)]
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHILD + code, *arguments],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdin is not None
        self._out, self._in = self._process.stdout, self._process.stdin

    def wait_until_ready(self) -> None:
        assert self._out.readline() == "ready\n"

    def go(self) -> None:
        print(file=self._in, flush=True)

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)

    def acknowledged(self, *, is_killed: bool = False) -> list[str]:
        """Wait for its end."""
        with self._process:
            said = self._out.read()
        # One that is to be killed may have come to its end before.
        assert self._process.returncode in ({-signal.SIGKILL, 0} if is_killed else {0})
        # What stands without a line feed was not said wholly.
        return [line for line in said.split("\n")[:-1] if line != "ready"]
