"""Rows and columns that do not fit each other."""

import re
from typing import NamedTuple

from agent.tex.repairs.rule import Broken, Rule
from agent.tex.source import (
    Environment,
    Span,
    argument,
    environments,
    insert_package,
    mask,
    math,
    option,
    packages,
    within,
)

_TABULAR = ("tabular", "tabular*", "tabularx", "longtable", "array", "xltabular")
_GRIDS = """
align align* aligned alignat alignat* eqnarray eqnarray* split cases dcases matrix pmatrix bmatrix vmatrix Bmatrix flalign
smallmatrix flalign* tikzcd tikzpicture DispWithArrows DispWithArrows*
"""
_ALIGNED = (*_TABULAR, *_GRIDS.split())
_ROW = re.compile(r"\\\\(?:\[[^\]]*\])?|\\tabularnewline(?![A-Za-z])")
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|cmidrule(?:\([^)]*\))?\s*\{[^}]*\}|cline\s*\{[^}]*\}|endhead|endfirsthead|endfoot|endlastfoot)"
)
_RAGGED = re.compile(r"(\\(?:centering|raggedright|raggedleft))(?=\s*\})")


class _Table(NamedTuple):
    environment: Environment
    spec: Span
    """Offsets of its column specification."""
    body: Span
    """Offsets of its rows."""


def _table(broken: Broken, *names: str) -> _Table | None:
    one = broken.environment(*(names or _TABULAR))
    return None if one is None else _parts(broken.tex, one)


def _parts(tex: str, one: Environment) -> _Table | None:
    masked = mask(tex)
    at = one.inner
    if one.name in ("tabular*", "tabularx", "xltabular"):
        if (square := option(masked, at)) is not None:
            at = square.end + 1
        width = argument(masked, at)
        if width is None:
            return None
        at = width.end + 1
    if (square := option(masked, at)) is not None:
        at = square.end + 1
    spec = argument(masked, at)
    return None if spec is None else _Table(one, spec, Span(spec.end + 1, one.inner_end))


def _columns(spec: str) -> list[str]:
    """The columns of a specification, without rules and `@{}`; repeated ones written out."""
    text = re.sub(r"\*\s*\{(\d+)\}\s*\{([^{}]*)\}", lambda m: m[2] * min(int(m[1]), 40), spec)
    found: list[str] = []
    at = 0
    while at < len(text):
        c = text[at]
        skip = argument(text, at + 1) if c in "@!><pmbSwW" else None
        if c in "@!><" and skip:
            at = skip.end + 1
            continue
        if c.isalpha():
            found.append(text[at : skip.end + 1] if skip else c)
        at = skip.end + 1 if skip and c.isalpha() else at + 1
    return found


def _widest(tex: str, rows: Span) -> int:
    widest = 0
    for row in _ROW.split(mask(tex)[rows.start : rows.end]):
        cells = 0
        for cell in re.split(r"(?<!\\)&", re.sub(r"\{[^{}]*\}", lambda m: m[0].replace("&", " "), row)):
            spanned = re.search(r"\\multicolumn\s*\{?\s*(\d+)", cell)
            cells += int(spanned[1]) if spanned else 1
        widest = max(widest, cells)
    return widest


def _add_columns(broken: Broken) -> str | None:
    """As many columns as the widest row has cells, the last kind repeated."""
    table = _table(broken)
    if table is None:
        return None
    spec = broken.tex[table.spec.start : table.spec.end]
    columns = _columns(spec)
    lacking = _widest(broken.tex, table.body) - len(columns)
    if lacking <= 0 or not columns or lacking > 30:
        return None
    rule = "|" if spec.rstrip().endswith("|") else ""
    return broken.tex[: table.spec.end] + (columns[-1] + rule) * lacking + broken.tex[table.spec.end :]


def _column_types(broken: Broken) -> str | None:
    """The package of the kinds of columns that the specification uses."""
    table = _table(broken)
    spec = broken.tex[table.spec.start : table.spec.end] if table else ""
    for pattern, package in ((r"[><]\s*\{|[mb]\s*\{", "array"), (r"S", "siunitx"), (r"D\s*\{", "dcolumn")):
        if re.search(pattern, spec) and package not in packages(broken.tex):
            return insert_package(broken.tex, f"\\usepackage{{{package}}}")
    return None


