"""A model server that plays a script: OpenAI's chat completions and Anthropic's messages, streamed, on loopback.

One step answers one request that carries tools. A request without tools (a title, a summary) uses up none: one of
`asides` answers it, and after these `ASIDE`. After the last step every answer is `EXHAUSTED`. What was asked is kept in
order.

In a test: `with ScriptedLlm([{"text": "Hello."}]) as server:`, then `server.base_url` and `server.requests`.
As a process: `python tests/scripted_llm.py --script steps.json --log requests.jsonl --portfile port`.
"""

import argparse
import json
import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple, NotRequired, Self, TypedDict, cast

ASIDE = "Summary text."
EXHAUSTED = "SCRIPT EXHAUSTED"

PIECE_CHARS = 8
"""Length of one streamed piece of text: short enough that any sentence comes in several."""

WAIT_S = 30.0
"""How long a test waits for a request before it fails; a machine under load needs seconds."""

POLL_S = 0.02
"""How often a held answer looks whether it may go on, or the server is closing."""


class Call(TypedDict):
    """One tool call. Arguments that are a string go out as they are, whether that is JSON or not."""

    name: str
    arguments: object
    id: NotRequired[str]


class Step(TypedDict, total=False):
    """How one request is answered."""

    text: str
    thinking: str
    """Sent before the text: reasoning_content, or a thinking block with `signature`."""
    signature: str
    tool_calls: Sequence[Call]
    usage: Mapping[str, int]
    """Tokens: input, output, cache_read, cache_write; input counts none of the cache's."""
    finish: str
    """Why it ended, in the provider's own word; left out, it follows from the calls."""
    status: int
    """An HTTP error instead of an answer; `text` is its message."""
    raw: str
    """An event stream that goes out as it stands here, instead of an answer."""
    cut: bool
    """The connection breaks off after the text."""
    gate: "threading.Event | str"
    """Nothing is answered before this event is set, or a file of this path exists."""
    hold: "threading.Event | str"
    """As `gate`, but after the text: what follows it waits."""
    pauses: "Mapping[int, threading.Event | str]"
    """As `gate`, but before the event of this number, from 0; after the last, before the stream ends."""


class Received(TypedDict):
    """One request, as it is kept and logged."""

    n: int
    path: str
    body: dict[str, object]


class _Answer(NamedTuple):
    """Server-sent events: up to the end of the text, and what follows it."""

    head: list[str]
    tail: list[str]


class ScriptedLlm:
    """A server that runs from `with` to the end of the block."""

    def __init__(
        self, steps: Sequence[Step], *, asides: Sequence[Step] = (), port: int = 0, log: Path | None = None
    ) -> None:
        """Take the script. Port 0 lets the system choose; `log` gets each request as a line of JSON."""
        self.requests: list[Received] = []
        self.closing = threading.Event()
        self._steps = list(steps)
        self._asides = list(asides)
        self._log = log
        self._arrived = threading.Condition()
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(POLL_S,), daemon=True)

    @property
    def port(self) -> int:
        """The port, also where the system chose it."""
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        """What a client takes as base URL, for either protocol."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def bodies(self) -> list[dict[str, object]]:
        """The bodies of the requests, in order."""
        return [received["body"] for received in self.requests]

    def wait_for(self, count: int) -> None:
        """Block until this many requests have arrived."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.requests) >= count, WAIT_S), "no request came"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def serve_forever(self) -> None:
        """Serve in this thread, until the process ends."""
        self._server.serve_forever()

    def take(self, path: str, body: dict[str, object]) -> tuple[int, Step]:
        """Keep a request; its number, from 1, and the step that answers it."""
        with self._arrived:
            received: Received = {"n": len(self.requests) + 1, "path": path, "body": body}
            self.requests.append(received)
            if self._log is not None:
                with self._log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(received) + "\n")
            self._arrived.notify_all()
            if not body.get("tools"):
                return received["n"], self._asides.pop(0) if self._asides else {"text": ASIDE}
            return received["n"], self._steps.pop(0) if self._steps else {"text": EXHAUSTED}

    def wait(self, gate: "threading.Event | str | None") -> None:
        """Block until the gate is open, or the server closes."""
        while not (_is_open(gate) or self.closing.wait(POLL_S)):
            pass


