"""Real pi finds the same branch: on copies, for it writes into what it opens."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from todo_repl.session_read import read_branch

# Read on import: inside a test the variables of whoever runs it are gone.
CACHE = Path(os.environ.get("TODO_CONTEXT_E2E_CACHE") or Path(__file__).parents[2] / ".cache" / "e2e")
PI = CACHE / "pi" / "node_modules" / "@earendil-works" / "pi-coding-agent" / "dist" / "index.js"
NODE = shutil.which("node")
SAMPLES = Path(__file__).parent / "samples"

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not PI.is_file(), reason="real pi is not in the cache: make e2e fetches it"),
    pytest.mark.skipif(NODE is None, reason="node is not on the PATH"),
]

READ = """
import { readdirSync } from "fs";
const folder = process.argv[1];
const branches = {};
for (const name of readdirSync(folder)) branches[name] = SessionManager.open(`${folder}/${name}`).getBranch();
console.log(JSON.stringify(branches));
"""

KINDS = (
    "message", "message", "message", "custom", "compaction", "model_change", "label", "branch_summary", "context_edit",
    "custom_message", "usage", "session_info", "unknown",
)  # fmt: skip


def branches_of_pi(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The branch of each file in a folder, by its name."""
    done = subprocess.run(
        [
            NODE or "node",
            "--input-type=module",
            "-e",
            f"import {{ SessionManager }} from {json.dumps(PI.as_uri())};{READ}",
            folder,
        ],
        env={**os.environ, "PI_OFFLINE": "1", "PI_CODING_AGENT_DIR": str(Path.home() / "pi")},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    branches: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return branches


def by_place(branch: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A branch with places for ids: those of version 1 are pi's own, and new each time."""
    places = {entry["id"]: place for place, entry in enumerate(branch)}
    named = ("id", "parentId", "firstKeptEntryId")
    return [{key: places.get(value) if key in named else value for key, value in entry.items()} for entry in branch]


def session(chance: random.Random) -> bytes:
    """A session of any version, with what goes wrong in files: never a circle, in which pi does not end."""
    version = chance.choice([None, 0, 1, 2, 3, 3])
    records: list[dict[str, Any]] = [{"type": "session", "version": version, "id": "s", "cwd": "/home/user/project"}]
    ids: list[str] = []
    for number in range(chance.randrange(14)):
        entry: dict[str, Any] = {"type": chance.choice(KINDS), "timestamp": "2026-11-30T12:00:00.000Z"}
        if entry["type"] == "message":
            entry["message"] = {"role": chance.choice(["user", "assistant", "hookMessage", "system"]), "content": []}
        if entry["type"] == "compaction" and version in {None, 0, 1}:
            entry["firstKeptEntryIndex"] = chance.randrange(number + 2)
        if version in {2, 3}:
            repeats = chance.random() < 0.1 and bool(ids)
            entry["id"] = chance.choice(ids) if repeats else f"e{number:07x}"
            parents = [*ids[-1:] * 5, *ids, None, "gone"]
            entry["parentId"] = None if repeats else chance.choice(parents)
            ids.append(entry["id"])
        records.append(entry)
    lines = [json.dumps(record) for record in records]
    for noise in ("", "{garbage", '{"type":"mess'):
        if chance.random() < 0.3:
            lines.insert(chance.randrange(1, len(lines) + 1), noise)
    return chance.choice(["\n", "\r\n"]).join(lines).encode()


def test_its_branch_is_ours(tmp_path: Path) -> None:
    # OMP's title line makes pi begin anew, and a leaf it does not know.
    for path in (path for path in SAMPLES.rglob("*.jsonl") if "omp-18" not in path.name and "leaf" not in path.name):
        shutil.copyfile(path, tmp_path / path.name)
    chance = random.Random(1)  # noqa: S311 (the same files each time)
    for number in range(300):
        (tmp_path / f"{number:03}.jsonl").write_bytes(session(chance))
    ours = {path.name: [dict(entry) for entry in read_branch(path)] for path in tmp_path.iterdir()}

    theirs = branches_of_pi(tmp_path)

    assert len(ours) > 300
    for name, branch in ours.items():
        if name.startswith("aelix"):
            assert [entry["id"] for entry in branch] == [entry["id"] for entry in theirs[name]]
        else:
            assert by_place(branch) == by_place(theirs[name]), name
