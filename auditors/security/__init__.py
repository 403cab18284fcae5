"""Checks of the group `security`, and the one table of them."""

from auditors.security import (
    certificate_check_off,
    cors_any_origin,
    debug_on,
    default_secret,
    fails_open,
    hardcoded_secret,
    insecure_cookie,
    mixed_scripts,
    reviewer_addressed_text,
    unguarded_route,
    weak_hash,
    weak_randomness,
)
from auditors.security.taint import check as taint
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    taint.CHECK,
    certificate_check_off.CHECK,
    cors_any_origin.CHECK,
    debug_on.CHECK,
    default_secret.CHECK,
    fails_open.CHECK,
    hardcoded_secret.CHECK,
    insecure_cookie.CHECK,
    mixed_scripts.CHECK,
    reviewer_addressed_text.CHECK,
    unguarded_route.CHECK,
    weak_hash.CHECK,
    weak_randomness.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
