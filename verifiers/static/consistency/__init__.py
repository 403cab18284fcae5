"""Falsifiers for claims of the group `consistency`, by claim kind."""

from verifiers.static.consistency import (
    key_never_written,
    limits_disagree,
    near_clone,
    swapped_arguments,
    unproduced_literal,
    unresolved_value,
)
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "swapped-arguments": swapped_arguments.falsify,
    "unresolved-value-used": unresolved_value.falsify,
    "limits-disagree": limits_disagree.falsify,
    "near-clone-divergence": near_clone.falsify,
    "key-never-written": key_never_written.falsify,
    "unproduced-literal": unproduced_literal.falsify,
}
