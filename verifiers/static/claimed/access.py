"""Guards that are said to be missing: login, owner, token of a form, session."""

from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[int, Falsifier] = {}
"""By CWE."""
