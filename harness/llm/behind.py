"""Puts a command that names a model behind a broker: this process keeps the keys, a child without them does the work."""

import os
from collections.abc import Mapping, Sequence

from harness.budget import parse
from harness.errors import UsageError
from harness.llm.broker import SOCKET_VARIABLE, opener, permitted, run_behind
from harness.llm.pricing import known_prices
from harness.llm.spec import PROVIDERS, Spec, require_key


def is_behind(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this process is already the child of a broker."""
    return bool(environ.get(SOCKET_VARIABLE))


def require_price(spec: Spec, budget: Sequence[str]) -> None:
    """Raises UsageError for a budget in money with a model whose price nobody knows: such a cap could not be kept."""
    if parse(budget).usd is not None and spec.backend in PROVIDERS and spec.price_key not in known_prices():
        raise UsageError(
            f'the price of model "{spec}" is not known, so a budget in money cannot be kept',
            hint="Cap tokens, calls or time instead, such as --budget 2mtok.",
        )


def go_behind(
    models: Sequence[str],
    budget: Sequence[str],
    arguments: Sequence[str],
    given: Sequence[str],
    *,
    offline: str = "harness audit --offline",
) -> int:
    """Run `harness ARGUMENTS` behind a broker; `given` are the specs that the user named. Raises UsageError early.

    `offline` is the same work without a model, as a person types it.
    """
    if os.name != "posix":
        raise UsageError("models need a POSIX system here", hint=f"Run without a model: {offline}")
    for text in models:
        spec = permitted(text, given)
        if text not in given:
            raise UsageError(
                f"model {text!r} comes from a configuration file, which does not spend your money",
                hint="Pass it yourself: --model, --verifier-model, or HARNESS_MODEL, HARNESS_VERIFIER_MODEL.",
            )
        require_key(spec, os.environ, offline=offline)
        require_price(spec, budget)
    return run_behind(arguments, opener(given, os.environ))
