"""Functions that are too large to be followed: what looks at every use of every name would take minutes for them."""

from harness.source.module import FunctionNode, Module

MOST_LINES = 500
MOST_CHARACTERS = 40_000


def is_large(module: Module, function: FunctionNode) -> bool:
    """Whether a function is longer than people write them, in lines or in characters."""
    last = function.end_lineno or function.lineno
    if last - function.lineno > MOST_LINES:
        return True
    return sum(len(module.lines[n - 1]) for n in range(function.lineno, last + 1)) > MOST_CHARACTERS
