"""What TeX, LaTeX and packages say, and the stable name we give to it. The wordings are those of TeX Live 2022.

First match wins. Group 1, when there is one, is the token the message is about.
"""

import re

_TABLE: tuple[tuple[str, str], ...] = (
    (r"Undefined control sequence", "undefined-control-sequence"),
    (r"LaTeX Error: Environment (\S+) undefined", "undefined-environment"),
    (r"LaTeX Error: \\begin\{([^}]*)\}(?: on input line \d+)? ended by", "environment-mismatch"),
    (r"LaTeX Error: Missing \\begin\{document\}", "missing-begin-document"),
    (r"LaTeX Error: File `([^']+)\.(?:sty|cls)' not found", "missing-package"),
    (r"LaTeX Error: File `([^']+)' not found", "missing-file"),
    (r"Unable to load picture or PDF file '([^']+)'", "missing-figure"),
    (r"LaTeX Error: Cannot determine size of graphic in (\S+)", "missing-figure"),
    (r"LaTeX Error: Unknown graphics extension: (\S+?)\.?$", "unknown-graphics-format"),
    (r"I can't find file `[^']+\.aux'", "emergency-stop"),
    (r"I can't find file `([^']+)'", "missing-file"),
    (r"I can't write on file `([^']+)'", "refused-write"),
    (r"Missing character: There is no (\S+)", "missing-character"),
    (r"Missing \$ inserted", "missing-dollar"),
    (r"Display math should end with \$\$", "missing-dollar"),
    (r"LaTeX Error: Bad math environment delimiter", "bad-math-delimiter"),
    (r"LaTeX Error: (\\\w+) allowed only in math mode", "missing-dollar"),
    (r"(\\\w+) allowed only in math mode", "missing-dollar"),
    (r"Double subscript", "double-subscript"),
    (r"Double superscript", "double-superscript"),
    (r"Extra alignment tab has been changed", "extra-alignment-tab"),
    (r"Misplaced alignment tab character", "misplaced-alignment-tab"),
    (r"Misplaced (\\(?:omit|noalign|span|cr|crcr))", "misplaced-omit"),
    (r"File ended while scanning (?:use|definition|text) of (.*?) ?\.$", "runaway-argument"),
    (r"Paragraph ended before (.*?) was complete", "runaway-argument"),
    (r"Argument of (.*?) has an extra \}", "runaway-argument"),
    (r"Forbidden control sequence found while scanning (?:use|definition|text) of (.*?) ?\.$", "runaway-argument"),
    (r"Use of (.*?) doesn't match its definition", "wrong-use"),
    (r"Illegal parameter number in definition of (.*?)\.?$", "illegal-parameter-number"),
    (r"You can't use `macro parameter character (.)' in", "parameter-character"),
    (r"You can't use `(.+?)' in (?:\w+ )+mode", "wrong-mode"),
    (r"Missing (\}|\{) inserted", "missing-brace"),
    (r"Missing (\\endgroup|\\begingroup) inserted", "missing-brace"),
    (r"Extra \}, or forgotten (\S+?)\.?$", "extra-brace"),
    (r"Too many \}'s", "extra-brace"),
    (r"Extra (\\endgroup|\\fi|\\else|\\or|\\right|\\middle)", "extra-command"),
    (r"Missing (\\right|\\left|delimiter|\\cr) ?.*inserted", "missing-delimiter"),
    (r"Missing delimiter", "missing-delimiter"),
    (r"Missing number, treated as zero", "missing-number"),
    (r"Missing = inserted for", "missing-number"),
    (r"Illegal unit of measure", "illegal-unit"),
    (r"Dimension too large", "dimension-too-large"),
    (r"Arithmetic overflow", "arithmetic-overflow"),
    (r"Number too big", "number-too-big"),
    (r"LaTeX Error: Something's wrong--perhaps a missing \\item", "missing-item"),
    (r"LaTeX Error: Lonely \\item", "lonely-item"),
    (r"LaTeX Error: There's no line here to end", "no-line-to-end"),
    (r"LaTeX Error: Option clash for package (\S+?)\.?$", "option-clash"),
    (r"LaTeX Error: Unknown option `?([^' ]+)'? for package", "unknown-option"),
    (r"LaTeX Error: Command (\S+) already defined", "already-defined"),
    (r"LaTeX Error: Command (\S+) undefined", "undefined-control-sequence"),
    (r"LaTeX Error: (\\verb) (?:ended by end of line|illegal in)", "verb-in-argument"),
    (r"LaTeX Error: Too many unprocessed floats", "too-many-floats"),
    (r"LaTeX Error: Not in outer par mode", "float-in-box"),
    (r"LaTeX Error: Unicode character (\S+)", "missing-character"),
    (r"LaTeX Error: Can be used only in preamble", "preamble-only"),
    (r"LaTeX Error: Illegal character in array arg", "illegal-column-type"),
    (r"LaTeX Error: No counter '([^']+)' defined", "undefined-counter"),
    (r"(?:LaTeX|Package) fontspec Error: .*[Tt]he font \"([^\"]+)\" cannot be found", "missing-font"),
    (r"LaTeX Error: Too deeply nested", "too-deeply-nested"),
    (r"Limit of \w+ |TeX capacity exceeded, sorry \[([^=\]]+)", "capacity-exceeded"),
    (r"(?:Interruption|Emergency stop)", "emergency-stop"),
    (r"Fatal error occurred", "emergency-stop"),
    (r"==> Fatal error", "emergency-stop"),
    (r"Package ([\w -]+?) Error", "package-error"),
    (r"(?:Class|LaTeX) ([\w-]+) Error", "package-error"),
    (r"LaTeX(?:3)? Error", "latex-error"),
)
_COMPILED = tuple((re.compile(pattern), kind) for pattern, kind in _TABLE)


def kind_of(message: str) -> tuple[str, str]:
    """The kind of a message and the token it names, `("tex-error", "")` when it is a wording we do not know."""
    for pattern, kind in _COMPILED:
        if found := pattern.search(message):
            return kind, next((group for group in found.groups() if group), "")
    return "tex-error", ""


SECONDARY = frozenset({"emergency-stop"})
"""What only says that TeX gave up over something said before."""
