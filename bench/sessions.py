"""How long it takes to open a session, beside real pi: sessions of three lengths with the same end.

Opened means: what the next request needs is there, which is the plan and the entries since the compaction; pi builds
its context. The last of our columns reads all of the file too. The times of the last run with pi are kept in
sessions.json; the bytes that were read hold on any machine. `make e2e-fetch` brings pi.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from shutil import which

from todo_context.plan.model import Json
from todo_context.plan.replay import latest
from todo_repl.session import Session
from todo_repl.session_branch import since_compaction
from todo_repl.session_list import sessions_here

HERE = Path(__file__).parent
TABLE = HERE / "sessions.json"
PI = HERE.parent / ".cache/e2e/pi/node_modules/@earendil-works/pi-coding-agent/dist/index.js"

COUNTS = (100, 1_000, 10_000, 100_000)
"""Entries of a session, about 900 bytes each."""

TAIL = 200
"""Entries after the compaction, the plan in the middle of them; in the shortest, half of it all."""

LISTED = 1_000
"""Sessions in a folder."""

PI_OPENS = """
const started = performance.now();
const session = SessionManager.open(process.argv[1]);
session.buildSessionContext();
console.log(performance.now() - started);
"""

STAMP = "2026-11-30T12:00:00.000Z"


def make(path: Path, count: int) -> None:
    """Write a session of `count` entries."""
    with Session.create(path, "/work") as session:
        session.append_message(_message(0))
    parent = str(session.leaf_id)
    tail = min(TAIL, count // 2)
    with path.open("a", encoding="utf-8") as file:
        for number in range(1, count):
            entry_id, left = f"{number:08x}", count - number
            body: dict[str, Json] = {"message": _message(number)}
            if left == tail:
                body = {"summary": "s", "firstKeptEntryId": f"{number - 20:08x}", "tokensBefore": 1}
            elif left == tail // 2:
                tasks: Json = [{"name": "A", "tasks": [{"content": "Wire config", "status": "pending"}]}]
                body = {"customType": "todo_write", "data": {"v": 1, "seq": 1, "phases": tasks, "by": "user"}}
            kind = {"message": "message", "summary": "compaction"}.get(next(iter(body)), "custom")
            entry = {"type": kind, "id": entry_id, "parentId": parent, "timestamp": STAMP, **body}
            file.write(json.dumps(entry, separators=(",", ":")) + "\n")
            parent = entry_id


def opened(path: Path, *, whole: bool = False) -> Session:
    """Open a session and look at what a request needs; at `whole`, also at all of its entries."""
    session = Session.open(path)
    latest(session.branch())
    since_compaction(session.branch())
    if whole:
        session.entries()
    return session


def bytes_read_by(path: Path) -> float:
    """How many bytes of a file are read to open it. All reading goes through os.pread."""
    counted: list[int] = []
    read = os.pread

    def pread(fd: int, length: int, offset: int) -> bytes:
        content = read(fd, length, offset)
        counted.append(len(content))
        return content

    os.pread = pread
    try:
        opened(path).close()
    finally:
        os.pread = read
    return sum(counted)


def measured(path: Path) -> dict[str, float]:
    """What a session takes, in milliseconds, and the bytes of it that are read."""
    found = {"file_bytes": float(path.stat().st_size), "bytes_read": bytes_read_by(path)}
    found["opened_ms"] = _best_ms(lambda: opened(path).close())
    found["read_whole_ms"] = _best_ms(lambda: opened(path, whole=True).close(), times=3)
    with opened(path) as session:
        found["appended_ms"] = _best_ms(lambda: session.append_custom("t", {}))
    return found


def listed_ms(folder: Path) -> float:
    """How long the list of a folder of sessions takes, in milliseconds."""
    make(folder / "0.jsonl", 300)
    content = (folder / "0.jsonl").read_bytes()
    for number in range(1, LISTED):
        (folder / f"{number}.jsonl").write_bytes(content)
    return _best_ms(lambda: sessions_here(folder), times=3)


def main() -> int:
    """Measure, print, and keep what was measured if pi is there."""
    kept: dict[str, dict[str, float]] = {}
    node = which("node")
    with tempfile.TemporaryDirectory() as name:
        columns = "".join(f"{column:>11}" for column in ("opened", "appended", "all read", "pi"))
        print(f"{'entries':>8}{'MB':>7}{'read KB':>9}{columns}{'pi/ours':>9}")
        for count in COUNTS:
            path = Path(name) / f"{count}.jsonl"
            make(path, count)
            found = measured(path)
            if node is not None and PI.is_file():
                found["pi_ms"] = min(_pi_ms(node, path) for _ in range(3))
            kept[str(count)] = {key: round(value, 3) for key, value in found.items()}
            _print(count, found)
        (Path(name) / "listed").mkdir()
        kept["listed"] = {"sessions": LISTED, "ms": round(listed_ms(Path(name) / "listed"))}
    print(f"\n{LISTED} sessions of 300 entries are listed in {kept['listed']['ms']} ms.")
    if "pi_ms" in kept[str(COUNTS[0])]:
        TABLE.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    else:
        print("Real pi is not there: make e2e-fetch. Its times of the last run with it are in sessions.json.")
    return 0


def _message(number: int) -> dict[str, Json]:
    text = "Lorem ipsum dolor sit amet. " * 25
    parts: Json = [{"type": "text", "text": text}]
    if number % 2 == 0:
        return {"role": "user", "content": parts, "timestamp": 1}
    return {"role": "assistant", "content": parts, "provider": "p", "model": "m", "stopReason": "stop", "timestamp": 1}


def _best_ms(work: Callable[[], object], *, times: int = 10) -> float:
    taken: list[float] = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append((time.perf_counter() - started) * 1000)
    return min(taken)


def _pi_ms(node: str, path: Path) -> float:
    code = f"import {{ SessionManager }} from {json.dumps(PI.as_uri())};\n{PI_OPENS}"
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [node, "--input-type=module", "-e", code, str(path)],
            env={**os.environ, "PI_OFFLINE": "1", "PI_CODING_AGENT_DIR": home},
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
    return float(done.stdout)


def _print(count: int, found: dict[str, float]) -> None:
    pi_ms = found.get("pi_ms", 0)
    times = "".join(f"{found[name]:>8.2f} ms" for name in ("opened_ms", "appended_ms", "read_whole_ms"))
    ratio = f"{pi_ms:>8.1f} ms{pi_ms / found['opened_ms']:>9.1f}" if pi_ms else f"{'-':>11}{'-':>9}"
    print(f"{count:>8}{found['file_bytes'] / 1e6:>7.1f}{found['bytes_read'] / 1000:>9.0f}{times}{ratio}")


if __name__ == "__main__":
    sys.exit(main())
