"""Checks of the group `platform`, and the one table of them."""

from auditors.platform import (
    bare_environment,
    fixed_temp_path,
    locale_encoding,
    native_separator,
    posix_only_call,
    posix_shell_command,
    unportable_file_name,
)
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    bare_environment.CHECK,
    native_separator.CHECK,
    fixed_temp_path.CHECK,
    locale_encoding.CHECK,
    posix_only_call.CHECK,
    posix_shell_command.CHECK,
    unportable_file_name.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
