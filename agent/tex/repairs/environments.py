"""Environments that do not end, end under another name, or miss what they must hold."""

import re

from agent.tex.repairs.rule import Broken, Rule
from agent.tex.source import VERBATIM, Environment, environments, line_of, mask

_MISMATCH = re.compile(r"\\begin\{([^}]*)\}(?: on input line (\d+))? ended by \\end\{([^}]*)\}")
_LISTS = {"itemize", "enumerate", "description"}
_FLOATS = {"figure", "figure*", "table", "table*", "center", "tabular", "tabularx", "abstract", "quote", "minipage"}
_BREAK = re.compile(
    r"^[ \t]*\\(?:part|chapter|section|subsection|subsubsection|bibliography|begin\s*\{thebibliography\}|appendix)",
    re.MULTILINE,
)


def _end_open(broken: Broken) -> str | None:
    """An environment without its end gets one: lists before the next heading, others before the next blank line, all before the end
    of what is around them."""
    said = _MISMATCH.search(broken.error.message)
    open_ = [e for e in environments(broken.tex) if not e.closed and e.name != "document"]
    if said:
        open_ = [e for e in open_ if e.name == said[1]] or open_
    if not open_:
        return None
    one = open_[-1]
    end = _natural_end(broken.tex, one)
    return f"{broken.tex[:end].rstrip()}\n\\end{{{one.name}}}\n{broken.tex[end:]}"


def _natural_end(tex: str, one: Environment) -> int:
    masked = mask(tex)
    stops = [one.inner_end if one.inner_end < len(tex) else _end_of_document(masked)]
    if heading := _BREAK.search(masked, one.inner):
        stops.append(heading.start())
    if (
        one.name not in _LISTS
        and one.name not in ("abstract", "quote")
        and (gap := re.compile(r"\n[ \t]*\n").search(masked, one.inner))
    ):
        stops.append(gap.start() + 1)
    return min(stops)


def _end_of_document(masked: str) -> int:
    found = re.search(r"\\end\s*\{document\}", masked)
    return found.start() if found else len(masked)


def _rename_end(broken: Broken) -> str | None:
    """An end whose name nothing open has gets the name of what is open."""
    said = _MISMATCH.search(broken.error.message)
    at = broken.span
    if said is None or at is None or said[3] == "document":
        return None
    begun = [
        e
        for e in environments(broken.tex)
        if e.name == said[3] and e.start < at.start and (not e.closed or e.end > at.end)
    ]
    found = re.compile(r"\\end\s*\{" + re.escape(said[3]) + r"\}").search(mask(broken.tex), at.start, at.end)
    if begun or found is None or said[1] == "document":
        return None
    return f"{broken.tex[: found.start()]}\\end{{{said[1]}}}{broken.tex[found.end() :]}"


def _swap_ends(broken: Broken) -> str | None:
    r"""`\begin{a}\begin{b}...\end{a}\end{b}`: the two ends change places."""
    said = _MISMATCH.search(broken.error.message)
    at = broken.span
    if said is None or at is None:
        return None
    masked = mask(broken.tex)
    first = re.compile(r"\\end\s*\{" + re.escape(said[3]) + r"\}").search(masked, at.start, at.end)
    second = re.compile(r"\\end\s*\{" + re.escape(said[1]) + r"\}").search(masked, first.end()) if first else None
    if first is None or second is None or masked[first.end() : second.start()].strip():
        return None
    between = broken.tex[first.end() : second.start()]
    return f"{broken.tex[: first.start()]}\\end{{{said[1]}}}{between}\\end{{{said[3]}}}{broken.tex[second.end() :]}"


def _drop_end(broken: Broken) -> str | None:
    """An end of something that never began."""
    said = _MISMATCH.search(broken.error.message)
    at = broken.span
    if said is None or at is None or said[3] == "document":
        return None
    found = re.compile(r"\\end\s*\{" + re.escape(said[3]) + r"\}").search(mask(broken.tex), at.start, at.end)
    return broken.tex[: found.start()] + broken.tex[found.end() :] if found else None


