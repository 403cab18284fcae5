"""A line of code as a model sees it: what deceives a reader is escaped, what is shaped like a credential is left out."""

from harness.files import displayable
from harness.redact import REDACTED, redact_outbound


def as_shown(line: str) -> str:
    """What `line` looks like in a question. A quote of it is compared with this."""
    return redact_outbound(displayable(line))


def same_line(quoted: str, line: str) -> bool:
    """Whether `quoted` is this line, blanks at both ends apart, as it stands or as it was shown."""
    wanted, there = quoted.strip(), line.strip()
    if wanted == there:
        return True
    return ("\\" in wanted or REDACTED in wanted) and wanted == as_shown(line).strip()
