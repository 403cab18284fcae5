"""Checks of the group `platform`, and the one table of them."""

from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = ()
AUDITORS: tuple[Auditor, ...] = ()
