"""Data of outsiders that arrives in pages, headers, logs, redirects and queries; templates and scripts."""

from verifiers.static.claimed.output import markup, statements
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[int, Falsifier] = {
    79: markup.falsify,
    80: markup.falsify,
    89: statements.falsify,
    116: markup.encoding,
    943: statements.falsify_any,
}
"""By CWE."""
