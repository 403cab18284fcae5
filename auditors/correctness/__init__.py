"""Checks of the group `correctness`, and the one table of them."""

from auditors.correctness import (
    changed_while_iterated,
    implicit_none,
    impossible_exception,
    index_past_end,
    iterator_consumed_twice,
    late_binding,
    loop_variable_after,
    missing_f_prefix,
    mutable_default,
    none_dereference,
    optional_result,
    shadowed_loop_variable,
    substring_membership,
)
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    none_dereference.CHECK,
    optional_result.CHECK,
    implicit_none.CHECK,
    mutable_default.CHECK,
    late_binding.CHECK,
    loop_variable_after.CHECK,
    index_past_end.CHECK,
    iterator_consumed_twice.CHECK,
    impossible_exception.CHECK,
    missing_f_prefix.CHECK,
    shadowed_loop_variable.CHECK,
    substring_membership.CHECK,
    changed_while_iterated.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
