"""Checks of the group `data-integrity`, and the one table of them."""

from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = ()
AUDITORS: tuple[Auditor, ...] = ()
