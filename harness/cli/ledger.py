"""`harness ledger`: a command of the devlog package, found by name."""

from harness.registry import command as registered

command = registered("ledger")
