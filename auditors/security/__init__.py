"""Checks of the group `security`, and the one table of them."""

from auditors.security.taint import check as taint
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (taint.CHECK,)
AUDITORS: tuple[Auditor, ...] = ()