def _stretching_columns(broken: Broken) -> str | None:
    """`X` is a column of tabularx only; elsewhere it becomes a paragraph of an equal share of the line."""
    table = _table(broken, "tabular", "longtable", "array")
    if table is None:
        return None
    return _shares(broken.tex, table, table.environment.name)


def _shares(tex: str, table: _Table, name: str) -> str | None:
    spec = tex[table.spec.start : table.spec.end]
    count = len(re.findall(r"(?<![A-Za-z\\])X|(?<=[lcr|}])X|X(?=X)", spec))
    if not count:
        return None
    share = f"p{{{0.9 / max(count, len(_columns(spec)) - 1):.2f}\\linewidth}}"
    head = f"\\begin{{{name}}}{{{spec.replace('X', share)}}}"
    one = table.environment
    return f"{tex[: one.start]}{head}{tex[table.spec.end + 1 : one.inner_end]}\\end{{{name}}}{tex[one.end :]}"


def _verbatim_in_tabularx(broken: Broken) -> str | None:
    """tabularx reads its body as an argument, in which verbatim material cannot stand; tabular does not."""
    table = _table(broken, "tabularx", "xltabular")
    if table is None or not table.environment.closed:
        return None
    inner = broken.tex[table.body.start : table.body.end]
    if not re.search(r"\\begin\{(?:verbatim|lstlisting|Verbatim|minted)\}|\\verb", inner):
        return None
    return _shares(broken.tex, table, "tabular")


def _array_backslash(broken: Broken) -> str | None:
    r"""`\raggedright` and its like take `\\` away from the rows."""
    tex = broken.tex
    for one in environments(tex):
        table = _parts(tex, one) if one.name in _TABULAR else None
        if table is None:
            continue
        spec = tex[table.spec.start : table.spec.end]
        new = _RAGGED.sub(r"\1\\arraybackslash", spec)
        if new != spec:
            text = tex[: table.spec.start] + new + tex[table.spec.end :]
            return text if "array" in packages(tex) else insert_package(text, "\\usepackage{array}")
    return None


def _row_before_rule(broken: Broken) -> str | None:
    r"""A horizontal rule behind a row that does not end."""
    table = _table(broken)
    if table is None:
        return None
    tex, masked = broken.tex, mask(broken.tex)
    for found in _RULES.finditer(masked, table.body.start, table.body.end):
        before = masked[table.body.start : found.start()].rstrip()
        ended = (
            before.endswith(("\\\\", "\\tabularnewline", "]"))
            or not before
            or _RULES.search(before[-30:] + " ") is not None
        )
        if not ended:
            at = table.body.start + len(before)
            return f"{tex[:at]} \\\\{tex[at:]}"
    return None


def _expandable_cell(broken: Broken) -> str | None:
    r"""A command with an optional argument cannot be expanded to a `\multicolumn`, unless it is defined as one that can."""
    tex = broken.tex
    found = re.search(
        r"\\(?:re)?newcommand\s*\{?(\\[A-Za-z]+)\}?\s*\[(\d)\]\s*\[([^\]]*)\]\s*(?=\{\s*\\(?:multicolumn|omit))",
        mask(tex),
    )
    if found is None:
        return None
    arguments = f"O{{{found[3]}}}" + " m" * (int(found[2]) - 1)
    text = tex[: found.start()] + f"\\NewExpandableDocumentCommand{found[1]}{{{arguments}}}" + tex[found.end() :]
    return text if re.search(r"\\documentclass", text) else None


