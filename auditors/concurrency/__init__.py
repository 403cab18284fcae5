"""Checks of the group `concurrency`, and the one table of them."""

from auditors.concurrency import blocking_in_async, check_then_act
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    blocking_in_async.CHECK,
    check_then_act.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
