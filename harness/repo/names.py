"""Names that people give wrongly, and what they may have meant."""

import difflib
import shlex

from harness.errors import UsageError
from harness.files import displayable
from harness.repo import git
from harness.repo.shadow import Shadow


def near(word: str, names: list[str]) -> str:
    """A sentence with the names most like `word`, '' when none is."""
    close = difflib.get_close_matches(word, names, n=3)
    return f"Did you mean {' or '.join(displayable(name) for name in close)}?" if close else ""


def unknown(revision: str, shadow: Shadow) -> UsageError:
    """The error for a revision that names no commit."""
    if revision == "HEAD":
        return UsageError(
            "there is no commit yet to compare with",
            hint="git commit makes the first one; --no-verify if a hook asks here.",
        )
    shown = displayable(revision, keep="")
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    if "@{" in revision or revision.startswith(":/"):
        look = f"git rev-parse {shlex.quote(shown)}"
        return UsageError(
            f"there is no commit called {shown!r}",
            hint=f"Names by reflog, upstream or message are not looked up here; give what this says: {look}",
        )
    try:
        hint = near(revision, shadow.names())
    except git.GitFailed:
        hint = ""
    return UsageError(f"there is no commit called {shown!r}", hint=hint)
