"""A real HTTP server on loopback that speaks both providers' wire formats and misbehaves on demand."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What the server does with one request."""

    text: str = ""
    tool_calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    finish: str = "complete"
    """complete, truncated, refused, or `none`: the stream just ends."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    """A raw body instead of an event stream."""
    stream_error: tuple[str, str] | None = None
    """(type, message) of an error event after the text."""
    delay_s: float = 0.0
    """Before the first byte."""
    comments_s: float = 0.0
    """Send keep-alive comments for so long after the text."""
    silence_s: float = 0.0
    """Send nothing for so long after the text, on an open connection."""
    mixed: bool = False
    """A part of another answer comes in between."""
    same_ids: bool = False
    """All tool calls carry one id."""
    usage: tuple[int, int, int] = (100, 20, 7)
    """Fresh input, cached input, output."""


@dataclass
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float


class ModelServer:
    """`url` speaks OpenAI at /v1/chat/completions and Anthropic at /v1/messages."""

    def __init__(self, play: Callable[[Seen], Answer]) -> None:
        self.play = play
        self.seen: list[Seen] = []
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name of the overridden method
                pass

            def do_POST(self) -> None:
                server._serve(self)

        class Server(ThreadingHTTPServer):
            request_queue_size = 512  # many connect at once, and a refused connection is not what is tested

        self._http = Server(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers.get("content-length", 0)))
        seen = Seen(handler.path, dict(handler.headers.items()), json.loads(raw), time.monotonic())
        with self._lock:
            self.seen.append(seen)
        answer = self.play(seen)
        time.sleep(answer.delay_s)
        anthropic = handler.path.endswith("/messages")
        try:
            if answer.body is not None or answer.status != 200:
                self._plain(handler, answer)
            else:
                self._stream(handler, answer, _anthropic(answer) if anthropic else _openai(answer))
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client has had enough
        handler.close_connection = True

    def _plain(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        body = (answer.body if answer.body is not None else "{}").encode()
        handler.send_response_only(answer.status)
        usual = {"content-type": "application/json", "date": handler.date_time_string()}
        for name, value in {**usual, **answer.headers}.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(body)))
        handler.send_header("connection", "close")  # as it is closed: a client that kept it would lose its next try
        handler.end_headers()
        handler.wfile.write(body)

    def _stream(self, handler: BaseHTTPRequestHandler, answer: Answer, events: Iterator[str]) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("connection", "close")
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        for event in events:
            handler.wfile.write(event.encode())
            handler.wfile.flush()
        time.sleep(answer.silence_s)
        end = time.monotonic() + answer.comments_s
        while time.monotonic() < end:
            handler.wfile.write(b": keep-alive\n\n")
            handler.wfile.flush()
            time.sleep(0.05)


@contextmanager
def model_server(play: Callable[[Seen], Answer] | list[Answer] | Answer) -> Iterator[ModelServer]:
    """A server that plays a function, a list (the last one for ever), or always the same."""
    if isinstance(play, Answer):
        play = [play]
    if isinstance(play, list):
        answers = list(play)
        server = ModelServer(lambda _: answers.pop(0) if len(answers) > 1 else answers[0])
    else:
        server = ModelServer(play)
    try:
        yield server
    finally:
        server.close()


def _openai(answer: Answer) -> Iterator[str]:
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "served-model"}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return f"data: {json.dumps({**base, 'choices': [choice]})}\n\n"

    half = len(answer.text) // 2
    yield chunk({"role": "assistant", "content": answer.text[:half]})
    if answer.mixed:
        base = {**base, "id": "chatcmpl-2"}
    yield chunk({"content": answer.text[half:]})
    for index, (name, arguments) in enumerate(answer.tool_calls):
        raw = json.dumps(arguments)
        start = {
            "index": index,
            "id": f"call_{0 if answer.same_ids else index}",
            "type": "function",
            "function": {"name": name, "arguments": ""},
        }
        yield chunk({"tool_calls": [start]})
        for piece in (raw[:4], raw[4:]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    if answer.stream_error:
        error = {"error": {"type": answer.stream_error[0], "message": answer.stream_error[1]}}
        yield f"data: {json.dumps(error)}\n\n"
        return
    if answer.finish == "none":
        return
    end = {
        "complete": "tool_calls" if answer.tool_calls else "stop",
        "truncated": "length",
        "refused": "content_filter",
    }
    yield chunk({}, end.get(answer.finish, answer.finish))
    fresh, cached, output = answer.usage
    usage = {
        "prompt_tokens": fresh + cached, "completion_tokens": output, "total_tokens": fresh + cached + output,
        "prompt_tokens_details": {"cached_tokens": cached},
    }  # fmt: skip
    yield f"data: {json.dumps({**base, 'choices': [], 'usage': usage})}\n\n"
    yield "data: [DONE]\n\n"


def _anthropic(answer: Answer) -> Iterator[str]:
    def event(kind: str, **fields: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"

    fresh, cached, output = answer.usage
    usage = {
        "input_tokens": fresh,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": 1,
    }
    message: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "served-model", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    yield event("message_start", message=message)
    if answer.mixed:
        yield event("message_start", message={**message, "id": "msg_2"})
    index = 0
    if answer.text:
        yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        half = len(answer.text) // 2
        for piece in (answer.text[:half], answer.text[half:]):
            yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
        yield event("content_block_stop", index=0)
        index = 1
    for name, arguments in answer.tool_calls:
        block = {"type": "tool_use", "id": f"toolu_{0 if answer.same_ids else index}", "name": name, "input": {}}
        yield event("content_block_start", index=index, content_block=block)
        raw = json.dumps(arguments)
        for piece in (raw[:4], raw[4:]):
            yield event("content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": piece})
        yield event("content_block_stop", index=index)
        index += 1
    if answer.stream_error:
        yield event("error", error={"type": answer.stream_error[0], "message": answer.stream_error[1]})
        return
    if answer.finish == "none":
        return
    end = {"complete": "tool_use" if answer.tool_calls else "end_turn", "truncated": "max_tokens", "refused": "refusal"}
    delta = {"stop_reason": end.get(answer.finish, answer.finish), "stop_sequence": None}
    yield event("message_delta", delta=delta, usage={"output_tokens": output})
    yield event("message_stop")
