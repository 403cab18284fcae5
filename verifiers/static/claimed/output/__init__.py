"""Data of outsiders that arrives in pages, headers, logs, redirects and queries; templates and scripts."""

from verifiers.static.claimed.output import lines, markup, redirects, statements
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[int, Falsifier] = {
    79: markup.falsify,
    80: markup.falsify,
    89: statements.falsify,
    113: lines.headers,
    116: markup.encoding,
    117: lines.logs,
    601: redirects.falsify,
    943: statements.falsify_any,
}
"""By CWE."""
