"""Anthropic's messages, and servers that speak them.

Always streams: long outputs are refused otherwise, and only a stream tells an answer that ended from one that was cut.
"""

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

import anthropic  # noqa: TID251  # the one home of this SDK
import httpx2
from anthropic import Anthropic  # noqa: TID251  # the one home of this SDK

from harness.llm.failure import DeadlineExceeded, ModelFailure, ProtocolFailure, Rejected, Unreachable
from harness.llm.http_failure import from_error_type, from_status, no_end
from harness.llm.messages import (
    Finish,
    Message,
    Reply,
    Request,
    SystemMessage,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from harness.llm.transport import Deadline, DeadlinePassed, DeadlineTransport
from harness.redact import redact

FINISH: Final[Mapping[str, Finish]] = {
    "end_turn": Finish.COMPLETE,
    "stop_sequence": Finish.COMPLETE,
    "tool_use": Finish.TOOL_CALLS,
    "max_tokens": Finish.TRUNCATED,
    "model_context_window_exceeded": Finish.TRUNCATED,
    "refusal": Finish.REFUSED,
}


class AnthropicClient:
    """See `harness.llm.client.Client`. `base_url` None means Anthropic itself."""

    def __init__(
        self,
        *,
        spec: str,
        family: str,
        account: str,
        key: str,
        base_url: str | None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self.spec = spec
        self.family = family
        self.account = account
        self._key = key
        self._deadline = Deadline()
        http = httpx2.Client(transport=DeadlineTransport(self._deadline, transport), follow_redirects=False)
        self._sdk = Anthropic(api_key=key, base_url=base_url, max_retries=0, timeout=None, http_client=http)

    def close(self) -> None:
        """Give the connections back."""
        self._sdk.close()

    def send(self, request: Request, *, deadline_s: float) -> Reply:
        """One attempt. Raises ModelFailure."""
        self._deadline.at = time.monotonic() + deadline_s
        try:
            return self._read(self._sdk.messages.create(**_body(request)))
        except ModelFailure:
            raise
        except Exception as error:
            raise self._failure(error) from error
        finally:
            self._deadline.at = None

    def _read(self, stream: Iterable[Any]) -> Reply:
        if not hasattr(stream, "response"):
            raise ProtocolFailure("the server did not answer with an event stream")
        blocks: dict[int, dict[str, str]] = {}
        finish: str | None = None
        stopped = False
        counted: dict[str, int | None] = {}
        model = request_id = ""
        for event in stream:
            if event.type == "message_start":
                if request_id:
                    raise ProtocolFailure("two answers came in one stream")
                model, request_id = event.message.model or "", event.message.id or ""
                _count(counted, event.message.usage)
            elif event.type == "content_block_start":
                block = event.content_block
                blocks[event.index] = {
                    "type": block.type, "id": getattr(block, "id", "") or "", "name": getattr(block, "name", "") or "",
                    "text": getattr(block, "text", "") or "",
                }  # fmt: skip
            elif event.type == "content_block_delta":
                if event.index not in blocks:
                    raise ProtocolFailure("the stream goes on with a block that never began")
                delta = event.delta
                blocks[event.index]["text"] += getattr(delta, "text", "") or getattr(delta, "partial_json", "") or ""
            elif event.type == "message_delta":
                finish = event.delta.stop_reason or finish
                _count(counted, event.usage)
            elif event.type == "message_stop":
                stopped = True
        if finish is None or not stopped:
            raise no_end(stream.response.headers)
        if finish not in FINISH:
            raise ProtocolFailure(f"unknown stop reason {finish!r}")
        ordered = [blocks[i] for i in sorted(blocks)]
        text = "".join(b["text"] for b in ordered if b["type"] == "text")
        calls = tuple(_call(b) for b in ordered if b["type"] == "tool_use")
        if len({c.id for c in calls}) < len(calls):
            raise ProtocolFailure("two tool calls carry one id")
        if FINISH[finish] is Finish.COMPLETE and not text.strip():
            raise ProtocolFailure("the answer is empty")
        return Reply(
            text=text,
            tool_calls=calls,
            finish=FINISH[finish],
            usage=_usage(counted),
            model=model,
            request_id=request_id,
        )

    def _failure(self, error: Exception) -> ModelFailure:
        """The closed table: every class of error the SDK raises, most special first."""
        message = redact(str(error), [self._key])
        if self._deadline.remaining() <= 0 or isinstance(error, DeadlinePassed):
            return DeadlineExceeded("the call took longer than its deadline")
        if isinstance(error, anthropic.APIStatusError):
            if error.status_code == 200:  # an error event inside a stream that had begun well
                return from_error_type(_error_type(error.body), message)
            return from_status(error.status_code, message, error.response.headers)
        if isinstance(error, anthropic.APIResponseValidationError | json.JSONDecodeError | UnicodeDecodeError):
            return ProtocolFailure(message)
        if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError):
            return Unreachable(message)
        if isinstance(error, anthropic.APIError):
            return ProtocolFailure(message)
        return Rejected(f"{type(error).__name__}: {message}")


def _body(request: Request) -> dict[str, Any]:
    system = [m for m in request.messages if isinstance(m, SystemMessage)]
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_output_tokens,
        "messages": _turns(m for m in request.messages if not isinstance(m, SystemMessage)),
        "stream": True,
    }
    if system:
        body["system"] = [{"type": "text", "text": system[0].text, "cache_control": {"type": "ephemeral"}}]
    if request.tools:
        body["tools"] = [
            {"name": t.name, "description": t.description, "input_schema": t.parameters} for t in request.tools
        ]
    if request.reply_schema is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": request.reply_schema}}
    return body


def _turns(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Neighbouring messages of one role become one turn, as the protocol wants; tool results are the user's."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        if not turns or turns[-1]["role"] != role:
            turns.append({"role": role, "content": []})
        turns[-1]["content"].extend(_blocks(message))
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    if isinstance(message, ToolMessage):
        return [{"type": "tool_result", "tool_use_id": message.id, "content": message.text, "is_error": message.error}]
    if isinstance(message, UserMessage):
        block: dict[str, Any] = {"type": "text", "text": message.text}
        if message.cache:
            block["cache_control"] = {"type": "ephemeral"}
        return [block]
    if isinstance(message, SystemMessage):
        return [{"type": "text", "text": message.text}]
    text = [{"type": "text", "text": message.text}] if message.text else []
    calls = [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in message.tool_calls]
    return [*text, *calls]


def _call(block: Mapping[str, str]) -> ToolCall:
    try:
        arguments = json.loads(block["text"] or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        return ToolCall(id=block["id"], name=block["name"], malformed=block["text"])
    return ToolCall(id=block["id"], name=block["name"], arguments=arguments)


def _error_type(body: object) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    return str(error.get("type", "")) if isinstance(error, dict) else ""


def _count(counted: dict[str, int | None], usage: Any) -> None:
    for name in ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"):
        value = getattr(usage, name, None)
        if value is not None:
            counted[name] = value


def _usage(counted: Mapping[str, int | None]) -> Usage:
    """The provider counts cached input apart; our `input_tokens` is all of it."""
    fresh = counted.get("input_tokens")
    read = counted.get("cache_read_input_tokens")
    written = counted.get("cache_creation_input_tokens")
    return Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
        cached_tokens=read,
        cache_write_tokens=written,
        output_tokens=counted.get("output_tokens"),
    )
