"""Data of outsiders that arrives where it does harm: commands, code, paths, objects, addresses, patterns."""

from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[int, Falsifier] = {}
"""By CWE."""
