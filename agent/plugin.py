"""What this package offers."""

from harness.contracts import Plugin

PLUGIN = Plugin(name="agent", commands={"report": "agent.commands"})
