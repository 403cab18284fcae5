"""Checks of the group `data-integrity`, and the one table of them."""

from auditors.data_integrity import (
    float_money,
    missing_commit,
    mixed_clocks,
    non_atomic_overwrite,
    partial_dump,
    partial_transaction,
    swallowed_write_error,
    truncated_log,
    unclosed_resource,
    unlocked_file_update,
    unsynced_rename,
)
from harness.contracts import Auditor, Check

CHECKS: tuple[Check, ...] = (
    non_atomic_overwrite.CHECK,
    swallowed_write_error.CHECK,
    unclosed_resource.CHECK,
    mixed_clocks.CHECK,
    float_money.CHECK,
    unlocked_file_update.CHECK,
    unsynced_rename.CHECK,
    partial_transaction.CHECK,
    truncated_log.CHECK,
    partial_dump.CHECK,
    missing_commit.CHECK,
)
AUDITORS: tuple[Auditor, ...] = ()
