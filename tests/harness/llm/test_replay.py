"""What was recorded answers again, to the byte, and nothing secret is in it."""

from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.llm.failure import QuotaExhausted, Rejected
from harness.llm.messages import Request, Tool, UserMessage
from harness.llm.replay import Recorder, Recording, ReplayClient, Tape, keep_manifest
from harness.llm.scripted import ScriptedClient
from harness.llm.spec import connect, key_variable, parse

ONE = Request(model="m", messages=(UserMessage(text="one"),))
TWO = Request(model="m", messages=(UserMessage(text="two"),))


def test_a_recording_answers_again(tmp_path: Path) -> None:
    recorder = Recorder(ScriptedClient(["first sk-abcdefghijkl", QuotaExhausted("no more")]), tmp_path)
    live = recorder.send(ONE, deadline_s=1)
    with pytest.raises(QuotaExhausted):
        recorder.send(TWO, deadline_s=1)
    names = {"main": "m"}
    keep_manifest(tmp_path, Recording(tiers={"main": "scripted:test"}, families=names, models=names))
    replay = connect(parse(f"replay:{tmp_path}"), {})
    again = replay.send(ONE, deadline_s=1)
    assert again == live.model_copy(update={"text": "first [redacted]"})
    with pytest.raises(QuotaExhausted, match="no more"):
        replay.send(TWO, deadline_s=1)
    with pytest.raises(Rejected, match="no answer to this question"):
        replay.send(ONE.model_copy(update={"sample": 1}), deadline_s=1)


def test_an_empty_folder_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no recording"):
        ReplayClient(tmp_path, "main")
    (tmp_path / "recording.json").write_text("{}")
    with pytest.raises(UsageError, match="is damaged"):
        ReplayClient(tmp_path, "main")


@pytest.mark.parametrize(
    ("text", "family", "variable"),
    [
        ("anthropic:claude-opus-5-5", "claude", "ANTHROPIC_API_KEY"),
        ("openai:gpt-6-sol", "gpt", "OPENAI_API_KEY"),
        ("openai:o3-mini", "gpt", "OPENAI_API_KEY"),
        ("openai:deepseek-chat@https://api.example.com/v1", "deepseek", "HARNESS_API_KEY"),
        ("openai:meta/llama3-8b@http://127.0.0.1:8080/v1", "llama", "HARNESS_API_KEY"),
    ],
)
def test_spec_strings(text: str, family: str, variable: str) -> None:
    spec = parse(text)
    assert (str(spec), spec.family, key_variable(spec)) == (text, family, variable)


@pytest.mark.parametrize(
    "text", ["gpt-6", "openai:", "azure:x", "openai:x@ftp://h", "openai:x@http://u:p@h/", "replay:"]
)
def test_spec_strings_that_are_none(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert caught.value.hint
    assert "u:p" not in str(caught.value)


def test_a_missing_key_names_the_variable_and_the_way_without() -> None:
    with pytest.raises(UsageError, match="needs ANTHROPIC_API_KEY") as caught:
        connect(parse("anthropic:claude-x"), {"OPENAI_API_KEY": "x"})
    assert "--offline" in caught.value.hint


def test_a_question_with_schemas_is_found_again_whatever_the_order_of_their_keys(tmp_path: Path) -> None:
    tool = Tool(name="t", description="d", parameters={"type": "object", "properties": {"b": {}, "a": {}}})
    asked = ONE.model_copy(update={"tools": (tool,), "reply_schema": {"type": "object", "required": ["x"]}})
    Recorder(ScriptedClient(["yes"]), tmp_path).send(asked, deadline_s=1)
    taped = Tape(tmp_path).find(asked.key)
    assert taped is not None
    assert taped.request == asked