def _two_cells_in_one(broken: Broken) -> str | None:
    r"""Two spanning cells with nothing between: a row ends there when it is full, else a cell does."""
    table = _table(broken)
    if table is None:
        return None
    tex = broken.tex
    own = re.findall(
        r"\\New\w*Command\s*\{?\\([A-Za-z]+)\}?\{[^\n]*\\multicolumn|\\newcommand\s*\{?\\([A-Za-z]+)\}?[^\n]*\\multicolumn",
        tex,
    )
    names = ["multicolumn", *(a or b for a, b in own)]
    cell = re.compile(r"\\(?:" + "|".join(names) + r")(?![A-Za-z])(?:\s*\[(\d+)\])?((?:\s*\{(?:[^{}]|\{[^{}]*\})*\})+)")
    masked = mask(tex)
    columns = len(_columns(tex[table.spec.start : table.spec.end]))
    at = table.body.start
    while first := cell.search(masked, at, table.body.end):
        at = first.end()
        gap = re.compile(r"\s*(?=\\(?:" + "|".join(names) + r")(?![A-Za-z]))").match(masked, at)
        if gap is None:
            continue
        row = _ROW.split(masked[table.body.start : at])[-1]
        filled = sum(_span(m) for m in cell.finditer(row)) + len(re.findall(r"(?<!\\)&", cell.sub("", row)))
        between = " \\\\" if filled >= columns else " &"
        return tex[:at] + between + tex[at:]
    return None


def _span(cell: re.Match[str]) -> int:
    number = cell[1] or (re.match(r"\s*\{(\d+)\}", cell[2]) or [None, "1"])[1]
    return int(number or 1)


def _ampersand_in_text(broken: Broken) -> str | None:
    """`&` on the line, outside of everything that has columns."""
    at = broken.span
    if at is None:
        return None
    tex, masked = broken.tex, mask(broken.tex)
    columns = tuple(Span(e.start, e.end) for e in environments(tex) if e.name in _ALIGNED)
    new = tex
    for found in reversed(list(re.compile(r"(?<!\\)&").finditer(masked, at.start, at.end))):
        inside = any(span.start <= found.start() < span.end for span in columns)
        if not inside and not within(math(tex), found.start()):
            new = new[: found.start()] + "\\&" + new[found.end() :]
    return new


def _ampersand_in_cell(broken: Broken) -> str | None:
    """`R&D` in a cell: an ampersand between letters without blanks, in a row that has a cell too many."""
    at = broken.span
    if at is None:
        return None
    new, count = re.subn(r"(?<=[A-Za-z])(?<!\\)&(?=[A-Za-z])", r"\\&", broken.tex[at.start : at.end])
    return broken.tex[: at.start] + new + broken.tex[at.end :] if count else None


def _many_matrix_columns(broken: Broken) -> str | None:
    if not broken.environment("matrix", "pmatrix", "bmatrix", "vmatrix", "Bmatrix"):
        return None
    line = "\\setcounter{MaxMatrixCols}{30}"
    return None if "MaxMatrixCols" in broken.tex else insert_package(broken.tex, line)


_TAB = ("extra-alignment-tab",)
RULES = (
    Rule(
        "column-type",
        ("illegal-column-type", "latex-error", "package-error"),
        "Loaded the package of a kind of column",
        _column_types,
    ),
    Rule(
        "array-backslash",
        ("extra-alignment-tab", "no-line-to-end", "misplaced-omit"),
        "Gave ragged columns their row ends back",
        _array_backslash,
    ),
    Rule(
        "verbatim-in-tabularx",
        ("runaway-argument", "environment-mismatch"),
        "Made a tabularx with verbatim material a tabular",
        _verbatim_in_tabularx,
    ),
    Rule(
        "stretching-column",
        (*_TAB, "illegal-column-type", "latex-error"),
        "Gave X columns a width",
        _stretching_columns,
    ),
    Rule("ampersand-in-cell", _TAB, "Escaped an ampersand within a word", _ampersand_in_cell),
    Rule("matrix-columns", _TAB, "Allowed wider matrices", _many_matrix_columns),
    Rule("add-columns", _TAB, "Gave a table as many columns as its rows have", _add_columns),
    Rule("row-before-rule", ("misplaced-omit",), "Ended a row before a rule", _row_before_rule),
    Rule("expandable-cell", ("misplaced-omit",), "Made the command of a spanning cell expandable", _expandable_cell),
    Rule("two-cells-in-one", ("misplaced-omit",), "Separated two spanning cells", _two_cells_in_one),
    Rule("ampersand-in-text", ("misplaced-alignment-tab", *_TAB), "Escaped an ampersand in text", _ampersand_in_text),
)
