"""What an edit of a document lost. Repairs that lose something are refused, whatever they mend.

Compared are environments, labels, citations, references, figures, headings, captions, numbers and words, each by count. Not
compared are comments, commands that only shape the text, the packages, and the order. One thing written in two ways is the
same: a character and its command, a figure and its placeholder, `tabular` and its relatives, a Markdown mark and its command.
"""

import re
from collections import Counter
from collections.abc import Callable
from difflib import get_close_matches
from functools import partial

from agent.tex.characters import INVISIBLE, MATH, SPACES, SUBSCRIPT, SUPERSCRIPT
from agent.tex.source import CITE, VERBATIM, mask

_TABLES = {"tabular", "tabular*", "tabularx", "longtable", "xltabular", "array", "supertabular"}
_LOADING = re.compile(
    r"\\(?:documentclass|usepackage|RequirePackage|PassOptionsToPackage)\s*(?:\[[^\]]*\])?\s*\{[^}]*\}(?:\{[^}]*\})?"
)
_FONT = re.compile(r"\\set(?:CJK)?(?:main|sans|mono|math)font\s*(?:\[[^\]]*\])?\s*\{[^}]*\}(?:\s*\[[^\]]*\])?")
_FIGURE = re.compile(
    r"\\(?:includegraphics|input|include|subfile)(?![A-Za-z])\s*\*?(?:\[[^\]]*\])?\s*\{\s*([^{}]+?)\s*\}"
    r"|Missing (?:figure|file): \\texttt\{\\detokenize\{([^{}]+)\}\}"
)
_GROUP = r"\s*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_COLUMNS = re.compile(
    r"\\begin\s*\{(?:(?:tabularx|xltabular|tabular\*)\}(?:\s*\[[^\]]*\])?" + _GROUP + r"|(?:tabular|longtable|array)\})"
    r"(?:\s*\[[^\]]*\])?" + _GROUP
)
"""The beginning of a table with its width and columns."""
_PARAMETERS = re.compile(r"(\\(?:re)?(?:new|provide)(?:command|environment)\*?\s*\{?\\?\w+\}?)\s*\[\d\]")
_SETTINGS = re.compile(r"\\(?:[A-Za-z]+set(?:up)?|[A-Za-z]*setup|[A-Za-z]+style)(?![A-Za-z])" + _GROUP)
"""`\\pgfplotsset{...}`, `\\sisetup{...}`: words in it are names of options; its numbers may be those of a figure."""
_ARGUMENT = re.compile(r"(?<!\\)#+\d")
"""The place of an argument in a definition: no number of the text."""
_FENCE = re.compile(r"^[ \t]*```[ \t]*\w*[ \t]*$", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_MACROS = {command: c for c, command in reversed(MATH.items()) if command.startswith("\\")}
_MACRO = re.compile("|".join(re.escape(m) + r"(?![A-Za-z])" for m in sorted(_MACROS, key=len, reverse=True)))
_RAISED = re.compile(r"[\^_]\{([-+0-9=()a-z]+)\}")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")
_IDEOGRAPH = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_KEYS: tuple[tuple[str, str], ...] = (
    ("label", r"\\label\s*\{([^{}]*)\}"),
    ("citation", CITE.pattern),
    ("reference", r"\\(?:[cC]ref|ref|eqref|autoref|pageref|nameref)\*?\s*\{([^{}]*)\}"),
)
_COUNTED = (
    "section",
    "subsection",
    "subsubsection",
    "chapter",
    "paragraph",
    "caption",
    "footnote",
    "bibliography",
    "tableofcontents",
)
_SHOWN = 5


def losses(before: str, after: str) -> tuple[str, ...]:
    """What is in `before` and no more in `after`, one phrase each; empty when nothing is."""
    old, new = _document(before), _document(after)
    found = _missing("environment", partial(_environments, spelled=_environments(new)), old, new)
    for name, pattern in _KEYS:
        found += _missing(name, partial(_keys, pattern), old, new)
    found += _missing("figure", _figures, old, new)
    found += _missing("command", _commands, old, new)
    found += _missing("number", lambda text: Counter(_NUMBER.findall(text)), _canonical(old), _canonical(new))
    old, new = (_canonical(_SETTINGS.sub(" ", text)) for text in (old, new))
    found += _missing("word", _words, old, new)
    return tuple(found)


def _missing(what: str, count: Callable[[str], Counter[str]], old: str, new: str) -> list[str]:
    gone = count(old) - count(new)
    names = [f"{name} ({n} times)" if n > 1 else name for name, n in gone.items()]
    more = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    return [f"{what} {', '.join([*names[:_SHOWN], *more])}"] if names else []


def _document(tex: str) -> str:
    """From the class on; what a model said before it is no content."""
    at = mask(tex).find("\\documentclass")
    return tex[max(at, 0) :]


def _environments(tex: str, *, spelled: Counter[str] | None = None) -> Counter[str]:
    """By name; one that is spelled almost like one that only `spelled` has counts as that."""
    names = [m.strip() for m in re.findall(r"\\begin\s*\{([^{}\n]*)\}", mask(tex))]
    counted = Counter("tabular" if name in _TABLES else name for name in names if name != "document")
    if not spelled or counted == spelled:
        return counted
    new = sorted((spelled - counted).keys())
    return Counter({(name if name in spelled else _close(name, new)): n for name, n in counted.items()})


def _close(name: str, others: list[str]) -> str:
    return next(iter(get_close_matches(name, others, 1, 0.85)), name)


def _keys(pattern: str, tex: str) -> Counter[str]:
    found = Counter(k.strip() for keys in re.findall(pattern, mask(tex)) for k in keys.split(",") if k.strip())
    return Counter(found.keys()) if "label" in pattern else found  # a name given twice is one name


def _figures(tex: str) -> Counter[str]:
    return Counter((shown or named).strip() for shown, named in _FIGURE.findall(mask(tex)))


def _commands(tex: str) -> Counter[str]:
    names = re.findall(r"\\(" + "|".join(_COUNTED) + r")(?![A-Za-z])", mask(tex))
    return Counter(f"\\{name}" for name in names)


def _canonical(tex: str) -> str:
    """The text that is left when markup is taken away; commands that stand for a character become it."""
    verbatim = "|".join(map(re.escape, VERBATIM))
    text = re.sub(r"\\(?:begin|end)\s*\{(?:" + verbatim + r")\}(?:\[[^\]]*\])?", " ", _FENCE.sub("", tex))
    text = _COMMENT.sub(r"\1", text)
    text = _PARAMETERS.sub(r"\1 ", _FONT.sub(" ", _LOADING.sub(" ", text)))
    text = _ARGUMENT.sub(" ", _COLUMNS.sub(" ", _FIGURE.sub(" ", text)))
    text = re.sub(r"\\(?:label|ref|eqref|cite\w*|begin|end)\s*(?:\[[^\]]*\])?\{[^{}]*\}", " ", text)
    text = _RAISED.sub(lambda m: "^" + m[1], text)
    text = "".join(_plain_character(c) for c in text)
    text = _MACRO.sub(lambda m: f" {_MACROS[m[0]]} ", text)
    return re.sub(r"\\[A-Za-z@]+\*?", " ", text)


def _plain_character(c: str) -> str:
    if c in SUPERSCRIPT or c in SUBSCRIPT:
        return " " if not (SUPERSCRIPT.get(c) or SUBSCRIPT[c]).isalnum() else f" {SUPERSCRIPT.get(c) or SUBSCRIPT[c]} "
    if c in INVISIBLE or c in SPACES:
        return "" if c in INVISIBLE else " "
    command = MATH.get(c)
    return f" {_MACROS.get(command, c)} " if command else c


def _words(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for word in _WORD.findall(text):
        rest = _IDEOGRAPH.sub(" ", word)
        found.update(_IDEOGRAPH.findall(word))
        found.update(rest.split())
    return found
