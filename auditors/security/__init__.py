"""Checks of the group `security`, and the one table of them."""

from auditors.security import insecure_cookie, weak_hash, weak_randomness
from auditors.security.taint import check as taint
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (taint.CHECK, weak_hash.CHECK, weak_randomness.CHECK, insecure_cookie.CHECK)
AUDITORS: tuple[Auditor, ...] = ()
