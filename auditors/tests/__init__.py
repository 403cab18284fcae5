"""Checks of the group `tests`, and the one table of them."""

from auditors.tests import (
    async_test,
    broad_raises,
    cannot_fail,
    constant_assertion,
    empty_parametrize,
    mock_assertion,
    overwritten_test,
    self_comparison,
    suite,
    swallowed_assertion,
    unasserted_error,
    unmentioned,
    unreached_assertion,
)
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    cannot_fail.CHECK,
    constant_assertion.CHECK,
    swallowed_assertion.CHECK,
    self_comparison.CHECK,
    mock_assertion.CHECK,
    empty_parametrize.CHECK,
    unreached_assertion.CHECK,
    broad_raises.CHECK,
    overwritten_test.CHECK,
    async_test.CHECK,
    unasserted_error.CHECK,
    unmentioned.CHECK,
)
AUDITORS: tuple[Auditor, ...] = (suite.SuiteAuditor(),)
