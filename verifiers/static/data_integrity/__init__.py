"""Falsifiers for claims of the group `data-integrity`, by claim kind."""

from verifiers.static.data_integrity import (
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
from verifiers.static.live import live
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "non-atomic-overwrite": live(non_atomic_overwrite.falsify),
    "swallowed-write-error": live(swallowed_write_error.falsify),
    "unclosed-resource": live(unclosed_resource.falsify),
    "mixed-clocks": live(mixed_clocks.falsify),
    "float-money": live(float_money.falsify),
    "unlocked-file-update": live(unlocked_file_update.falsify),
    "unsynced-rename": live(unsynced_rename.falsify),
    "partial-transaction": live(partial_transaction.falsify),
    "truncated-log": live(truncated_log.falsify),
    "partial-dump": live(partial_dump.falsify),
    "missing-commit": live(missing_commit.falsify),
}
