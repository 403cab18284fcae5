"""Data of outsiders that arrives in pages, headers, logs, redirects and queries; templates and scripts."""

from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[int, Falsifier] = {}
"""By CWE."""
