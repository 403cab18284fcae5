"""Data of outsiders that arrives where it does harm: commands, code, paths, objects, addresses, patterns."""

from verifiers.static.claimed.flow.families import FAMILIES
from verifiers.static.claimed.flow.ruled import falsifier
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[int, Falsifier] = {cwe: falsifier(cwe) for cwe in FAMILIES}
"""By CWE."""
