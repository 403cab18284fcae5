"""Checks of the group `consistency`, and the one table of them."""

from auditors.consistency import (
    key_never_written,
    limits_disagree,
    near_clone,
    swapped_arguments,
    unproduced_literal,
    unresolved_value,
)
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    swapped_arguments.CHECK,
    unresolved_value.CHECK,
    limits_disagree.CHECK,
    near_clone.CHECK,
    key_never_written.CHECK,
    unproduced_literal.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
