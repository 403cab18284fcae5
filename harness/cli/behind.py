"""Puts a run that names a model behind a broker: this process keeps the keys, a child without them does the work."""

import os
from collections.abc import Mapping, Sequence

from harness.audit.order import Order
from harness.errors import UsageError
from harness.llm.broker import SOCKET_VARIABLE, opener, permitted, run_behind
from harness.llm.spec import require_key


def must_go_behind(order: Order, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the order names a model and this process is not yet the child of a broker."""
    return order.model is not None and not environ.get(SOCKET_VARIABLE)


def go_behind(order: Order, arguments: Sequence[str], given: Sequence[str]) -> int:
    """Run `harness ARGUMENTS` behind a broker; `given` are the specs that the user named. Raises UsageError early."""
    if os.name != "posix":
        raise UsageError("models need a POSIX system here", hint="Run without a model: harness audit --offline")
    for text in (order.model, order.verifier_model):
        if text:
            require_key(permitted(text, given), os.environ)
    return run_behind(arguments, opener(given, os.environ))
