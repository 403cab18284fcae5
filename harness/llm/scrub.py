"""What leaves this machine: every text of a question, without anything shaped like a credential and without our own secrets.

The one place where it is done: the gateway, before the question gets its key, so that a recording and its replay agree.
"""

from collections.abc import Sequence

from pydantic import JsonValue

from harness.llm.messages import AssistantMessage, Message, Request, ToolCall
from harness.redact import redact_outbound


def scrub(request: Request, secrets: Sequence[str] = ()) -> Request:
    """The same question; the same object when there is nothing to take out."""
    messages = tuple(_message(m, secrets) for m in request.messages)
    return request if messages == request.messages else request.model_copy(update={"messages": messages})


def _message(message: Message, secrets: Sequence[str]) -> Message:
    update: dict[str, object] = {"text": redact_outbound(message.text, secrets)}
    if isinstance(message, AssistantMessage):
        update["tool_calls"] = tuple(_call(call, secrets) for call in message.tool_calls)
    return message.model_copy(update=update)


def _call(call: ToolCall, secrets: Sequence[str]) -> ToolCall:
    arguments = {name: _value(value, secrets) for name, value in call.arguments.items()}
    return call.model_copy(update={"arguments": arguments, "malformed": redact_outbound(call.malformed, secrets)})


def _value(value: JsonValue, secrets: Sequence[str]) -> JsonValue:
    if isinstance(value, str):
        return redact_outbound(value, secrets)
    if isinstance(value, list):
        return [_value(one, secrets) for one in value]
    if isinstance(value, dict):
        return {name: _value(one, secrets) for name, one in value.items()}
    return value
