"""Math outside of math mode, text characters that mean math, formulas that do not end, scripts in a row."""

import re
from collections.abc import Iterator

from agent.tex.repairs.formulas import DISPLAY
from agent.tex.repairs.rule import Broken, Rule
from agent.tex.source import Span, body, closing, environments, line_span, mask, math, within

_NAMES = re.compile(
    r"\\(?:label|ref|eqref|[cC]ref|autoref|pageref|includegraphics|input|include|url|path|bibliography|bibliographystyle|"
    r"usepackage|documentclass|begin|end|lstinputlisting|addbibresource|graphicspath|detokenize|nolinkurl|hypersetup|[A-Za-z]*cite[A-Za-z]*|"
    r"pgfplotsset|lstset|sisetup|geometry|definecolor|textcolor|color|tikzset|captionsetup|setlength|addtolength|newcommand|"
    r"renewcommand|providecommand|def|newenvironment|SI|si|num|qty|unit|ce)\*?(?![A-Za-z])(?:\s*\[[^\]]*\])*(?:\s*\{[^{}]*\})*"
    r"|\\href\s*\{[^{}]*\}"
)
"""Commands whose arguments are names, settings or mathematics of their own."""
_SCRIPT = re.compile(r"(?<!\\)[_^](?:\{[^{}\n]{0,200}\})?[^\s{}$&~,;]{0,80}")
_WORD_BREAK = " \t\n{}$&~"
_ONE_LETTER = re.compile(r"\(?(?:[A-Za-z]|\d+|\\[A-Za-z]+)'*(?:[_^](?:\{[^{}\n]*\}|\\?\w))+[).,;:]?")
_MATH_COMMAND = re.compile(
    r"\\(?:frac|dfrac|tfrac|sqrt|alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|vartheta|kappa|lambda|mu|nu|xi|pi|rho|sigma|"
    r"tau|phi|varphi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Phi|Psi|Omega|times|cdot|div|pm|mp|approx|sim|simeq|neq|equiv|leq|"
    r"geq|le|ge|ll|gg|propto|infty|partial|nabla|sum|prod|int|oint|rightarrow|leftarrow|Rightarrow|leftrightarrow|to|circ|degree|"
    r"mathrm|mathbf|mathcal|mathbb|mathit|hat|bar|vec|dot|ddot|tilde|overline|hbar|ell|in|subset|cup|cap|forall|exists|ldots|cdots|"
    r"implies|iff|perp|parallel|angle|langle|rangle|star|ast|bullet|prime|sin|cos|tan|log|ln|exp|lim|max|min)(?![A-Za-z])"
)
_FORMULA = re.compile(
    r"\$(?:\\(?:text|mathrm|mbox)\s*\{[^{}]*\}|\\[A-Za-z]+|\\.|[^\sA-Za-z$\\]|[A-Za-z](?![A-Za-z])|[ \t](?![A-Za-z]{2})"
    r"|[A-Za-z]+(?=\())*"
)
"""A dollar sign and what looks like the formula behind it: symbols and commands up to the first word."""


def _escape_scripts(broken: Broken) -> str | None:
    """`_` and `^` in text: a one-letter symbol with a script becomes math, anything else is a name and is escaped."""
    tex, spans = broken.tex, math(broken.tex)
    masked = _NAMES.sub(lambda m: " " * len(m[0]), mask(tex))
    inside = body(tex)
    parts: list[str] = []
    at = inside.start
    for found in _SCRIPT.finditer(masked, inside.start, inside.end):
        start = found.start()
        while start > max(at, found.start() - 80) and masked[start - 1] not in _WORD_BREAK:
            start -= 1
        word = tex[start : found.end()]
        if (
            found.start() < at
            or within(spans, start)
            or within(spans, found.end() - 1)
            or "\\_" in word
            or "\\^" in word
        ):
            continue
        parts += (tex[at:start], _written(word))
        at = found.end()
    return tex[: inside.start] + "".join([*parts, tex[at:]]) if parts else None


def _written(word: str) -> str:
    if found := _ONE_LETTER.fullmatch(word):
        core = found[0].rstrip(").,;:") if not word.startswith("(") else found[0]
        return f"${core}${word[len(core) :]}"
    return re.sub(r"\^", r"\\textasciicircum{}", re.sub(r"_", r"\\_", word))


def _wrap_commands(broken: Broken) -> str | None:
    """Math commands on the line of the mistake that stand outside of math, with their arguments and scripts."""
    at = broken.span
    if at is None:
        return None
    tex, masked, spans = broken.tex, mask(broken.tex), math(broken.tex)
    parts: list[str] = []
    done = at.start
    for found in _MATH_COMMAND.finditer(masked, at.start, at.end):
        if found.start() < done or within(spans, found.start()):
            continue
        end = _end_of_atom(masked, found.end())
        parts += (tex[done : found.start()], f"\\ensuremath{{{tex[found.start() : end]}}}")
        done = end
    return tex[: at.start] + "".join([*parts, tex[done:]]) if parts else None


