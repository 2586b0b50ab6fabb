"""What goes wrong between us and a provider is one line with one step."""

import asyncio
import socket
import subprocess
import sys
import threading

import pytest

from tests.scripted_llm import ScriptedLlm
from tests.todo_repl.asking import HI, KEY, ask, error, spec
from tests.todo_repl.talk import BOTH, echo
from todo_repl.connect import online_model
from todo_repl.models import PROVIDERS, Delta, ModelError, ModelSpec, ProviderName, Request, TextDelta


@BOTH
@pytest.mark.parametrize(
    ("status", "step"),
    [
        (400, "If it takes no tools, or no such message, use another model."),
        (401, "Check the key in {key}."),
        (402, "Check the balance and the limits of the account."),
        (403, "Check the key in {key}."),
        (404, "Check the name of the model, and the address {url}."),
        (413, "The conversation is too long for the model: start a new session, or use a model that takes more."),
        (429, "Try again in a moment."),
        (500, "Try again in a moment."),
        (529, "Try again in a moment."),
    ],
)
def test_an_error_of_the_provider_in_its_words_with_one_step(status: int, step: str, provider: ProviderName) -> None:
    with ScriptedLlm([{"status": status, "text": "It is so."}]) as server, pytest.raises(ModelError) as raised:
        ask(spec(server, provider))
    url, key = server.base_url, PROVIDERS[provider].key_variable

    assert str(raised.value) == f"{provider}:m: HTTP {status}: It is so. {step.format(url=url, key=key)}"
    assert (raised.value.provider, raised.value.name, raised.value.status) == (provider, "m", status)
    assert len(server.requests) == 1


@BOTH
def test_the_providers_words_are_safe_cut_and_without_the_key(provider: ProviderName) -> None:
    words = f"Wrong key {KEY} \x1b[31m\x1b]0;x\x07\u202e" + "long " * 100 + "\nsecond line"
    line = str(error({"status": 401, "text": words}, provider))

    assert line.startswith(f"{provider}:m: HTTP 401: Wrong key … long long")
    assert not {"\x1b", "\u202e", "\n"} & set(line)
    assert KEY not in line
    assert len(line) < 400


@BOTH
def test_no_server(provider: ProviderName) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(ModelError) as raised:
            ask(ModelSpec(provider=provider, name="m", base_url=f"http://me:word@127.0.0.1:{port}/v1"))

    failed = "All connection attempts failed."
    assert str(raised.value) == f"{provider}:m: no connection: {failed} Is a server at http://127.0.0.1:{port}/v1?"


@BOTH
def test_an_address_that_is_none(provider: ProviderName) -> None:
    with pytest.raises(ModelError, match=r"Is a server at localhost:80\?"):
        ask(ModelSpec(provider=provider, name="m", base_url="localhost:80"))


@BOTH
def test_a_stream_that_is_cut(provider: ProviderName) -> None:
    deltas: list[Delta] = []

    async def collect(asked: ModelSpec) -> None:
        request = Request(system="", messages=(HI,), tools=(echo(),))
        async for delta in online_model(asked).stream(request):
            deltas.append(delta)  # noqa: PERF401 - what came before the error counts

    with ScriptedLlm([{"text": "Half of a sentence", "cut": True}]) as server, pytest.raises(ModelError) as raised:
        asyncio.run(collect(spec(server, provider)))

    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "Half of a sentence"
    assert str(raised.value).startswith(f"{provider}:m: the answer broke off: ")
    assert str(raised.value).endswith(" Send the message again.")


@BOTH
@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="nothing"),
        pytest.param("data: {\n\n", id="no JSON"),
        pytest.param('data: {"choices": 5}\n\n', id="no chunk"),
        pytest.param(
            'event: message_start\ndata: {"type": "message_start", "message": 5}\n\ndata: 7\n\n', id="no message"
        ),
        pytest.param('event: error\ndata: {"type": "error", "error": {"message": "Overloaded"}}\n\n', id="an error"),
        pytest.param("<html>502 Bad Gateway</html>", id="a web page"),
    ],
)
def test_a_stream_that_is_none(raw: str, provider: ProviderName) -> None:
    assert str(error({"raw": raw}, provider)).startswith(f"{provider}:m: ")


def test_an_anthropic_message_without_its_end_broke_off() -> None:
    start = 'event: message_start\ndata: {"type": "message_start", "message": {"id": "1", "type": "message", '
    start += '"role": "assistant", "model": "m", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}}\n\n'

    assert "the answer broke off" in str(error({"raw": start}, "anthropic"))


@pytest.mark.parametrize(("provider", "finish"), [("openai", "content_filter"), ("anthropic", "refusal")])
def test_a_filter_of_the_provider(provider: ProviderName, finish: str) -> None:
    assert "content filter stopped the answer" in str(error({"text": "I", "finish": finish}, provider))


@BOTH
def test_silence_ends(provider: ProviderName) -> None:
    never = threading.Event()
    with ScriptedLlm([{"text": "x", "hold": never}]) as server, pytest.raises(ModelError) as raised:
        ask(ModelSpec(provider=provider, name="m", base_url=server.base_url, timeout_s=0.05))

    assert str(raised.value) == f"{provider}:m: nothing came for 0.05 s. Send the message again."


@BOTH
def test_a_request_that_is_cancelled_ends_at_once(provider: ProviderName) -> None:
    never = threading.Event()

    async def cancel(asked: ModelSpec) -> bool:
        started = asyncio.Event()

        async def read() -> None:
            async for _ in online_model(asked).stream(Request(system="", messages=(HI,), tools=(echo(),))):
                started.set()

        reading = asyncio.create_task(read())
        await started.wait()
        reading.cancel()
        await asyncio.wait([reading])
        return reading.cancelled()

    with ScriptedLlm([{"text": "x", "hold": never}]) as server:
        assert asyncio.run(cancel(spec(server, provider)))


@BOTH
def test_without_a_key_the_error_names_its_variable(provider: ProviderName) -> None:
    with pytest.raises(ModelError) as raised:
        online_model(ModelSpec(provider=provider, name="m"))

    assert str(raised.value) == f"{provider}:m: no key is set. Set {PROVIDERS[provider].key_variable}."


@BOTH
def test_a_key_with_typographic_quotes_is_refused(provider: ProviderName) -> None:
    with pytest.raises(ModelError, match="the key holds a character that no key has"):
        online_model(ModelSpec(provider=provider, name="m", api_key="\u201csk\u201d"))


@pytest.mark.parametrize("missing", ["pydantic_ai", "openai"])
def test_without_the_library_the_error_says_what_to_install(missing: str) -> None:
    program = f"""
import asyncio, sys
sys.modules[{missing!r}] = None
from todo_repl.connect import online_model
from todo_repl.models import ModelError, ModelSpec, Request
async def ask():
    model = online_model(ModelSpec(provider="openai", name="m", base_url="http://127.0.0.1:1"))
    async for _ in model.stream(Request(system="", messages=(), tools=())):
        pass
try:
    asyncio.run(ask())
except ModelError as error:
    print(error)
"""
    env = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)

    assert done.stdout == "openai:m: online models are not installed. Run: pip install 'todo-context[models]'\n"


def test_the_key_is_not_in_the_representation() -> None:
    assert KEY not in repr(ModelSpec(provider="openai", name="m", api_key=KEY))