def _is_open(gate: "threading.Event | str | None") -> bool:
    if isinstance(gate, threading.Event):
        return gate.is_set()
    return gate is None or Path(gate).exists()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], llm: ScriptedLlm) -> None:
        self.llm = llm
        super().__init__(address, _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that has gone: an aborted run closes its connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(cast("socket.socket", request), client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Else the second small write of an answer waits 40 ms for the client's acknowledgement of the first.
    disable_nagle_algorithm = True

    @property
    def llm(self) -> ScriptedLlm:
        """The script, which all requests share."""
        return cast("_Server", self.server).llm

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Stay silent."""

    def do_GET(self) -> None:
        """List the one model; some hosts ask before they begin."""
        models = [{"id": "scripted", "object": "model", "created": 0, "owned_by": "local"}]
        self._send_json(200, {"object": "list", "data": models})

    def do_POST(self) -> None:
        """Answer one request with one step."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        events = _PROTOCOLS.get(self.path.split("?")[0].rpartition("/v1/")[2].removeprefix("v1/"))
        if events is None or not body.get("stream"):
            self._send_json(404, _error(f"only streams of {' and '.join(_PROTOCOLS)} are served here"))
            return
        number, step = self.llm.take(self.path, body)
        self.llm.wait(step.get("gate"))
        if "status" in step:
            self._send_json(step["status"], _error(step.get("text", "")))
        else:
            self._stream(step, events(step, number, str(body.get("model"))))

    def _stream(self, step: Step, answer: _Answer) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        pauses = step.get("pauses", {})
        self._send_chunks([step["raw"]] if "raw" in step else answer.head, pauses)
        self.llm.wait(step.get("hold"))
        if step.get("cut"):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._send_chunks([] if "raw" in step else answer.tail, pauses, len(answer.head))
        self.llm.wait(pauses.get(len(answer.head) + len(answer.tail)))
        self.wfile.write(b"0\r\n\r\n")

    def _send_chunks(
        self, events: Sequence[str], pauses: "Mapping[int, threading.Event | str]", first: int = 0
    ) -> None:
        for number, event in enumerate(events, first):
            self.llm.wait(pauses.get(number))
            content = event.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))

    def _send_json(self, status: int, value: object) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _error(message: str) -> dict[str, object]:
    return {"type": "error", "error": {"type": "scripted_error", "message": message}}


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + PIECE_CHARS] for start in range(0, len(text), PIECE_CHARS))


def _arguments(call: Call) -> str:
    given = call["arguments"]
    return given if isinstance(given, str) else json.dumps(given)


