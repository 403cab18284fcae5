"""Checks of the group `concurrency`, and the one table of them."""

from auditors.concurrency import blocking_in_async, check_then_act, check_then_act_calls, unguarded_state
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    blocking_in_async.CHECK,
    check_then_act.CHECK,
    check_then_act_calls.CHECK,
    unguarded_state.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
