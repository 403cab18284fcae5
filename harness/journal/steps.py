"""What is known of a durable step."""

from typing import NamedTuple

from pydantic import JsonValue


class StepState(NamedTuple):
    """What the journal knows of a step."""

    attempts: int
    """How many times it was begun."""
    done: bool
    """Whether it has a result."""
    result: JsonValue
    """The result, None unless done."""


class StepCounts(NamedTuple):
    """How far a kind of steps is."""

    begun: int
    """Steps with an intent."""
    done: int
    """Steps with a result."""
