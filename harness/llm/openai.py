"""OpenAI and everything that speaks its chat completions: vLLM, llama.cpp, Ollama, DeepSeek.

Always streams: only a stream tells an answer that ended from one that was cut. Success needs an explicit finish reason.
"""

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

import httpx2
import openai  # noqa: TID251  # the one home of this SDK
from openai import OpenAI  # noqa: TID251  # the one home of this SDK

from harness.llm.failure import DeadlineExceeded, ModelFailure, ProtocolFailure, Rejected, Unreachable
from harness.llm.http_failure import from_error_type, from_status, no_end
from harness.llm.messages import (
    AssistantMessage,
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
    "stop": Finish.COMPLETE,
    "tool_calls": Finish.TOOL_CALLS,
    "function_call": Finish.TOOL_CALLS,
    "length": Finish.TRUNCATED,
    "content_filter": Finish.REFUSED,
}


class OpenAIClient:
    """See `harness.llm.client.Client`. `base_url` None means OpenAI itself."""

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
        self._own = base_url is None
        self._deadline = Deadline()
        http = httpx2.Client(transport=DeadlineTransport(self._deadline, transport), follow_redirects=False)
        self._sdk = OpenAI(api_key=key, base_url=base_url, max_retries=0, timeout=None, http_client=http)

    def close(self) -> None:
        """Give the connections back."""
        self._sdk.close()

    def send(self, request: Request, *, deadline_s: float) -> Reply:
        """One attempt. Raises ModelFailure."""
        self._deadline.at = time.monotonic() + deadline_s
        try:
            return self._read(self._sdk.chat.completions.create(**self._body(request)))
        except ModelFailure:
            raise
        except Exception as error:
            raise self._failure(error) from error
        finally:
            self._deadline.at = None

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": request.model,
            "messages": [_message(m) for m in request.messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            # OpenAI's newer models refuse max_tokens; other servers know no other name for it.
            ("max_completion_tokens" if self._own else "max_tokens"): request.max_output_tokens,
        }
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": t.name, "description": t.description, "parameters": t.parameters},
                }
                for t in request.tools
            ]
        if request.reply_schema is not None:
            schema = {"name": "reply", "schema": request.reply_schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def _read(self, stream: Iterable[Any]) -> Reply:
        if not hasattr(stream, "response"):
            raise ProtocolFailure("the server did not answer with an event stream")
        text: list[str] = []
        refusal: list[str] = []
        calls: dict[int, dict[str, str]] = {}
        finish: str | None = None
        usage, model, request_id = Usage(), "", ""
        for chunk in stream:
            if request_id and (getattr(chunk, "id", "") or request_id) != request_id:
                raise ProtocolFailure("two answers came in one stream")
            model, request_id = getattr(chunk, "model", "") or model, getattr(chunk, "id", "") or request_id
            if getattr(chunk, "usage", None):
                usage = _usage(chunk.usage)
            for choice in getattr(chunk, "choices", None) or ():
                delta = choice.delta
                text.append((delta and delta.content) or "")
                refusal.append((delta and delta.refusal) or "")
                for part in (delta and delta.tool_calls) or ():
                    call = calls.setdefault(part.index, {"id": "", "name": "", "arguments": ""})
                    call["id"] = part.id or call["id"]
                    if part.function:
                        call["name"] += part.function.name or ""
                        call["arguments"] += part.function.arguments or ""
                finish = choice.finish_reason or finish
        if finish is None:
            raise no_end(stream.response.headers)
        if finish not in FINISH:
            raise ProtocolFailure(f"unknown finish reason {finish!r}")
        end = Finish.REFUSED if any(refusal) and FINISH[finish] is Finish.COMPLETE else FINISH[finish]
        tool_calls = tuple(_call(calls[i]) for i in sorted(calls))
        if len({c.id for c in tool_calls}) < len(tool_calls):
            raise ProtocolFailure("two tool calls carry one id")
        if end is Finish.COMPLETE and tool_calls:
            end = Finish.TOOL_CALLS  # several servers say "stop" here
        if end is Finish.COMPLETE and not "".join(text).strip():
            raise ProtocolFailure("the answer is empty")
        return Reply(
            text="".join(text) or "".join(refusal),
            tool_calls=tool_calls,
            finish=end,
            usage=usage,
            model=model,
            request_id=request_id,
        )

    def _failure(self, error: Exception) -> ModelFailure:
        """The closed table: every class of error the SDK raises, most special first."""
        message = redact(str(error), [self._key])
        if self._deadline.remaining() <= 0 or isinstance(error, DeadlinePassed):
            return DeadlineExceeded("the call took longer than its deadline")
        if isinstance(error, openai.APIStatusError):
            # The code (insufficient_quota, context_length_exceeded) is not part of the SDK's message.
            return from_status(error.status_code, f"{message} {error.code or ''}".strip(), error.response.headers)
        if isinstance(error, openai.APIResponseValidationError | json.JSONDecodeError | UnicodeDecodeError):
            return ProtocolFailure(message)
        if isinstance(error, openai.APIConnectionError | httpx2.TransportError):
            return Unreachable(message)
        if isinstance(error, openai.APIError):
            return from_error_type(f"{error.type or ''} {error.code or ''}", message)
        return Rejected(f"{type(error).__name__}: {message}")


def _message(message: Message) -> dict[str, Any]:
    if isinstance(message, SystemMessage | UserMessage):
        return {"role": message.role, "content": message.text}
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.id, "content": message.text}
    return _assistant(message)


def _assistant(message: AssistantMessage) -> dict[str, Any]:
    body: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    if message.tool_calls:
        body["tool_calls"] = [
            {
                "id": c.id,
                "type": "function",
                "function": {"name": c.name, "arguments": c.malformed or json.dumps(c.arguments, ensure_ascii=False)},
            }
            for c in message.tool_calls
        ]
    return body


def _call(call: Mapping[str, str]) -> ToolCall:
    try:
        arguments = json.loads(call["arguments"] or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        return ToolCall(id=call["id"], name=call["name"], malformed=call["arguments"])
    return ToolCall(id=call["id"], name=call["name"], arguments=arguments)


def _usage(usage: Any) -> Usage:
    details = getattr(usage, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None) if details else None
    if cached is None:
        cached = getattr(usage, "prompt_cache_hit_tokens", None)  # DeepSeek's name
    return Usage(input_tokens=usage.prompt_tokens, cached_tokens=cached, output_tokens=usage.completion_tokens)
