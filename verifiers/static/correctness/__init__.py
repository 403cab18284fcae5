"""Falsifiers for claims of the group `correctness`, by claim kind."""

from verifiers.static.correctness import (
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
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "none-dereference": none_dereference.falsify,
    "unchecked-optional-result": optional_result.falsify,
    "implicit-none-return": implicit_none.falsify,
    "mutable-default-mutated": mutable_default.falsify,
    "late-binding-closure": late_binding.falsify,
    "loop-variable-after-empty-loop": loop_variable_after.falsify,
    "index-past-end": index_past_end.falsify,
    "iterator-consumed-twice": iterator_consumed_twice.falsify,
    "impossible-exception": impossible_exception.falsify,
    "missing-f-prefix": missing_f_prefix.falsify,
    "shadowed-loop-variable": shadowed_loop_variable.falsify,
    "substring-membership": substring_membership.falsify,
    "changed-while-iterated": changed_while_iterated.falsify,
}
