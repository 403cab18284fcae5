"""The loop ends: by the model, at the fifth identical call, when nothing new comes, or at the cap."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from harness.budget import Budget, Caps
from harness.clock import FixedClock
from harness.llm.breaker import Breaker
from harness.llm.gateway import Gateway
from harness.llm.ledger import Labels, Ledger
from harness.llm.limits import Limiter, Rate
from harness.llm.messages import Finish, Reply, Request, SystemMessage, Tool, ToolCall, ToolMessage, UserMessage
from harness.llm.scripted import Script, ScriptedClient
from harness.llm.toolloop import CONCLUDE, NUDGE, ROUNDS, Conversation, Ending, ToolFunction, converse

REQUEST = Request(model="m", messages=(SystemMessage(text="s"), UserMessage(text="q")))


def read(arguments: Mapping[str, JsonValue]) -> str:
    return f"content of {arguments.get('path')}" if arguments.get("path") else "error: path is missing"


def end(arguments: Mapping[str, JsonValue]) -> str:
    return "kept" if arguments.get("result") else "error: result is missing"


def tool(name: str) -> Tool:
    return Tool(name=name, description="d", parameters={"type": "object"})


TOOLS = {"read": ToolFunction(tool("read"), read)}


def talk(
    script: Script, folder: Path, rounds: int = ROUNDS, ending: Ending | None = None
) -> tuple[Conversation, ScriptedClient]:
    clock = FixedClock()
    client = ScriptedClient(script)
    gateway = Gateway(
        client,
        model="m",
        budgets={"discover": Budget(Caps(), clock)},
        limiter=Limiter(Rate(), clock),
        breaker=Breaker(clock),
        price=None,
        ledger=Ledger(folder / "u.jsonl"),
        run="1",
        clock=clock,
        sleep=clock.advance,
    )
    labels = Labels(stage="discover", lane="x")
    tools = {**TOOLS, ending.tool: ToolFunction(tool(ending.tool), end)} if ending else TOOLS
    result = converse(gateway, REQUEST, tools, labels, nonce="abcd", rounds=rounds, ending=ending)
    return result, client


def call(path: object, number: int = 0) -> Reply:
    return Reply(
        text="",
        tool_calls=(ToolCall(id=f"c{number}", name="read", arguments={"path": path}),),
        finish=Finish.TOOL_CALLS,
    )


DONE = Reply(text="{}", finish=Finish.COMPLETE)


def test_results_are_fenced_and_the_answer_ends_it(tmp_path: Path) -> None:
    result, client = talk(lambda r: DONE if len(r.messages) > 2 else call("a"), tmp_path)
    assert (result.reply, result.requests, result.stopped) == (DONE, 2, None)
    answer = client.requests[1].messages[-1]
    assert isinstance(answer, ToolMessage)
    assert answer.text == "<data abcd result of read>\ncontent of a\n</data abcd>"


def test_a_model_that_repeats_one_call_costs_at_most_six_requests(tmp_path: Path) -> None:
    result, client = talk(lambda r: call("a") if r.tools else DONE, tmp_path)
    assert (len(client.requests), result.stopped, result.reply) == (6, "repeated", DONE)
    said = [m.text for m in client.requests[-1].messages if isinstance(m, UserMessage)]
    assert said.count(NUDGE) == 1
    assert said[-1] == CONCLUDE


def test_key_order_does_not_hide_a_repetition(tmp_path: Path) -> None:
    def script(request: Request) -> Reply:
        if not request.tools:
            return DONE
        pairs = [("path", "a"), ("x", 1)]
        arguments = dict(pairs if len(request.messages) % 2 else reversed(pairs))
        return Reply(
            text="", tool_calls=(ToolCall(id="c", name="read", arguments=arguments),), finish=Finish.TOOL_CALLS
        )

    result, client = talk(script, tmp_path)
    assert result.stopped == "repeated"
    assert len(client.requests) == 6


def test_paraphrased_calls_that_bring_nothing_new_end_it(tmp_path: Path) -> None:
    def script(request: Request) -> Reply:
        if not request.tools:
            return DONE
        return Reply(
            text="",
            tool_calls=(ToolCall(id="c", name="read", arguments={"path": "a", "offset": len(request.messages)}),),
            finish=Finish.TOOL_CALLS,
        )

    result, client = talk(script, tmp_path)
    assert result.stopped == "nothing new"
    assert len(client.requests) == 6


def test_the_nudge_follows_the_third_same_call_and_the_fifth_is_the_last(tmp_path: Path) -> None:
    _, client = talk(lambda r: call("a") if r.tools else DONE, tmp_path)
    said = [r.model_dump_json() for r in client.requests]
    assert [NUDGE in s for s in said] == [False, False, False, True, True, True]
    assert [CONCLUDE in s for s in said] == [False] * 5 + [True]
    assert [bool(r.tools) for r in client.requests] == [True] * 5 + [False]


def test_without_a_word_there_are_twenty_rounds(tmp_path: Path) -> None:
    result, client = talk(lambda r: call(len(r.messages)) if r.tools else DONE, tmp_path)
    assert (result.stopped, len(client.requests), ROUNDS) == ("rounds", 21, 20)


def test_rounds_are_capped(tmp_path: Path) -> None:
    result, client = talk(lambda r: call(len(r.messages)) if r.tools else DONE, tmp_path, rounds=7)
    assert (result.stopped, len(client.requests)) == ("rounds", 8)


@pytest.mark.parametrize(
    "bad",
    [
        ToolCall(id="c", name="write", arguments={}),
        ToolCall(id="c", name="read", malformed="{oops"),
        ToolCall(id="c", name="read", arguments={}),
    ],
)
def test_bad_calls_are_answered_not_raised(tmp_path: Path, bad: ToolCall) -> None:
    first = Reply(text="", tool_calls=(bad,), finish=Finish.TOOL_CALLS)
    result, client = talk(lambda r: DONE if len(r.messages) > 2 else first, tmp_path)
    answer = client.requests[1].messages[-1]
    assert isinstance(answer, ToolMessage)
    assert answer.error
    assert result.reply == DONE


def finish(**arguments: JsonValue) -> Reply:
    return Reply(text="", tool_calls=(ToolCall(id="f", name="finish", arguments=arguments),), finish=Finish.TOOL_CALLS)


ENDING = Ending("finish", nudge="finish soon", conclude="finish now")


def test_an_accepted_ending_call_ends_it_and_a_refused_one_does_not(tmp_path: Path) -> None:
    replies = iter([call("a"), finish(), finish(result="x")])
    result, client = talk(lambda _: next(replies), tmp_path, ending=ENDING)
    assert (len(client.requests), result.stopped) == (3, None)
    assert {t.name for t in client.requests[0].tools} == {"read", "finish"}


def test_a_repeated_ending_call_is_no_repetition(tmp_path: Path) -> None:
    replies = iter([*(finish() for _ in range(3)), finish(result="x")])
    result, client = talk(lambda _: next(replies), tmp_path, ending=ENDING)
    assert (len(client.requests), result.stopped) == (4, None)
    assert not any("finish soon" in r.model_dump_json() for r in client.requests)


def test_one_call_for_ever_leaves_only_the_ending_and_costs_six(tmp_path: Path) -> None:
    result, client = talk(lambda _: call("a"), tmp_path, ending=ENDING)
    assert (len(client.requests), result.stopped) == (6, "repeated")
    assert [t.name for t in client.requests[-1].tools] == ["finish"]
    last = client.requests[-1].model_dump_json()
    assert (last.count("finish soon"), last.count("finish now")) == (1, 1)


def test_an_answer_without_the_ending_call_is_asked_once_more(tmp_path: Path) -> None:
    result, client = talk(lambda _: DONE, tmp_path, ending=ENDING)
    assert (len(client.requests), result.stopped) == (2, "unfinished")