def _halves(text: str) -> tuple[str, str]:
    middle = max(1, len(text) // 2)
    return text[:middle], text[middle:]


def _usage(step: Step) -> Mapping[str, int]:
    return {"input": 100, "output": 10, "cache_read": 0, "cache_write": 0, **step.get("usage", {})}


def _openai(step: Step, number: int, model: str) -> _Answer:
    """Chunks of a chat completion. Source: OpenAI API reference, chat completion chunk object."""
    calls = step.get("tool_calls", ())

    def chunk(*choices: dict[str, object], **more: object) -> str:
        value = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1, "model": model}
        return f"data: {json.dumps({**value, 'choices': choices, **more})}\n\n"

    def delta(value: dict[str, object], finish: str | None = None) -> str:
        return chunk({"index": 0, "delta": value, "finish_reason": finish})

    def call_delta(index: int, value: Mapping[str, object]) -> str:
        return delta({"tool_calls": [{"index": index, **value}]})

    head = [delta({"role": "assistant", "content": ""})]
    head += [delta({"reasoning_content": piece}) for piece in _pieces(step.get("thinking", ""))]
    head += [delta({"content": piece}) for piece in _pieces(step.get("text", ""))]
    tail: list[str] = []
    for index, call in enumerate(calls):
        call_id = call.get("id", f"call_{number}_{index}")
        start = {"id": call_id, "type": "function", "function": {"name": call["name"], "arguments": ""}}
        tail.append(call_delta(index, start))
        tail += [call_delta(index, {"function": {"arguments": half}}) for half in _halves(_arguments(call))]
    tail.append(delta({}, step.get("finish", "tool_calls" if calls else "stop")))
    tokens = _usage(step)
    prompt = tokens["input"] + tokens["cache_read"] + tokens["cache_write"]
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": tokens["output"],
        "total_tokens": prompt + tokens["output"],
        "prompt_tokens_details": {"cached_tokens": tokens["cache_read"]},
    }
    return _Answer(head, [*tail, chunk(usage=usage), "data: [DONE]\n\n"])


def _anthropic(step: Step, number: int, model: str) -> _Answer:
    """Events of a message. Source: Anthropic API reference, streaming messages."""
    calls = step.get("tool_calls", ())
    tokens = _usage(step)

    def event(kind: str, **fields: object) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"

    def block(index: int, start: Mapping[str, object], deltas: list[dict[str, object]]) -> list[str]:
        changes = [event("content_block_delta", index=index, delta=delta) for delta in deltas]
        begin = event("content_block_start", index=index, content_block=start)
        return [begin, *changes, event("content_block_stop", index=index)]

    usage = {
        "input_tokens": tokens["input"],
        "output_tokens": 1,
        "cache_read_input_tokens": tokens["cache_read"],
        "cache_creation_input_tokens": tokens["cache_write"],
    }
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": []}
    head = [event("message_start", message={**message, "stop_reason": None, "stop_sequence": None, "usage": usage})]
    index = 0
    if thinking := step.get("thinking"):
        deltas: list[dict[str, object]] = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(thinking)]
        deltas.append({"type": "signature_delta", "signature": step.get("signature", "")})
        head += block(index, {"type": "thinking", "thinking": "", "signature": ""}, deltas)
        index += 1
    if text := step.get("text"):
        head += block(
            index, {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in _pieces(text)]
        )
        index += 1
    tail: list[str] = []
    for position, call in enumerate(calls):
        start = {
            "type": "tool_use",
            "id": call.get("id", f"toolu_{number}_{position}"),
            "name": call["name"],
            "input": {},
        }
        halves: list[dict[str, object]] = [
            {"type": "input_json_delta", "partial_json": half} for half in _halves(_arguments(call))
        ]
        tail += block(index + position, start, halves)
    stop = {"stop_reason": step.get("finish", "tool_use" if calls else "end_turn"), "stop_sequence": None}
    tail.append(event("message_delta", delta=stop, usage={"output_tokens": tokens["output"]}))
    return _Answer(head, [*tail, event("message_stop")])


_PROTOCOLS = {"chat/completions": _openai, "messages": _anthropic}


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve a script from a file until the process is ended."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--script", type=Path, required=True, help="a JSON file: the list of steps")
    parser.add_argument("--log", type=Path, help="each request is added to this file as a line of JSON")
    parser.add_argument("--portfile", type=Path, help="the port is written to this file once it is open")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args(arguments)
    server = ScriptedLlm(json.loads(given.script.read_text(encoding="utf-8")), port=given.port, log=given.log)
    if given.portfile:
        # In one step, so that whoever waits for the file never reads half of it.
        unfinished = given.portfile.with_name(f"{given.portfile.name}.new")
        unfinished.write_text(str(server.port), encoding="utf-8")
        unfinished.replace(given.portfile)
    server.serve_forever()


if __name__ == "__main__":
    main()
