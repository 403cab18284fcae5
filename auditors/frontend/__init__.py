"""Checks of the group `frontend`, and the one table of them."""

from auditors.frontend import (
    dom_injection,
    element_id,
    endpoint,
    form_token,
    mark_safe,
    template_name,
    template_unescaped,
    template_variable,
)
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    mark_safe.CHECK,
    template_unescaped.CHECK,
    dom_injection.CHECK,
    form_token.CHECK,
    endpoint.CHECK,
    template_name.CHECK,
    template_variable.CHECK,
    element_id.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
