"""Checks of the group `data-integrity`, and the one table of them."""

from auditors.data_integrity import non_atomic_overwrite
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (non_atomic_overwrite.CHECK,)
AUDITORS: tuple[Auditor, ...] = ()
