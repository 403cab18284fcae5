"""Auditors that run code of the project, in the sandbox only, and compare it with what its documentation says."""

from auditors.executed.driven import DrivenAuditor
from auditors.executed.examples import ExamplesAuditor
from harness.contracts import Auditor

AUDITORS: tuple[Auditor, ...] = (ExamplesAuditor(), DrivenAuditor())
