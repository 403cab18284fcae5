"""Checks of the group `latex`, and the one table of them: programs that write LaTeX and run TeX on it."""

from auditors.latex import return_code, shell_escape, unbounded, unescaped
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (unescaped.CHECK, shell_escape.CHECK, unbounded.CHECK, return_code.CHECK)
AUDITORS: tuple[Auditor, ...] = ()
