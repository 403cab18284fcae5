"""Checks of the group `docs`, and the one table of them."""

from auditors.docs import (
    broken_link,
    cli_option,
    code_block,
    code_name,
    docstring_parameter,
    env_var,
    file_path,
    version,
)
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    docstring_parameter.CHECK,
    broken_link.CHECK,
    code_block.CHECK,
    code_name.CHECK,
    cli_option.CHECK,
    env_var.CHECK,
    file_path.CHECK,
    version.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
