r"""Mends before the first compilation what is always wrong in the way models write LaTeX. Costs no token; loses nothing."""

import re
from collections.abc import Callable
from pathlib import Path

from agent.records import Change, Edited
from agent.tex.escape import escape_line
from agent.tex.figures import missing, placeholder
from agent.tex.source import closing, line_of, mask, packages

_FENCE_LINE = re.compile(r"^[ \t]*```[ \t]*\w*[ \t]*(?:\n|$)", re.MULTILINE)
_CLASS = re.compile(r"\\documentclass\b")
_DEF = re.compile(r"\\(?:[gex]?def)\s*\\[A-Za-z@]+(?:#\d)*\s*\{")
_NAMES = (
    "title|subtitle|author|authors|date|abstract|content|body|keywords|affiliation|institution|email|references|bibliography|"
    "introduction|results|discussion|conclusion|methods|figures?|tables?|name|course|student|supervisor|experiment|section"
)
_VARIABLE = re.compile(
    r"(?<!\\)\{\{\s*(?P<braces>(?:" + _NAMES + r")|[A-Z]+(?:_[A-Z0-9]+)+|[a-z]+(?:_[a-z0-9]+)+(?=\s*\}\}))\s*\}\}"
    r"|<<\s*(?P<angles>[A-Za-z][A-Za-z0-9_]{1,40})\s*>>"
    r"|\\VAR\s*\{\s*(?P<command>[A-Za-z][\w. ]{0,40})\s*\}"
    r"|\$\{(?P<dollar>[A-Za-z][A-Za-z0-9_]{1,40})\}(?!\$)"
)
Note = Callable[[Change], None]
_BOLD = re.compile(r"\\mathbf(?![A-Za-z])")


def sanitise(tex: str, work: Path) -> Edited:
    """`tex` without those faults; `work` is where its figures are. Applying it again changes nothing."""
    changes: list[Change] = []
    for step in (_fences, _talk, _symbf, _definitions, _variables, lambda t, note: placeholders(t, work, note)):
        tex = step(tex, changes.append)
    return Edited(text=tex, changes=tuple(changes))


def _fences(tex: str, note: Note) -> str:
    masked = mask(tex)

    def drop(found: re.Match[str]) -> str:
        note(
            Change(
                rule="code-fence", line=line_of(tex, found.start()), what="Took out a line that fences code in Markdown"
            )
        )
        return ""

    return _replace(tex, masked, _FENCE_LINE, drop)


def _talk(tex: str, note: Note) -> str:
    """Words of the model in front of the document become comments."""
    found = _CLASS.search(mask(tex))
    head = tex[: found.start()] if found else ""
    lines = head.split("\n")
    if not any(re.match(r"\s*[^\s%\\]", line) for line in lines[:-1]) or "\\begin" in head or "\\PassOptions" in head:
        return tex
    note(Change(rule="words-before", line=1, what="Made the words in front of the document a comment"))
    talk = [f"% {line}" if line.strip() and not line.lstrip().startswith("%") else line for line in lines[:-1]]
    return "\n".join([*talk, lines[-1]]) + tex[len(head) :]


def _symbf(tex: str, note: Note) -> str:
    if "unicode-math" not in packages(tex):
        return tex

    def bold(found: re.Match[str]) -> str:
        what = "\\mathbf is \\symbf under unicode-math"
        note(Change(rule="symbf", line=line_of(tex, found.start()), what=what))
        return "\\symbf"

    return _replace(tex, mask(tex), _BOLD, bold)


def _definitions(tex: str, note: Note) -> str:
    """A comment in the body of a `\\def` written on one line swallows its end."""
    at = 0
    while found := _DEF.search(mask(tex), at):
        at = found.end()
        start = found.end() - 1
        end = closing(mask(tex), start)
        line_end = tex.find("\n", start)
        line_end = len(tex) if line_end < 0 else line_end
        whole = closing(tex, start, limit=line_end)
        if whole >= 0 and mask(tex)[start:whole] != tex[start:whole]:
            new = re.sub(r"(?<!\\)%.*$", "", tex[start:whole])
            tex = tex[:start] + new + tex[whole:]
        elif end >= 0 and (new := re.sub(r"(?<!\\)%[^\n]+", "%", tex[start:end])) != tex[start:end]:
            tex = tex[:start] + new + tex[end:]
        else:
            continue
        what = "Took the comment out of the body of a \\def"
        note(Change(rule="comment-in-def", line=line_of(tex, start), what=what))
    return tex


def _variables(tex: str, note: Note) -> str:
    defined = "\\VAR" in re.sub(r"\\VAR\s*\{", "", mask(tex))

    def fill(found: re.Match[str]) -> str:
        name = next(group for group in found.groups() if group).strip()
        if found["command"] and defined:
            return found[0]
        note(
            Change(
                rule="template-variable",
                line=line_of(tex, found.start()),
                what=f"Marked the variable {name}, never filled in",
            )
        )
        return "{\\today}" if name.lower() == "date" and not found["command"] else f"{{[{escape_line(name)}]}}"

    return _replace(tex, mask(tex), _VARIABLE, fill)


def placeholders(tex: str, work: Path, note: Note) -> str:
    """Figures that are not below `work` become boxes that name them; captions and labels around them stay."""
    for one in reversed(list(missing(tex, work))):
        what = f"Put a placeholder for the figure {one.path}, which is not there"
        note(Change(rule="missing-figure", line=line_of(tex, one.start), what=what))
        tex = tex[: one.start] + placeholder("figure", one.path) + tex[one.end :]
    return tex


def _replace(tex: str, masked: str, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> str:
    """Replace what is found in the twin, in the text itself."""
    parts: list[str] = []
    at = 0
    for found in pattern.finditer(masked):
        parts += (tex[at : found.start()], new(found))
        at = found.end()
    return "".join([*parts, tex[at:]])
