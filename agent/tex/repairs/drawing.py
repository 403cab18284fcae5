"""TikZ, pgf and beamer: what their readers of arguments and keys trip over."""

import re

from agent.tex.repairs.rule import Broken, Rule
from agent.tex.source import closing, environments, insert_package, mask, packages

_MATRIX = re.compile(r"\\matrix\s*(?:\([^)]*\)\s*)?\[")
_PRODUCT = re.compile(r"(?<![\w.\\])(\d+(?:\.\d+)?)([a-zA-Z]\w*|\()(?![\w]*\s*=)")
_PLOT = re.compile(
    r"\\(?:addplot3?\+?\s*(?:\[[^\]]*\])?\s*|pgfmathparse\s*|pgfmathsetmacro\s*\{?\\\w+\}?\s*|draw\s*(?:\[[^\]]*\])?\s*plot\s*(?:\[[^\]]*\])?\s*)\{"
)
_LIST_VALUE = re.compile(r"(\\Set[A-Za-z]+\s*\[[^\]]*\]\s*)\{(\s*[\d.]+\s*(?:,\s*[\d.]+\s*)+)\}")
_DELAYED = re.compile(r"(?<!\\immediate)(?<!\\immediate )\\write(?=\s*\\(?!m@ne)[A-Za-z@]+|\s*\d)")


def _ampersand_replacement(broken: Broken) -> str | None:
    """A matrix inside of a macro or an argument needs another sign between its cells."""
    tex = broken.tex
    masked = mask(tex)
    for found in _MATRIX.finditer(masked):
        start = found.end() - 1
        end = closing(masked, start, pair="[]")
        rows = re.compile(r"\s*(?:at\s*\([^)]*\)\s*)?\{").match(masked, end + 1) if end > 0 else None
        last = closing(masked, rows.end() - 1) if rows else -1
        if rows is None or last < 0 or "ampersand replacement" in tex[start:end]:
            continue
        cells = re.sub(r"(?<!\\)&", r"\\&", tex[rows.end() : last])
        return f"{tex[:end]}, ampersand replacement=\\&{tex[end : rows.end()]}{cells}{tex[last:]}"
    return None


def _explicit_products(broken: Broken) -> str | None:
    """`5x` in an expression of pgf is `5*x`."""
    tex = broken.tex
    for found in reversed(list(_PLOT.finditer(mask(tex)))):
        end = closing(mask(tex), found.end() - 1)
        if end > 0:
            tex = tex[: found.end()] + _PRODUCT.sub(r"\1*\2", tex[found.end() : end]) + tex[end:]
    return tex


def _list_as_value(broken: Broken) -> str | None:
    """A list of numbers given to a key needs braces of its own."""
    new, count = _LIST_VALUE.subn(r"\1{{\2}}", broken.tex)
    return new if count else None


def _option_on_same_line(broken: Broken) -> str | None:
    """Options on the line behind `\\begin` are taken for contents by environments that look on the same line only."""
    new, count = re.subn(
        r"(\\begin\s*\{(?!axis|tikzpicture)[A-Za-z*]+\})[ \t]*\n[ \t]*(?=\[[^\]\n]*[\w ]+(?:=|,|\]))", r"\1", broken.tex
    )
    return new if count else None


def _immediate_write(broken: Broken) -> str | None:
    """What a delayed `\\write` names is expanded when the page goes out, where a local definition is gone."""
    if broken.error.token not in re.findall(r"\\(?:re)?newcommand\*?\s*\{?(\\[A-Za-z@]+)", broken.tex):
        return None
    new, count = _DELAYED.subn(r"\\immediate\\write", broken.tex)
    return new if count else None


def _double_hashes(broken: Broken) -> str | None:
    """A beamer frame is an argument: parameters of macros in it are doubled once more."""
    tex = broken.tex
    for one in reversed(environments(tex)):
        if one.name == "frame" and "fragile" not in tex[one.inner : one.inner + 40]:
            inner = re.sub(r"(?<!\\)#+(?=\d)", lambda m: m[0] * 2, tex[one.inner : one.inner_end])
            tex = tex[: one.inner] + inner + tex[one.inner_end :]
    return tex


def _reader_of_colours(broken: Broken) -> str | None:
    """xcolor reads more forms of a colour than color does."""
    if not broken.error.token.startswith("\\c@lor") or "xcolor" in packages(broken.tex):
        return None
    return insert_package(broken.tex, "\\usepackage{xcolor}")


def _surface(broken: Broken) -> str | None:
    """An expression of x and y is a surface."""
    if "'y'" not in broken.error.message:
        return None
    pattern = r"\\addplot(?=\s*(?:\[[^\]]*\])?\s*\{[^{}]*(?<![A-Za-z\\])y(?![A-Za-z])[^{}]*\})"
    new, count = re.subn(pattern, r"\\addplot3", broken.tex)
    return new if count else None


_ANY = (
    "undefined-control-sequence",
    "package-error",
    "misplaced-alignment-tab",
    "extra-alignment-tab",
    "missing-dollar",
    "parameter-character",
)
RULES = (
    Rule("ampersand-replacement", _ANY, "Gave a matrix another sign between its cells", _ampersand_replacement),
    Rule("explicit-product", ("package-error",), "Wrote products in expressions with their sign", _explicit_products),
    Rule("list-as-value", ("package-error",), "Gave a list of numbers braces of its own", _list_as_value),
    Rule("surface-plot", ("package-error",), "Drew an expression of x and y as a surface", _surface),
    Rule("xcolor", ("runaway-argument",), "Loaded xcolor, which reads more forms of a colour", _reader_of_colours),
    Rule(
        "option-on-same-line",
        _ANY,
        "Put the options of an environment on the line of its beginning",
        _option_on_same_line,
    ),
    Rule("immediate-write", ("undefined-control-sequence",), "Wrote to a file at once", _immediate_write),
    Rule("double-hash", ("illegal-parameter-number",), "Doubled the parameters within a frame", _double_hashes),
)
