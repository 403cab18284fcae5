"""Puts a run that names a model behind a broker: this process keeps the keys, a child without them does the work."""

import os
from collections.abc import Mapping, Sequence

from harness.audit.order import Order
from harness.budget import parse
from harness.errors import UsageError
from harness.llm.broker import SOCKET_VARIABLE, opener, permitted, run_behind
from harness.llm.pricing import known_prices
from harness.llm.spec import PROVIDERS, Spec, require_key


def must_go_behind(order: Order, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the order names a model and this process is not yet the child of a broker."""
    return order.model is not None and not environ.get(SOCKET_VARIABLE)


def require_price(spec: Spec, budget: Sequence[str]) -> None:
    """Raises UsageError for a budget in money with a model whose price nobody knows: such a cap could not be kept."""
    if parse(budget).usd is not None and spec.backend in PROVIDERS and spec.price_key not in known_prices():
        raise UsageError(
            f'the price of model "{spec}" is not known, so a budget in money cannot be kept',
            hint="Cap tokens, calls or time instead, such as --budget 2mtok.",
        )


def go_behind(order: Order, arguments: Sequence[str], given: Sequence[str]) -> int:
    """Run `harness ARGUMENTS` behind a broker; `given` are the specs that the user named. Raises UsageError early."""
    if os.name != "posix":
        raise UsageError("models need a POSIX system here", hint="Run without a model: harness audit --offline")
    for text in (order.model, order.verifier_model):
        if text:
            spec = permitted(text, given)
            if text not in given:
                raise UsageError(
                    f"model {text!r} comes from a configuration file, which does not spend your money",
                    hint="Pass it yourself: --model, --verifier-model, or HARNESS_MODEL, HARNESS_VERIFIER_MODEL.",
                )
            require_key(spec, os.environ)
            require_price(spec, order.budget)
    return run_behind(arguments, opener(given, os.environ))
