"""Checks of the group `data-integrity`, and the one table of them."""

from auditors.data_integrity import (
    float_money,
    mixed_clocks,
    non_atomic_overwrite,
    swallowed_write_error,
    unclosed_resource,
)
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    non_atomic_overwrite.CHECK,
    swallowed_write_error.CHECK,
    unclosed_resource.CHECK,
    mixed_clocks.CHECK,
    float_money.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
