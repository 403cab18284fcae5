"""Displayed formulas and what stands in formulas: blank lines, dollars, scripts in a row, fences across rows."""

import re
from collections.abc import Iterator

from agent.tex.repairs.rule import Broken, Rule
from agent.tex.source import Span, argument, closing, environments, mask, math

DISPLAY = (
    "equation", "equation*", "align", "align*", "gather", "gather*", "multline", "multline*", "eqnarray", "eqnarray*", "flalign",
    "flalign*", "alignat", "alignat*", "displaymath",
)  # fmt: skip
"""Environments that are displayed formulas."""
_DEPTH = 40
"""Groups within groups that are looked into."""


def _blank_lines_in_formulas(broken: Broken) -> str | None:
    tex, masked = broken.tex, mask(broken.tex)
    cuts: list[Span] = []
    for one in environments(tex):
        if one.name in DISPLAY and one.closed:
            cuts += [Span(*m.span()) for m in re.compile(r"\n(?:[ \t]*\n)+").finditer(masked, one.inner, one.inner_end)]
    for found in re.finditer(r"\\\[(?:(?!\\\]).)*?\\\]", masked, re.DOTALL):
        cuts += [Span(*m.span()) for m in re.compile(r"\n(?:[ \t]*\n)+").finditer(masked, *found.span())]
    for cut in sorted(set(cuts), reverse=True):
        lines = tex[cut.start : cut.end].count("\n") - 1
        tex = tex[: cut.start] + "\n" + "%\n" * lines + tex[cut.end :]
    return tex


def _dollars_in_display(broken: Broken) -> str | None:
    """Dollars inside a display environment switch math off."""
    tex = broken.tex
    for one in environments(tex):
        if one.name in DISPLAY and one.closed and re.search(r"(?<!\\)\$", mask(tex)[one.inner : one.inner_end]):
            if "\\text" in tex[one.inner : one.inner_end]:
                continue
            return tex[: one.inner] + re.sub(r"(?<!\\)\$", "", tex[one.inner : one.inner_end]) + tex[one.inner_end :]
    return None


def _nested_display(broken: Broken) -> str | None:
    r"""`\[` or `$$` around an environment that is a display of its own."""
    names = "|".join(map(re.escape, DISPLAY))
    pattern = r"(?:\\\[|\$\$)(\s*\\begin\s*\{(" + names + r")\}.*?\\end\s*\{\2\}\s*)(?:\\\]|\$\$)"
    new, count = re.subn(pattern, r"\1", broken.tex, flags=re.DOTALL)
    return new if count else None


def _split_equation(broken: Broken) -> str | None:
    """An equation with `&` is meant to be aligned."""
    one = broken.environment("equation", "equation*")
    if one is None or not one.closed or "\\begin" in mask(broken.tex)[one.inner : one.inner_end]:
        return None
    if not re.search(r"(?<!\\)&", broken.tex[one.inner : one.inner_end]):
        return None
    inner = broken.tex[one.inner : one.inner_end]
    return f"{broken.tex[: one.inner]}\n\\begin{{aligned}}{inner}\\end{{aligned}}\n{broken.tex[one.inner_end :]}"


def _double_scripts(broken: Broken) -> str | None:
    """An empty atom before the second script of the same kind, everywhere in math."""
    tex, masked = broken.tex, mask(broken.tex)
    places = [at for span in math(tex) for at in _second_scripts(masked, span)]
    if not places and broken.span:
        places = list(_second_scripts(masked, broken.span))
    for at in sorted(set(places), reverse=True):
        tex = tex[:at] + "{}" + tex[at:]
    return tex


