"""Both clients against a real server: every way an answer can end, and every way there can be none."""

import json
import time
from collections.abc import Callable, Iterator

import pytest

from harness.llm import failure as failures
from harness.llm.client import Client
from harness.llm.failure import ModelFailure
from harness.llm.messages import (
    AssistantMessage,
    Finish,
    Request,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from harness.llm.spec import connect, parse
from tests.support.model_server import Answer, ModelServer, model_server

KEY = "sk-test-verysecretkey"
SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": False}
TOOL = Tool(
    name="read", description="Read a file.", parameters={"type": "object", "properties": {"path": {"type": "string"}}}
)
REQUEST = Request(model="m", messages=(SystemMessage(text="sys"), UserMessage(text="hello", cache=True)))


@pytest.fixture(params=["openai", "anthropic"])
def dial(request: pytest.FixtureRequest) -> Iterator[Callable[[ModelServer], Client]]:
    provider = request.param
    clients: list[Client] = []

    def connected(server: ModelServer) -> Client:
        url = server.url + ("/v1" if provider == "openai" else "")
        client = connect(
            parse(f"{provider}:m@{url}"),
            {"HARNESS_API_KEY": KEY, "OPENAI_API_KEY": "sk-other", "ANTHROPIC_API_KEY": "sk-other"},
        )
        clients.append(client)
        return client

    yield connected
    for client in clients:
        client.close()


Dial = Callable[[ModelServer], Client]


def test_a_complete_answer_with_usage(dial: Dial) -> None:
    with model_server(Answer(text="héllo wörld")) as server:
        reply = dial(server).send(REQUEST, deadline_s=10)
    assert (reply.text, reply.finish, reply.model) == ("héllo wörld", Finish.COMPLETE, "served-model")
    assert (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.output_tokens) == (120, 20, 7)


def test_tool_calls_and_their_results_travel(dial: Dial) -> None:
    conversation = Request(
        model="m",
        messages=(
            SystemMessage(text="sys"),
            UserMessage(text="hello"),
            AssistantMessage(text="", tool_calls=(ToolCall(id="c1", name="read", arguments={"path": "a"}),)),
            ToolMessage(id="c1", text="content of a"),
        ),
        tools=(TOOL,),
    )
    with model_server(Answer(text="", tool_calls=[("read", {"path": "b.py"}), ("read", {})])) as server:
        reply = dial(server).send(conversation, deadline_s=10)
        wire = json.dumps(server.seen[0].body)
    assert reply.finish is Finish.TOOL_CALLS
    assert [(c.name, c.arguments) for c in reply.tool_calls] == [("read", {"path": "b.py"}), ("read", {})]
    assert "content of a" in wire
    assert "Read a file." in wire


def test_a_schema_goes_out_as_structured_output(dial: Dial) -> None:
    with model_server(Answer(text='{"x": 1}')) as server:
        dial(server).send(REQUEST.model_copy(update={"reply_schema": SCHEMA}), deadline_s=10)
        body = server.seen[0].body
    native = (
        body.get("response_format", {}).get("json_schema", {}).get("schema")
        or body.get("output_config", {})["format"]["schema"]
    )
    assert native == SCHEMA


def test_only_the_key_for_other_urls_is_sent_there(dial: Dial) -> None:
    with model_server(Answer(text="x")) as server:
        dial(server).send(REQUEST, deadline_s=10)
        wire = json.dumps([server.seen[0].headers, server.seen[0].body])
    assert KEY in wire
    assert "sk-other" not in wire


@pytest.mark.parametrize(
    ("answer", "finish"),
    [
        (Answer(text='{"verdict": "CONF', finish="truncated"), Finish.TRUNCATED),
        (Answer(text="", finish="truncated"), Finish.TRUNCATED),
        (Answer(text="I will not.", finish="refused"), Finish.REFUSED),
    ],
)
def test_truncation_and_refusal_are_outcomes(dial: Dial, answer: Answer, finish: Finish) -> None:
    with model_server(answer) as server:
        assert dial(server).send(REQUEST, deadline_s=10).finish is finish


HTML = Answer(body="<html>login</html>", headers={"content-type": "text/html"})
NO_REPLY = [
    (Answer(text="partial", finish="none"), failures.ProtocolFailure),
    (Answer(text="x", finish="sideways"), failures.ProtocolFailure),
    (Answer(text=""), failures.ProtocolFailure),
    (HTML, failures.ProtocolFailure),
    (Answer(body='{"error": {"message": "oops"}}'), failures.ProtocolFailure),
    (Answer(body='{"choices": []}'), failures.ProtocolFailure),
    (Answer(body=""), failures.ProtocolFailure),
    (Answer(text="half", stream_error=("overloaded_error", "Overloaded")), failures.Overloaded),
    (
        Answer(text="half", stream_error=("insufficient_quota", "You exceeded your current quota")),
        failures.QuotaExhausted,
    ),
    (Answer(status=429, body='{"error": {"message": "slow down"}}'), failures.RateLimited),
    (Answer(status=429, body='{"error": {"code": "insufficient_quota", "message": "q"}}'), failures.QuotaExhausted),
    (Answer(status=400, body='{"error": {"message": "Your credit balance is too low"}}'), failures.QuotaExhausted),
    (Answer(status=402, body='{"error": {"message": "Insufficient Balance"}}'), failures.QuotaExhausted),
    (Answer(status=400, body='{"error": {"message": "prompt is too long: 3 > 2"}}'), failures.TooLong),
    (Answer(status=400, body='{"error": {"message": "bad"}}'), failures.Rejected),
    (Answer(status=401, body=f'{{"error": {{"message": "Incorrect API key {KEY}"}}}}'), failures.Unauthorised),
    (Answer(status=404, body='{"error": {"message": "no such model"}}'), failures.Rejected),
    (Answer(status=500, body="<html>"), failures.Overloaded),
    (Answer(status=529, body='{"error": {"type": "overloaded_error", "message": "o"}}'), failures.Overloaded),
    (Answer(status=302, headers={"location": "http://127.0.0.1:9/"}), failures.ProtocolFailure),
]


@pytest.mark.parametrize(("answer", "kind"), NO_REPLY, ids=lambda v: getattr(v, "__name__", ""))
def test_no_reply_is_a_failure_of_the_right_kind(dial: Dial, answer: Answer, kind: type[ModelFailure]) -> None:
    with model_server(answer) as server:
        with pytest.raises(ModelFailure) as caught:
            dial(server).send(REQUEST, deadline_s=10)
        calls = len(server.seen)
    assert type(caught.value) is kind
    assert KEY not in str(caught.value)
    assert calls == 1


def test_a_server_that_is_not_there(dial: Dial) -> None:
    with model_server(Answer()) as server:
        client = dial(server)
    with pytest.raises(failures.Unreachable):
        client.send(REQUEST, deadline_s=5)


@pytest.mark.parametrize(
    "answer", [Answer(delay_s=3), Answer(text="x", finish="none", comments_s=5)], ids=["silence", "comments"]
)
def test_one_deadline_for_the_whole_call(dial: Dial, answer: Answer) -> None:
    with model_server(answer) as server:
        client = dial(server)
        started = time.monotonic()
        with pytest.raises(failures.DeadlineExceeded):
            client.send(REQUEST, deadline_s=0.6)
        assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "3600"}, 3600.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "NaN"}, None),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_what_the_provider_says_about_waiting(dial: Dial, headers: dict[str, str], expected: float | None) -> None:
    with model_server(Answer(status=429, headers=headers)) as server, pytest.raises(failures.RateLimited) as caught:
        dial(server).send(REQUEST, deadline_s=10)
    assert caught.value.retry_after == expected


