"""Falsifiers for claims of the group `data-integrity`, by claim kind."""

from verifiers.static.data_integrity import (
    float_money,
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
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "non-atomic-overwrite": non_atomic_overwrite.falsify,
    "swallowed-write-error": swallowed_write_error.falsify,
    "unclosed-resource": unclosed_resource.falsify,
    "mixed-clocks": mixed_clocks.falsify,
    "float-money": float_money.falsify,
    "unlocked-file-update": unlocked_file_update.falsify,
    "unsynced-rename": unsynced_rename.falsify,
    "partial-transaction": partial_transaction.falsify,
    "truncated-log": truncated_log.falsify,
    "partial-dump": partial_dump.falsify,
}
