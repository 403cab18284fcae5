"""Every verifier of ours, cheapest first."""

from harness.contracts import Plugin
from verifiers.argued.panel import ArguedVerifier
from verifiers.cited import CitedVerifier
from verifiers.executed.verifier import ExecutedVerifier
from verifiers.static.verifier import StaticVerifier

PLUGIN = Plugin(
    name="verifiers", verifiers=(CitedVerifier(), StaticVerifier(), ExecutedVerifier()), arguing=ArguedVerifier
)
