"""Falsifiers for claims of the group `concurrency`, by claim kind."""

from verifiers.static.concurrency import blocking_in_async, check_then_act, check_then_act_calls, unguarded_state
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "blocking-call-in-async": blocking_in_async.falsify,
    "check-then-act": check_then_act.falsify,
    "check-then-act-calls": check_then_act_calls.falsify,
    "unguarded-shared-state": unguarded_state.falsify,
}
