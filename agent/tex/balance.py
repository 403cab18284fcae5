"""Whether braces and environments of a text close each other."""

import re

from agent.tex.source import line_of, mask

_TOKEN = re.compile(r"\\(begin|end)\s*\{([^{}\n]*)\}|\\.|[{}]", re.DOTALL)


def imbalance(tex: str) -> str:
    """The first thing that does not close, as a phrase with its line; '' when all does. Braces may not cross environments."""
    open_: list[tuple[str, int]] = []
    for found in _TOKEN.finditer(mask(tex)):
        line = line_of(tex, found.start())
        if found[1] == "begin":
            open_.append((found[2].strip(), line))
        elif found[1] == "end":
            name = found[2].strip()
            if not open_ or open_[-1][0] != name:
                return f"\\end{{{name}}} on line {line} ends nothing{_but(open_)}"
            open_.pop()
        elif found[0] == "{":
            open_.append(("", line))
        elif found[0] == "}":
            if not open_ or open_[-1][0]:
                return f"a brace too many on line {line}{_but(open_)}"
            open_.pop()
    return f"{_name(open_[-1])} is never closed" if open_ else ""


def _but(open_: list[tuple[str, int]]) -> str:
    return f", {_name(open_[-1])} is open" if open_ else ""


def _name(opened: tuple[str, int]) -> str:
    name, line = opened
    return f"\\begin{{{name}}} of line {line}" if name else f"the brace of line {line}"