def _second_scripts(masked: str, span: Span, depth: int = 0) -> Iterator[int]:
    seen: set[str] = set()
    at = span.start
    while at < span.end:
        c = masked[at]
        if c in "_^'":
            mark = "^" if c == "'" else c
            if mark in seen and not (c == "'" and masked[at - 1] == "'"):
                yield at
                seen = set()
            seen.add(mark)
            at = at + 1 if c == "'" else _argument_end(masked, at + 1)
            continue
        if c == "{" and depth < _DEPTH:
            inner = closing(masked, at, limit=span.end)
            yield from _second_scripts(masked, Span(at + 1, inner if inner >= 0 else span.end), depth + 1)
            at = inner if inner >= 0 else span.end
        if not c.isspace():
            seen = set()
        at += 2 if c == "\\" else 1


def _argument_end(masked: str, at: int) -> int:
    found = re.compile(r"\s*(?:\\[A-Za-z]+(?:\{[^{}]*\})?|(\{)|\S)").match(masked, at)
    if found is None:
        return at
    if found[1]:
        end = closing(masked, found.start(1))
        return end + 1 if end >= 0 else found.end()
    return found.end()


def _left_right(broken: Broken) -> str | None:
    r"""`\left` and `\right` that a line break or `&` separates get invisible partners."""
    tex = broken.tex
    spans = [Span(e.inner, e.inner_end) for e in environments(tex) if e.name in DISPLAY] or list(math(tex))
    for span in reversed(spans):
        rows = re.split(r"((?<!\\)&|\\\\(?:\[[^\]]*\])?)", tex[span.start : span.end])
        if sum(r.count("\\left") for r in rows) == 0:
            continue
        tex = tex[: span.start] + "".join(_paired(row) for row in rows) + tex[span.end :]
    return tex


def _paired(row: str) -> str:
    opened = unopened = 0
    for found in re.finditer(r"\\(left|right)(?![A-Za-z])", row):
        if found[1] == "left":
            opened += 1
        elif opened:
            opened -= 1
        else:
            unopened += 1
    end = len(row.rstrip())
    return "\\left." * unopened + row[:end] + "\\right." * opened + row[end:]


def _frac_in_one_group(broken: Broken) -> str | None:
    r"""`\frac{{a}{b}}` has one argument; meant are two."""
    tex = broken.tex
    for found in re.finditer(r"\\[dt]?frac\s*\{\s*(?=\{)", mask(tex)):
        outer = Span(found.end() - 1, closing(mask(tex), tex.index("{", found.start())))
        first = argument(mask(tex), found.end())
        second = argument(mask(tex), first.end + 1) if first else None
        if first and second and outer.end > 0 and not tex[second.end + 1 : outer.end].strip():
            command = tex[found.start() : tex.index("{", found.start())]
            new = f"{command}{{{tex[first.start : first.end]}}}{{{tex[second.start : second.end]}}}"
            return tex[: found.start()] + new + tex[outer.end + 1 :]
    return None


RULES = (
    Rule(
        "blank-line-in-formula",
        ("runaway-argument", "missing-dollar", "missing-brace"),
        "Closed blank lines in displayed formulas",
        _blank_lines_in_formulas,
    ),
    Rule(
        "fraction-in-one-group",
        ("missing-brace", "extra-brace", "missing-dollar", "runaway-argument"),
        "Gave a fraction its two arguments",
        _frac_in_one_group,
    ),
    Rule("dollar-in-display", ("missing-dollar",), "Took dollar signs out of a displayed formula", _dollars_in_display),
    Rule(
        "nested-display",
        ("package-error", "missing-dollar", "bad-math-delimiter"),
        "Took out a second display around a formula",
        _nested_display,
    ),
    Rule("aligned-equation", ("misplaced-alignment-tab", "missing-dollar"), "Aligned an equation", _split_equation),
    Rule(
        "double-script",
        ("double-subscript", "double-superscript"),
        "Separated two scripts with an empty atom",
        _double_scripts,
    ),
    Rule(
        "left-right",
        ("missing-delimiter", "extra-command", "extra-brace", "missing-brace"),
        "Paired \\left and \\right within rows",
        _left_right,
    ),
)