def test_the_table_of_sdk_errors_is_closed(dial: Dial) -> None:
    import anthropic  # noqa: TID251  # compares our table with the SDK's errors
    import openai  # noqa: TID251  # compares our table with the SDK's errors

    from harness.llm.anthropic import AnthropicClient

    def leaves(base: type[Exception]) -> Iterator[type[Exception]]:
        for sub in base.__subclasses__():
            yield sub
            yield from leaves(sub)

    with model_server(Answer()) as server:
        client = dial(server)
        sdk = anthropic if isinstance(client, AnthropicClient) else openai
        root = sdk.AnthropicError if sdk is anthropic else sdk.OpenAIError
        request = _http_request()
        for kind in leaves(root):
            if issubclass(kind, sdk.APIStatusError):
                error = kind.__new__(kind)
                Exception.__init__(error, "x")
                error.status_code, error.body, error.response = 503, None, _http_response(request)
                assert isinstance(client._failure(error), failures.Overloaded)
            elif issubclass(kind, sdk.APIConnectionError):
                error = kind.__new__(kind)
                Exception.__init__(error, "x")
                assert isinstance(client._failure(error), failures.Unreachable)


def _http_request() -> object:
    import httpx2

    return httpx2.Request("POST", "http://127.0.0.1/")


def _http_response(request: object) -> object:
    import httpx2

    return httpx2.Response(503, request=request)  # type: ignore[arg-type]
