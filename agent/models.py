"""The model side of a report: two tiers behind the broker, and how a question is put."""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import NamedTuple

from agent.order import ReportOrder
from agent.session import SessionFolder
from harness.budget import parse
from harness.errors import Bug
from harness.files import sha256
from harness.llm.client import Asker
from harness.llm.ledger import Labels
from harness.llm.link import inherited
from harness.llm.messages import Finish, Message, Reply, Request, SystemMessage, UserMessage
from harness.llm.wire import Opening

CHEAP, MAIN = "cheap", "main"
STAGES = ("explore", "gap", "draft", "reflect", "compile")
OUTPUT_TOKENS = 16_000
LARGEST_OUTPUT_TOKENS = 64_000
PROMPTS = ("rules", "explore", "gap", "draft", "firmer", "critique", "section", "whole", "repair")


class Askers(NamedTuple):
    """Who answers."""

    cheap: Asker
    """Explores."""
    main: Asker
    """Drafts, reflects, repairs."""


@contextmanager
def connected(order: ReportOrder, folder: SessionFolder) -> Iterator[Askers | None]:
    """Askers behind the broker that started this process, None when the order names no model. Raises UsageError."""
    if order.model is None:
        yield None
        return
    link = inherited()
    if link is None:
        raise Bug("a report with a model was started without its broker")
    try:
        askers = link.open(
            Opening(
                run=folder.id, ledger=str(folder.ledger), tape=str(folder.calls), record=order.record,
                tiers={CHEAP: order.cheap_model or order.model, MAIN: order.model}, caps=parse(order.budget)._asdict(),
                reserve=0.0, requests_per_minute=order.requests_per_minute, tokens_per_minute=order.tokens_per_minute,
                stages=STAGES,
            )
        )  # fmt: skip
        yield Askers(askers[CHEAP], askers[MAIN])
    finally:
        link.close()


@functools.cache
def prompt(name: str) -> str:
    """The text of a prompt file."""
    return (files("agent") / "prompts" / f"{name}.md").read_text("utf-8")


@functools.cache
def prompt_version() -> str:
    """Hash of all prompt files: part of every question."""
    return sha256("\0".join(prompt(name) for name in PROMPTS))[:16]


def rules(nonce: str, language: str) -> SystemMessage:
    """The instructions that every question of a report begins with."""
    words = {"en": "English", "zh": "Chinese (Simplified)"}[language]
    return SystemMessage(text=prompt("rules").replace("{nonce}", nonce).replace("{language}", words))


def question(asker: Asker, messages: Sequence[Message], *, sample: int = 0) -> Request:
    """A question without tools."""
    return Request(
        model=asker.model, messages=tuple(messages), max_output_tokens=OUTPUT_TOKENS, prompt_version=prompt_version(),
        sample=sample,
    )  # fmt: skip


def answer(asker: Asker, request: Request, labels: Labels) -> Reply:
    """The reply; one that was cut is asked for once more with the largest cap. Raises ModelFailure, BudgetExhausted."""
    reply = asker.ask(request, labels)
    if reply.finish is Finish.TRUNCATED and request.max_output_tokens < LARGEST_OUTPUT_TOKENS:
        reply = asker.ask(request.model_copy(update={"max_output_tokens": LARGEST_OUTPUT_TOKENS}), labels)
    return reply


def told(text: str, *, cache: bool = False) -> UserMessage:
    """Something the model reads."""
    return UserMessage(text=text, cache=cache)
