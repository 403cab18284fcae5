"""Checks of the group `concurrency`, and the one table of them."""

from auditors.concurrency import (
    blocking_in_async,
    check_then_act,
    check_then_act_calls,
    dropped_task,
    exists_then_create,
    exists_then_open,
    lock_not_released,
    unawaited_coroutine,
    unguarded_state,
)
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    blocking_in_async.CHECK,
    unawaited_coroutine.CHECK,
    dropped_task.CHECK,
    check_then_act.CHECK,
    check_then_act_calls.CHECK,
    unguarded_state.CHECK,
    lock_not_released.CHECK,
    exists_then_open.CHECK,
    exists_then_create.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
