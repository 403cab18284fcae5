"""Checks of the group `correctness`, and the one table of them."""

from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = ()
AUDITORS: tuple[Auditor, ...] = ()
