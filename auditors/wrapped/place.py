"""What a claim says of a line that a tool only numbers: its symbol, and a quote that gives no secret away."""

from harness.source.project import Project
from harness.source.syntax import NotParsed

SHOWN = 4
"""Characters of a secret that a quote shows when nothing else stands before it on its line."""


def symbol_at(project: Project, path: str, line: int) -> str | None:
    """Innermost function or class around a line; None at module level, in files that do not parse and in other languages."""
    if project.entries[path].language != "python":
        return None
    try:
        module = project.module(path)
    except NotParsed:
        return None
    best: tuple[int, str] | None = None
    for qualname, node in (*module.functions, *module.classes):
        if node.lineno <= line <= (node.end_lineno or node.lineno) and (best is None or node.lineno >= best[0]):
            best = (node.lineno, qualname)
    return best[1] if best else None


def masked_quote(line: str, column: int) -> str:
    """The part of `line` before the secret that starts at `column` (from 1), or its first few characters when it starts
    the line. A claim with such a quote carries the fact `masked: true`, and its columns are those of the secret."""
    before = line[: column - 1].strip()
    return before or line.strip()[:SHOWN]
