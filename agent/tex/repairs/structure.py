"""The frame of a document, what is left of Markdown, files that are not there, labels given twice."""

import re

from agent.tex.figures import graphics, missing, placeholder
from agent.tex.fonts import choose, cjk
from agent.tex.repairs.rule import Broken, Rule
from agent.tex.sanitise import sanitise
from agent.tex.source import body, line_of, line_span, mask, math, within

_BEGIN, _END = re.compile(r"\\begin\s*\{document\}"), re.compile(r"\\end\s*\{document\}")
_HEADING = re.compile(r"^(#{1,4})[ \t]+(\S.*?)[ \t]*#*$", re.MULTILINE)
_BOLD = re.compile(r"\*\*(\S(?:[^*\n]*\S)?)\*\*")
_CODE = re.compile(r"(?<!`)`([^`'\n]+)`(?!`)")
_BULLETS = re.compile(r"(?:^[ \t]*[-*][ \t]+\S.*\n?)+", re.MULTILINE)
_STRAY = re.compile(r"(\\usepackage\s*(?:\[[^\]]*\])?\s*\{[^{}]*\})[ \t]*[;,.]+")
_PREAMBLE = re.compile(
    r"^\s*(?:%.*|\\(?!section|chapter|maketitle|begin|item|textbf|noindent|subsection|tableofcontents)[A-Za-z@]+.*|[{}\]].*|)$"
)
_LEVELS = {1: "section", 2: "subsection", 3: "subsubsection", 4: "paragraph"}
_DEFINITION = re.compile(r"\\(?:re)?(?:new|provide|declare)\w*|\\[gex]?def(?![A-Za-z])", re.IGNORECASE)


def _sanitised(broken: Broken) -> str | None:
    return sanitise(broken.tex, broken.work).text


def _markdown(broken: Broken) -> str | None:
    """Headings, bold words, code and bullets of Markdown as the commands they stand for."""
    tex = broken.tex
    inside = body(tex)
    text = tex[inside.start : inside.end]
    if not (_HEADING.search(mask(tex)[inside.start : inside.end]) or _BOLD.search(text)):
        return None
    text = _HEADING.sub(lambda m: f"\\{_LEVELS[len(m[1])]}{{{m[2]}}}", text)
    text = _BOLD.sub(r"\\textbf{\1}", text)
    text = _CODE.sub(r"\\texttt{\1}", text)
    text = _BULLETS.sub(_bullets, text)
    return tex[: inside.start] + text + tex[inside.end :]


def _bullets(found: re.Match[str]) -> str:
    lines = [re.sub(r"^[ \t]*[-*][ \t]+", r"\\item ", line) for line in found[0].rstrip("\n").split("\n")]
    return "\n".join(["\\begin{itemize}", *lines, "\\end{itemize}", ""])


def _escape_hash(broken: Broken) -> str | None:
    """`#` in text, where no macro is being defined."""
    tex, masked = broken.tex, mask(broken.tex)
    inside = body(tex)
    places = []
    parameters = broken.error.kind == "illegal-parameter-number"
    mark = re.compile(r"(?<![\\#])#(?![#\d])" if parameters else r"(?<!\\)#")
    for found in mark.finditer(masked, inside.start, inside.end):
        line = line_span(tex, line_of(tex, found.start()))
        if not _DEFINITION.search(masked, line.start, found.start()):
            places.append(found.start())
    for at in reversed(places):
        tex = tex[:at] + "\\" + tex[at:]
    return tex


def _stray_mark(broken: Broken) -> str | None:
    """Punctuation behind the load of a package is text before the document begins."""
    begin = _BEGIN.search(mask(broken.tex))
    head = broken.tex[: begin.start()] if begin else broken.tex
    new = _STRAY.sub(r"\1", head)
    return new + broken.tex[len(head) :]


def _begin_document(broken: Broken) -> str | None:
    """The document begins at the first line that is no preamble."""
    if _BEGIN.search(mask(broken.tex)):
        return None
    masked = mask(broken.tex)
    start = masked.find("\\documentclass")
    if start < 0:
        return None
    at = broken.tex.find("\n", start) + 1
    depth = 0
    for line in masked[at:].split("\n"):
        if depth == 0 and not _PREAMBLE.match(line):
            break
        depth += len(re.findall(r"(?<!\\)\{", line)) - len(re.findall(r"(?<!\\)\}", line))
        at += len(line) + 1
    at = min(at, len(broken.tex))
    return f"{broken.tex[:at]}\\begin{{document}}\n{broken.tex[at:]}"


def _begin_earlier(broken: Broken) -> str | None:
    """Text before the beginning of the document, with nothing of the preamble behind it: the document begins there."""
    at = broken.span
    begin = _BEGIN.search(mask(broken.tex))
    if at is None or begin is None or at.start >= begin.start():
        return None
    between = mask(broken.tex)[at.end : begin.start()]
    if "\\usepackage" in between or "\\newcommand" in between:
        return None
    rest = broken.tex[: begin.start()] + broken.tex[begin.end() :]
    return f"{rest[: at.start]}\\begin{{document}}\n{rest[at.start :]}"


def _add_class(broken: Broken) -> str | None:
    return None if "\\documentclass" in mask(broken.tex) else f"\\documentclass{{article}}\n{broken.tex}"


