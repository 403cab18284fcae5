"""Secrets, ciphers, switches, cookies, and what leaves in answers and logs."""

from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[int, Falsifier] = {}
"""By CWE."""
