"""`harness report`: the command of the report agent, found by name."""

from harness.registry import command as registered

command = registered("report")
