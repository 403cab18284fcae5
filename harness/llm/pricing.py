"""What a call costs. Provider and price are resolved once, together; a price that is not known is None, never zero."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files

from harness.llm.messages import Usage
from harness.schema.base import Record


class Rates(Record):
    """US dollars for a million tokens."""

    input: float
    """Fresh input."""
    cached: float | None = None
    """Input read from the provider's cache; None means the rate of fresh input."""
    cache_write: float | None = None
    """Input newly written to the cache; None means the rate of fresh input."""
    output: float
    """Output."""


class Price(Rates):
    """The rates of one model, and where they end."""

    as_of: str
    """Date on which the provider's page said so."""
    up_to: int | None = None
    """Longest input, in tokens, to which these rates apply."""
    beyond: Rates | None = None
    """Rates of the whole call when its input is longer; None with `up_to` means that they are not known."""

    def rates(self, input_tokens: int) -> Rates | None:
        """The rates of a call with this much input."""
        if self.up_to is not None and input_tokens > self.up_to:
            return self.beyond
        return self


def known_prices(extra: Mapping[str, Mapping[str, object]] | None = None) -> dict[str, Price]:
    """`provider:model` -> price: the shipped table, then the caller's. Raises pydantic.ValidationError for a bad entry."""
    shipped = tomllib.loads(files("harness.llm").joinpath("prices.toml").read_text("utf-8"))
    return {name: Price.model_validate(entry) for name, entry in {**shipped, **(extra or {})}.items()}


def cost(price: Price | None, usage: Usage) -> float | None:
    """US dollars of one call; None when the rates or the counts are unknown."""
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    rates = price.rates(usage.input_tokens)
    if rates is None:
        return None
    cached, written = usage.cached_tokens or 0, usage.cache_write_tokens or 0
    dollars = (usage.input_tokens - cached - written) * rates.input + usage.output_tokens * rates.output
    dollars += cached * (rates.input if rates.cached is None else rates.cached)
    dollars += written * (rates.input if rates.cache_write is None else rates.cache_write)
    return dollars / 1e6
