"""What a template prints: which variable, and whether it is escaped for the place where it stands."""

import re
from typing import NamedTuple

from harness.source.page import Page, TemplateTag

RAW, ESCAPED, SCRIPT, LINK = "raw", "escaped", "script", "link"
_SAFE = re.compile(r"\|\s*(?:safe|safeseq|raw)\b")
_ESCAPES = re.compile(
    r"\|\s*(?:e|escape|force_?escape|tojson|json_script|urlencode|escapejs|striptags|length|int|float|count|linenumbers|filesizeformat|"
    r"date|time|floatformat|pluralize|yesno|slugify|bleach|sanitize)\b"
)
_OFF = re.compile(r"^autoescape\s+(?:off|false)\b")
_ON = re.compile(r"^autoescape\s+(?:on|true)\b")
_LOOP = re.compile(r"^for\s+\(?\s*([\w\s,]+?)\s*\)?\s+in\s+(.+?)(?:\s+(?:if|recursive)\b.*)?$", re.DOTALL)
_SET = re.compile(r"^(?:set|with)\s+(\w+)\s*=\s*(.+)$", re.DOTALL)
_CHAIN = re.compile(r"([A-Za-z_]\w*)((?:\.\w+|\[['\"]\w+['\"]\])*)")


class Printed(NamedTuple):
    """One variable in one tag."""

    line: int
    text: str
    root: str
    """Name that the view passes."""
    field: str
    """Attribute or key of it, '' for itself; of a loop, of each item."""
    position: int | None
    """Position in the item of a loop that is taken apart."""
    state: str
    """RAW, ESCAPED, SCRIPT (as code, where escaping does not help) or LINK (the whole of an address, or an attribute
    without quotes)."""


def printed(page: Page, *, autoescape: bool) -> list[Printed]:
    """Variables that a page prints, in order."""
    scripts = [(e.offset, e.end_offset) for e in page.elements if e.tag == "script"]
    names: dict[str, tuple[str, str, int | None]] = {}
    switched: list[bool] = []
    found: list[Printed] = []
    for tag in page.tags:
        if tag.kind == "%":
            _control(tag.text, names, switched)
            continue
        on = switched[-1] if switched else autoescape
        for root, field, position in _variables(tag.text, names):
            found.append(Printed(tag.line, tag.text, root, field, position, _state(page, tag, scripts, on=on)))
    return found


def _control(text: str, names: dict[str, tuple[str, str, int | None]], switched: list[bool]) -> None:
    if _OFF.match(text) or _ON.match(text):
        switched.append(bool(_ON.match(text)))
    elif text.startswith("endautoescape") and switched:
        switched.pop()
    loop = _LOOP.match(text)
    if loop is not None:
        source = _chain(loop.group(2), names)
        parts = [p.strip() for p in loop.group(1).split(",") if p.strip()]
        for at, part in enumerate(parts):
            if source is not None:
                names[part] = (source[0], source[1], at if len(parts) > 1 else None)
    bound = _SET.match(text)
    if bound is not None:
        source = _chain(bound.group(2), names)
        if source is not None:
            names[bound.group(1)] = source


def _chain(text: str, names: dict[str, tuple[str, str, int | None]]) -> tuple[str, str, int | None] | None:
    match = _CHAIN.match(text.strip())
    if match is None:
        return None
    fields = [f for f in re.findall(r"\w+", match.group(2)) if f not in {"items", "values", "all", "objects"}]
    root = match.group(1)
    if root in names:
        source = names[root]
        return (source[0], fields[0] if fields else source[1], source[2])
    return (root, fields[0] if fields else "", None)


def _variables(text: str, names: dict[str, tuple[str, str, int | None]]) -> list[tuple[str, str, int | None]]:
    body = text.partition("|")[0]
    if re.match(r"\s*(?:super|caller|url_for|csrf\w*|self|loop|block|gettext|_)\b", body):
        return []
    found = []
    for match in _CHAIN.finditer(re.sub(r"'[^']*'|\"[^\"]*\"", "", body)):
        if match.group(1) in {"or", "and", "if", "else", "not", "in", "is", "none", "None", "True", "False", "loop"}:
            continue
        one = _chain(match.group(), names)
        if one is not None:
            found.append(one)
        if "(" in body:
            break
    return found


def _state(page: Page, tag: TemplateTag, scripts: list[tuple[int, int]], *, on: bool) -> str:
    if _ESCAPES.search(tag.text) and not _SAFE.search(tag.text):
        return ESCAPED
    if _SAFE.search(tag.text) or not on:
        return RAW
    before = page.text[max(0, tag.offset - 400) : tag.offset]
    if any(start < tag.offset < end for start, end in scripts):
        line = before.rpartition("\n")[2]
        quoted = any(re.sub(r"\\.", "", line).count(q) % 2 for q in "'\"`")
        return ESCAPED if quoted else SCRIPT
    start = before.rpartition("<")[2]
    if ">" not in start and re.search(r"\bon\w+\s*=\s*(?:\"[^\"]*|'[^']*)$", start):
        return SCRIPT  # the browser takes the escapes out of an attribute before it runs it
    if re.search(r"(?:href|src|action|formaction)\s*=\s*[\"']?\s*$", before) or (
        ">" not in start and re.search(r"=\s*$", start)
    ):
        return LINK
    return ESCAPED
