"""The scripted server as a process of its own, for tests that drive whole programs."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from tests import scripted_llm
from tests.scripted_llm import ASIDE, EXHAUSTED, WAIT_S, Step

SERVER = Path(scripted_llm.__file__)


@contextmanager
def served(folder: Path, *steps: Step) -> Iterator[str]:
    (folder / "script.json").write_text(json.dumps(steps))
    names = {"script": "script.json", "log": "log.jsonl", "portfile": "port"}
    options = [word for option, name in names.items() for word in (f"--{option}", str(folder / name))]
    process = subprocess.Popen([sys.executable, str(SERVER), *options])
    try:
        wait_for(folder / "port")
        yield f"http://127.0.0.1:{(folder / 'port').read_text()}/v1"
    finally:
        process.kill()
        process.wait()


def wait_for(path: Path) -> None:
    until = time.monotonic() + WAIT_S
    while not path.exists():
        assert time.monotonic() < until, f"no {path}"
        time.sleep(0.01)


def post(url: str, *, tools: bool = True) -> str:
    body = {"stream": True, "model": "m", "tools": [{}] if tools else []}
    with urlopen(Request(f"{url}/chat/completions", json.dumps(body).encode())) as response:
        events = [line for line in response.read().decode().split("\n") if line.startswith("data: {")]
    choices = [choice for event in events for choice in json.loads(event[6:])["choices"]]
    return "".join(choice["delta"].get("content", "") for choice in choices)


def test_steps_are_played_to_requests_with_tools_and_all_requests_are_logged(tmp_path: Path) -> None:
    with served(tmp_path, {"text": "A first step."}) as url:
        answers = [post(url), post(url, tools=False), post(url)]
    logged = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]

    assert answers == ["A first step.", ASIDE, EXHAUSTED]
    assert [(received["n"], received["path"]) for received in logged] == [
        (n, "/v1/chat/completions") for n in (1, 2, 3)
    ]


def test_a_file_opens_a_gate(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with served(tmp_path, {"text": "At last.", "gate": str(gate)}) as url:
        asking = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"import sys; sys.path[:0] = {sys.path!r}; from {__name__} import post; print(post({url!r}))",
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        wait_for(tmp_path / "log.jsonl")
        assert asking.poll() is None
        gate.touch()
        said, _ = asking.communicate()

    assert said == "At last.\n"
