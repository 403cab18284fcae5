"""What this package offers."""

from harness.contracts import Plugin

PLUGIN = Plugin(name="devlog", commands={"devlog": "devlog.commands", "ledger": "devlog.ledger.command"})
