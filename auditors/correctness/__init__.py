"""Checks of the group `correctness`, and the one table of them."""

from auditors.correctness import (
    always_true,
    changed_while_iterated,
    format_arguments,
    implicit_none,
    impossible_exception,
    index_past_end,
    iterator_consumed_twice,
    late_binding,
    loop_variable_after,
    missing_f_prefix,
    mutable_default,
    none_dereference,
    return_in_finally,
    shadowed_loop_variable,
    substring_membership,
    unreachable_code,
)
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    none_dereference.CHECK,
    implicit_none.CHECK,
    mutable_default.CHECK,
    late_binding.CHECK,
    return_in_finally.CHECK,
    loop_variable_after.CHECK,
    unreachable_code.CHECK,
    index_past_end.CHECK,
    format_arguments.CHECK,
    iterator_consumed_twice.CHECK,
    impossible_exception.CHECK,
    missing_f_prefix.CHECK,
    shadowed_loop_variable.CHECK,
    always_true.CHECK,
    substring_membership.CHECK,
    changed_while_iterated.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