def _formula_in_box(broken: Broken) -> str | None:
    """A line that is in math by its surroundings but typeset in a text box: the whole line is one formula."""
    at = broken.span
    if at is None:
        return None
    line = broken.tex[at.start : at.end]
    words = line.strip()
    inner = next((e for e in reversed(environments(broken.tex)) if e.inner <= at.start and e.inner_end >= at.end), None)
    looks = re.search(r"[=^_]|\\[a-z]*frac", mask(broken.tex)[at.start : at.end])
    if inner is None or inner.name in (*DISPLAY, "document") or not looks or "$" in words or not words or "&" in words:
        return None
    start = at.start + line.index(words)
    return broken.tex[:start] + f"$\\displaystyle {words}$" + broken.tex[start + len(words) :]


def _end_of_atom(masked: str, at: int) -> int:
    """Behind the arguments and scripts that follow a command directly."""
    while True:
        found = re.compile(r"[_^]?\{|\[[^\]\n]*\](?=\{)|[_^](?:\\[A-Za-z]+|\w)").match(masked, at)
        if found is None:
            return at
        if found[0].endswith("{"):
            end = closing(masked, found.end() - 1)
            if end < 0:
                return at
            at = end + 1
        else:
            at = found.end()


def _dollar_signs(tex: str, paragraph: Span) -> list[int]:
    return [m.start() for m in re.compile(r"(?<!\\)\$").finditer(mask(tex), paragraph.start, paragraph.end)]


def _paragraph(tex: str, line: int) -> Span:
    """The lines around `line` up to blank ones."""
    masked = mask(tex)
    at = line_span(tex, line)
    start = masked.rfind("\n\n", 0, at.start + 1) + 1
    end = masked.find("\n\n", at.start)
    inside = body(tex)
    return Span(max(start, inside.start), min(len(tex) if end < 0 else end, inside.end))


def _paragraphs_before(broken: Broken) -> Iterator[tuple[Span, list[int]]]:
    """Paragraphs with an odd number of dollars, the one of the mistake first, then backwards."""
    if broken.line is None:
        return
    line = broken.line
    while line > 0:
        paragraph = _paragraph(broken.tex, line)
        dollars = _dollar_signs(broken.tex, paragraph)
        if len(dollars) % 2:
            yield paragraph, dollars
        above = mask(broken.tex).count("\n", 0, paragraph.start)
        line = above if above < line else 0


def _currency(broken: Broken) -> str | None:
    """A dollar before an amount that no second dollar follows closely."""
    tex = broken.tex
    for paragraph, dollars in _paragraphs_before(broken):
        for at in dollars:
            if re.compile(r"\$\d[\d.,]*(?:\s+(?!\$)[A-Za-z]{2,}|[.,;]?\s*$)", re.MULTILINE).match(
                tex, at, paragraph.end
            ):
                return tex[:at] + "\\" + tex[at:]
    return None


def _close_formula(broken: Broken) -> str | None:
    """A formula that does not end before its paragraph: it ends before the first words that follow it."""
    tex = broken.tex
    for paragraph, dollars in _paragraphs_before(broken):
        opening = (
            dollars[-1]
            if len(dollars) == 1
            else next((d for d in dollars[::2] if _has_words(tex, d, dollars)), dollars[-1])
        )
        found = _FORMULA.match(tex, opening, paragraph.end)
        if found is None or len(found[0].strip()) < 2:
            continue
        end = found.start() + len(found[0].rstrip(" \t.,;:"))
        return tex[:end] + "$" + tex[end:]
    return None


def _has_words(tex: str, at: int, dollars: list[int]) -> bool:
    later = [d for d in dollars if d > at]
    stretch = tex[at + 1 : later[0]] if later else tex[at + 1 :]
    return bool(re.search(r"(?<![\\A-Za-z])[A-Za-z]{3,} [A-Za-z]{2,}", stretch))


def _close_text_in_formula(broken: Broken) -> str | None:
    r"""`$5\,\text{eV and`: the unit ends the formula."""
    tex = broken.tex
    for found in re.finditer(r"\$[^$\n]*\\(?:text|mathrm|unit)\s*\{", mask(tex)):
        paragraph = mask(tex).find("\n\n", found.end())
        end = closing(mask(tex), found.end() - 1, limit=len(tex) if paragraph < 0 else paragraph)
        word = re.compile(r"[^\s{}$\\]+").match(tex, found.end())
        if (end < 0 or "$" in tex[found.end() : end]) and word:
            return tex[: word.end()] + "}$" + tex[word.end() :]
    return None


_DOLLAR = ("missing-dollar", "bad-math-delimiter", "wrong-mode")
_OPEN = ("missing-dollar", "runaway-argument", "extra-brace", "missing-brace", "bad-math-delimiter", "emergency-stop")
RULES = (
    Rule("text-in-formula", _OPEN, "Closed a formula behind its unit", _close_text_in_formula),
    Rule("formula-in-box", ("missing-dollar",), "Put a line of mathematics into math mode", _formula_in_box),
    Rule("script-in-text", _DOLLAR, "Escaped _ and ^ in names, made symbols formulas", _escape_scripts),
    Rule("currency", _OPEN, "Escaped a dollar sign of an amount", _currency),
    Rule("math-in-text", (*_DOLLAR, "tex-error"), "Put commands of mathematics into math mode", _wrap_commands),
    Rule("open-formula", _OPEN, "Closed a formula", _close_formula),
)