def _end_document(broken: Broken) -> str | None:
    if _END.search(mask(broken.tex)) or not _BEGIN.search(mask(broken.tex)):
        return None
    return f"{broken.tex.rstrip()}\n\\end{{document}}\n"


def _end_later(broken: Broken) -> str | None:
    """Text behind the end of the document moves before it."""
    ends = list(_END.finditer(mask(broken.tex)))
    if not ends:
        return None
    text = broken.tex
    for found in reversed(ends):
        text = text[: found.start()] + text[found.end() :]
    return f"{text.rstrip()}\n\\end{{document}}\n"


def _mark_missing_file(broken: Broken) -> str | None:
    """A file of the report that is not there is named in its place."""
    name = broken.error.token.removesuffix(".tex")
    if name.startswith(("/", "~", "|")) or ".." in name:
        return None
    found = re.search(r"\\(?:input|include|subfile)\s*\{\s*" + re.escape(name) + r"(?:\.tex)?\s*\}", mask(broken.tex))
    if found is None:
        return None
    return f"{broken.tex[: found.start()]}\\par\\noindent{placeholder('file', name)}\\par{broken.tex[found.end() :]}"


def _mark_missing_figures(broken: Broken) -> str | None:
    """Figures that are not there, or that TeX cannot read, are named in their place."""
    tex = broken.tex
    absent = list(missing(tex, broken.work)) or [g for g in graphics(tex) if g.path == broken.error.token]
    for one in reversed(absent):
        tex = tex[: one.start] + placeholder("figure", one.path) + tex[one.end :]
    return tex


def _rename_label(broken: Broken) -> str | None:
    """The second label of a name gets a number; references keep to the first."""
    tex, name = broken.tex, broken.error.token
    places = list(re.finditer(r"\\label\s*\{(" + re.escape(name) + r")\}", mask(tex)))
    for number, found in reversed(list(enumerate(places[1:], 2))):
        tex = tex[: found.end(1)] + f"-{number}" + tex[found.end(1) :]
    return tex


def _available_font(broken: Broken) -> str | None:
    """A font that is not here: another that has the characters, or the default one."""
    tex = broken.tex
    found = re.search(
        r"\\(set(CJK)?(?:main|sans|mono)font)\s*(?:\[[^\]]*\])?\s*\{"
        + re.escape(broken.error.token)
        + r"\}(?:\s*\[[^\]]*\])?",
        mask(tex),
    )
    if found is None:
        return None
    other = choose(cjk(tex)) if found[2] else None
    new = f"\\{found[1]}{{{other.name}}}" if other else f"% {found[0]}\n"
    return tex[: found.start()] + new + tex[found.end() :]


def _more_floats(broken: Broken) -> str | None:
    at = body(broken.tex).start
    return None if "\\extrafloats" in broken.tex else f"{broken.tex[:at]}\n\\extrafloats{{200}}{broken.tex[at:]}"


def _angle_quotes(broken: Broken) -> str | None:
    """`~` and `^` alone in text, which begin accents or math."""
    tex, spans = broken.tex, math(broken.tex)
    at = broken.span
    if at is None:
        return None
    places = [
        m.start()
        for m in re.compile(r"(?<!\\)\^(?!\^)").finditer(mask(tex), at.start, at.end)
        if not within(spans, m.start())
    ]
    for place in reversed(places):
        tex = f"{tex[:place]}\\textasciicircum{{}}{tex[place + 1 :]}"
    return tex


RULES = (
    Rule("stray-mark", ("missing-begin-document",), "Took out punctuation behind the load of a package", _stray_mark),
    Rule(
        "sanitise",
        ("missing-begin-document", "markdown", "missing-figure", "parameter-character"),
        "Took out what is left of a reply",
        _sanitised,
    ),
    Rule(
        "missing-figure",
        ("missing-figure", "unknown-graphics-format"),
        "Put a placeholder for a missing figure",
        _mark_missing_figures,
    ),
    Rule("missing-file", ("missing-file",), "Named a missing file in its place", _mark_missing_file),
    Rule(
        "document-class",
        ("missing-begin-document", "undefined-control-sequence", "latex-error"),
        "Gave the document a class",
        _add_class,
    ),
    Rule("begin-document", ("missing-begin-document", "emergency-stop"), "Began the document", _begin_document),
    Rule("begin-earlier", ("missing-begin-document",), "Began the document before its first text", _begin_earlier),
    Rule("end-document", ("emergency-stop", "unfinished"), "Ended the document", _end_document),
    Rule("end-later", ("text-after-end",), "Moved text before the end of the document", _end_later),
    Rule(
        "markdown", ("parameter-character", "markdown", "missing-begin-document"), "Wrote Markdown as LaTeX", _markdown
    ),
    Rule("hash-in-text", ("parameter-character", "illegal-parameter-number"), "Escaped # in text", _escape_hash),
    Rule("caret-in-text", ("missing-dollar",), "Escaped ^ in text", _angle_quotes),
    Rule("duplicate-label", ("duplicate-label",), "Numbered a label that was given twice", _rename_label),
    Rule("available-font", ("missing-font",), "Chose a font that is here", _available_font),
    Rule("more-floats", ("too-many-floats",), "Allowed more floating figures", _more_floats),
)
