"""Falsifiers for claims of the group `data-integrity`, by claim kind."""

from verifiers.static.data_integrity import (
    float_money,
    mixed_clocks,
    non_atomic_overwrite,
    swallowed_write_error,
    unclosed_resource,
)
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "non-atomic-overwrite": non_atomic_overwrite.falsify,
    "swallowed-write-error": swallowed_write_error.falsify,
    "unclosed-resource": unclosed_resource.falsify,
    "mixed-clocks": mixed_clocks.falsify,
    "float-money": float_money.falsify,
}
