"""Falsifiers for claims of the group `concurrency`, by claim kind."""

from verifiers.static.concurrency import (
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
from verifiers.static.live import live
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "blocking-call-in-async": live(blocking_in_async.falsify),
    "unawaited-coroutine": live(unawaited_coroutine.falsify),
    "dropped-task": live(dropped_task.falsify),
    "check-then-act": live(check_then_act.falsify),
    "check-then-act-calls": live(check_then_act_calls.falsify),
    "unguarded-shared-state": live(unguarded_state.falsify),
    "lock-not-released": live(lock_not_released.falsify),
    "exists-then-open": live(exists_then_open.falsify),
    "exists-then-create": live(exists_then_create.falsify),
}
