"""Data of outsiders that arrives in pages, headers, logs, redirects and queries; templates and scripts."""

from verifiers.static.claimed.output import statements
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[int, Falsifier] = {89: statements.falsify, 943: statements.falsify_any}
"""By CWE."""