def _tight_end(broken: Broken) -> str | None:
    r"""`\end {verbatim}`: verbatim material ends at the exact words only."""
    names = "|".join(map(re.escape, VERBATIM))
    new, count = re.subn(
        rf"\\end[ \t]+\{{({names})\}}|\\end\{{[ \t]+({names})[ \t]*\}}",
        lambda m: f"\\end{{{m[1] or m[2]}}}",
        broken.tex,
    )
    return new if count else None


def _first_item(broken: Broken) -> str | None:
    """A list whose text begins without an item."""
    tex, masked = broken.tex, mask(broken.tex)
    for one in environments(tex):
        if one.name not in _LISTS:
            continue
        option = re.compile(r"[ \t]*\[[^\]]*\]").match(masked, one.inner)
        start = option.end() if option else one.inner
        item = re.compile(r"\\item(?![A-Za-z])").search(masked, start, one.inner_end)
        lead = masked[start : item.start() if item else one.inner_end]
        plain = re.sub(
            r"\\(?:set|add)(?:length|counter)\s*\{?\\?\w+\}?\s*\{[^{}]*\}|\\(?:itemsep|parskip|topsep)[^\\\n]*|\\(?:tightlist|small)",
            "",
            lead,
        )
        if plain.strip() or item is None:
            text = start + len(lead) - len(lead.lstrip())
            return f"{tex[:text]}\\item {tex[text:]}"
    return None


def _list_around(broken: Broken) -> str | None:
    """Items outside of a list: the run of lines that begin with them becomes one."""
    lines = broken.tex.split("\n")
    number = (broken.line or 0) - 1
    if not 0 <= number < len(lines) or "\\item" not in lines[number]:
        return None
    last = number
    while last + 1 < len(lines) and re.match(r"\s*\\item(?![A-Za-z])|\s+\S", lines[last + 1]):
        last += 1
    return "\n".join(
        [*lines[:number], "\\begin{itemize}", *lines[number : last + 1], "\\end{itemize}", *lines[last + 1 :]]
    )


def _begin_missing(broken: Broken) -> str | None:
    """A misspelled environment: the name of its own end, or a known one a letter away."""
    name = broken.error.token
    ends = re.findall(r"\\end\s*\{([^}]*)\}", mask(broken.tex))
    begins = [e.name for e in environments(broken.tex)]
    for other in dict.fromkeys(e for e in ends if e != name and ends.count(e) > begins.count(e)):
        return re.sub(r"(?<=\\begin\{)" + re.escape(name) + r"(?=\})", other.replace("\\", ""), broken.tex)
    return None


def _line_break_of_nothing(broken: Broken) -> str | None:
    r"""A `\\` where no line is to be ended gets an empty one to end."""
    at = broken.span
    if at is None:
        return None
    masked = mask(broken.tex)
    start = masked.rfind("\n\n", 0, at.end) + 1
    found = re.compile(r"\\\\").search(masked, max(start, 0), at.end)
    if found is None or line_of(broken.tex, found.start()) > (broken.line or 0):
        return None
    return broken.tex[: found.start()] + "\\leavevmode" + broken.tex[found.start() :]


_ENDS = ("environment-mismatch", "extra-brace", "emergency-stop", "runaway-argument", "missing-brace")
RULES = (
    Rule(
        "tight-end",
        ("runaway-argument", "emergency-stop"),
        "Took blanks out of the end of verbatim material",
        _tight_end,
    ),
    Rule("swap-ends", ("environment-mismatch",), "Exchanged two ends", _swap_ends),
    Rule("rename-end", ("environment-mismatch",), "Gave an end the name of what it ends", _rename_end),
    Rule("end-environment", _ENDS, "Ended an environment", _end_open),
    Rule("stray-end", ("environment-mismatch",), "Took out the end of something that never began", _drop_end),
    Rule("rename-begin", ("undefined-environment",), "Corrected the name of an environment", _begin_missing),
    Rule("first-item", ("missing-item",), "Began a list with an item", _first_item),
    Rule("list-around-items", ("lonely-item",), "Put a list around items", _list_around),
    Rule("line-break-of-nothing", ("no-line-to-end",), "Gave a line break a line to end", _line_break_of_nothing),
)
