"""A model with tools, from question to answer, stopped when it goes in circles.

Stops (and then asks once for the answer, without tools) at the fifth identical call, after rounds that bring nothing
new, or at the cap. The third identical call brings one nudge a conversation. A model that always repeats one call costs
at most six requests.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from pydantic import JsonValue

from harness.files import sha256
from harness.llm.client import Asker
from harness.llm.fence import fence
from harness.llm.ledger import Labels
from harness.llm.messages import (
    AssistantMessage,
    Finish,
    Message,
    Reply,
    Request,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)

NUDGE_AT = 3
STOP_AT = 5
STALE_ROUNDS = 3
ROUNDS = 20
RESULT_CHARACTERS = 12_000

NUDGE = "You have made this exact call before and have its result above. Conclude from what you have read."
CONCLUDE = "No more tools. Give your final answer now, as the JSON object that was asked for, from what you have read."

Stop = Literal["repeated", "nothing new", "rounds", "unfinished"]


class ToolFunction(NamedTuple):
    """A tool as the model sees it, and what it does. `call` never raises for bad arguments: it returns the complaint."""

    tool: Tool
    call: Callable[[Mapping[str, JsonValue]], str]


class Ending(NamedTuple):
    """A tool whose accepted call is the answer. It is never counted as a repetition."""

    tool: str
    """Its name, one of the tools offered."""
    nudge: str
    """What is said instead of NUDGE."""
    conclude: str
    """What is said when only this tool is left: once a conversation."""


class Conversation(NamedTuple):
    """What came of it."""

    reply: Reply
    """The last reply; its finish says whether it is an answer."""
    messages: tuple[Message, ...]
    """Everything said before it."""
    requests: int
    """Requests answered."""
    stopped: Stop | None
    """Why the tools were taken away, None when the model ended by itself."""


def converse(
    asker: Asker,
    request: Request,
    tools: Mapping[str, ToolFunction],
    labels: Labels,
    *,
    nonce: str,
    rounds: int = ROUNDS,
    ending: Ending | None = None,
) -> Conversation:
    """Ask until the model answers without a call, or makes the call that ends it. Raises ModelFailure, BudgetExhausted."""
    offered = request.model_copy(update={"tools": tuple(t.tool for t in tools.values())})
    messages = list(request.messages)
    seen_calls: Counter[str] = Counter()
    seen_results: set[str] = set()
    nudged = False
    stale = 0
    for number in range(1, rounds + 1):
        reply = asker.ask(offered.model_copy(update={"messages": tuple(messages)}), labels)
        if reply.finish is not Finish.TOOL_CALLS:
            if ending is None or reply.finish is not Finish.COMPLETE:
                return Conversation(reply, tuple(messages), number, None)
            messages.append(AssistantMessage(text=reply.text))
            return _conclude(asker, offered, messages, labels, number, "unfinished", tools, ending)
        messages.append(AssistantMessage(text=reply.text, tool_calls=reply.tool_calls))
        fresh = False
        for call in reply.tool_calls:
            text, error = _result(call, tools)
            if ending and call.name == ending.tool:
                if not error:
                    return Conversation(reply, tuple(messages), number, None)
            else:
                seen_calls[fingerprint(call)] += 1
            fresh = fresh or (sha256(text) not in seen_results and not error)
            seen_results.add(sha256(text))
            messages.append(
                ToolMessage(id=call.id, text=fence(text, nonce, f"result of {call.name[:40]}"), error=error)
            )
        stale = 0 if fresh else stale + 1
        most = max(seen_calls.values(), default=0)
        stop: Stop | None = "repeated" if most >= STOP_AT else "nothing new" if stale >= STALE_ROUNDS + 1 else None
        if stop:
            return _conclude(asker, offered, messages, labels, number, stop, tools, ending)
        if most >= NUDGE_AT and not nudged:
            nudged = True
            messages.append(UserMessage(text=ending.nudge if ending else NUDGE))
    return _conclude(asker, offered, messages, labels, rounds, "rounds", tools, ending)


def fingerprint(call: ToolCall) -> str:
    """Name and all arguments, keys sorted; never raises."""
    try:
        arguments = json.dumps(call.arguments, sort_keys=True, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):
        arguments = repr(call.arguments)
    return f"{call.name}\0{arguments}\0{call.malformed}"


def _conclude(
    asker: Asker,
    offered: Request,
    messages: list[Message],
    labels: Labels,
    so_far: int,
    stop: Stop,
    tools: Mapping[str, ToolFunction],
    ending: Ending | None,
) -> Conversation:
    """One last question: for the answer without tools, or for the call that ends it, with nothing else offered."""
    messages.append(UserMessage(text=ending.conclude if ending else CONCLUDE))
    left = (tools[ending.tool].tool,) if ending else ()
    reply = asker.ask(offered.model_copy(update={"messages": tuple(messages), "tools": left}), labels)
    for call in reply.tool_calls if ending else ():
        if ending and call.name == ending.tool:
            _result(call, tools)
    return Conversation(reply, tuple(messages), so_far + 1, stop)


def _result(call: ToolCall, tools: Mapping[str, ToolFunction]) -> tuple[str, bool]:
    """(text, whether it is a complaint)."""
    if call.malformed:
        return "The arguments are no JSON object. Call again with an object.", True
    function = tools.get(call.name)
    if function is None:
        return f"There is no tool {call.name[:60]!r}. Tools: {', '.join(tools)}.", True
    text = function.call(call.arguments)
    if len(text) > RESULT_CHARACTERS:
        text = text[:RESULT_CHARACTERS] + "\n[cut here; ask for less]"
    return text, text.startswith("error: ")
