"""What is sent to a model and what comes back, independent of any provider."""

import json
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from harness.files import sha256
from harness.schema.base import Record


class SystemMessage(Record):
    """Instructions. At most one, first; the stable prefix of a conversation."""

    role: Literal["system"] = "system"
    text: str
    """The instructions."""


class UserMessage(Record):
    """Material and questions."""

    role: Literal["user"] = "user"
    text: str
    """What the model reads."""
    cache: bool = False
    """True when everything up to and including this message is shared by many calls (a cache breakpoint)."""


class ToolCall(Record):
    """One call a model asks for."""

    id: str
    """The provider's id, answered by the ToolMessage with the same id."""
    name: str
    """Name of the tool."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    """Arguments; empty when `malformed` is set."""
    malformed: str = ""
    """The raw text of arguments that were no JSON object."""


class AssistantMessage(Record):
    """What the model said earlier in this conversation."""

    role: Literal["assistant"] = "assistant"
    text: str = ""
    """Its text."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls it asked for."""


class ToolMessage(Record):
    """The result of one call."""

    role: Literal["tool"] = "tool"
    id: str
    """Id of the call."""
    text: str
    """The result, already fenced."""
    error: bool = False
    """True when the tool refused or failed."""


Message = Annotated[SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]


class Tool(Record):
    """A tool offered to the model."""

    name: str
    """Name."""
    description: str
    """What it does, for the model."""
    parameters: dict[str, JsonValue]
    """JSON Schema of the arguments object."""


class Request(Record):
    """One call. Its key is a hash of everything that can change the answer."""

    model: str
    """The provider's name of the model."""
    messages: tuple[Message, ...]
    """The conversation."""
    tools: tuple[Tool, ...] = ()
    """Tools offered; with none offered, markup of tool calls in the reply makes it a failed one."""
    reply_schema: dict[str, JsonValue] | None = None
    """JSON Schema of the reply, by the provider's structured output; None for free text."""
    max_output_tokens: int = 16_000
    """Cap of the reply."""
    prompt_version: str = ""
    """Hash of the prompt files used."""
    sample: int = 0
    """Number of the sample when the same question is asked several times."""

    @property
    def key(self) -> str:
        """Hex SHA-256; equal keys, equal question. The order of keys in a schema is no part of it."""
        return sha256(json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":")))


class Usage(Record):
    """Tokens of one call, as the provider counted them; None where it did not say."""

    input_tokens: int | None = None
    """Sent, those read from the cache included."""
    cached_tokens: int | None = None
    """Of these, read from the cache."""
    cache_write_tokens: int | None = None
    """Of these, newly written to the cache, where the provider bills that apart."""
    output_tokens: int | None = None
    """Received, hidden reasoning included."""


class Finish(StrEnum):
    """How a reply ended, as the provider said explicitly."""

    COMPLETE = "complete"
    TOOL_CALLS = "tool-calls"
    TRUNCATED = "truncated"
    REFUSED = "refused"


class Reply(Record):
    """An answer with an explicit end. TRUNCATED and REFUSED are outcomes to act on; never parse them as complete."""

    text: str
    """The text."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls asked for."""
    finish: Finish
    """How it ended."""
    usage: Usage = Usage()
    """What the provider counted."""
    model: str = ""
    """The model that answered, as reported."""
    request_id: str = ""
    """The provider's id, for support."""


def estimated_tokens(request: Request) -> int:
    """A safe upper estimate of the input: characters over three (code has 2.9 to 4.8 characters a token), tools included."""
    characters = sum(len(m.model_dump_json()) for m in request.messages)
    characters += sum(len(t.model_dump_json()) for t in request.tools)
    return -(-characters // 3)
