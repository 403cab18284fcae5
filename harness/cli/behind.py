"""Puts an audit that names a model behind a broker."""

import os
from collections.abc import Mapping, Sequence

from harness.audit.order import Order
from harness.llm import behind


def must_go_behind(order: Order, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the order names a model and this process is not yet the child of a broker."""
    return order.model is not None and not behind.is_behind(environ)


def go_behind(order: Order, arguments: Sequence[str], given: Sequence[str]) -> int:
    """Run `harness ARGUMENTS` behind a broker; `given` are the specs that the user named. Raises UsageError early."""
    models = [text for text in (order.model, order.verifier_model) if text]
    return behind.go_behind(models, order.budget, arguments, given)
