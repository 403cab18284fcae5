"""One page: an HTML file or a Jinja or Django template, as a list of elements with their places. Nothing is rendered.

Template tags are blanked before the HTML is read, so that they disturb neither tags nor places; an attribute keeps its
text as written, template tags included.
"""

import re
from typing import NamedTuple

from harness.source.script import Script

_PAIRS = {"{{": "}}", "{%": "%}", "{#": "#}"}
TAG_CAP = 1000
"""Characters of a template tag; what is not closed by then is text."""
ELEMENT_CAP = 4000
"""Characters of a start tag."""
_SILENT = re.compile(r"^\{%-?\s*(comment|raw|verbatim)\b")


class Element(NamedTuple):
    """One start tag."""

    tag: str
    attributes: dict[str, str]
    """Names in lower case; values as written, `''` where there is none."""
    line: int
    column: int
    end_line: int
    """Line of the matching end tag, or of the end of the page."""
    offset: int
    """Characters before it."""
    end_offset: int
    """Characters before its end tag."""


class TemplateTag(NamedTuple):
    """`{{ ... }}` or `{% ... %}`."""

    kind: str
    """`{` or `%`."""
    text: str
    """What stands between the marks, stripped."""
    line: int
    column: int
    offset: int


class Page:
    """A page with its elements in order, its template tags, and the scripts inside it."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._starts = [0] + [m.end() for m in re.finditer("\n", text)]
        spans = _spans(text)
        self._spans = tuple(spans)
        self.tags = tuple(self._tag(start, end) for start, end in spans if text[start + 1] != "#")
        reader = _Reader(_blanked(text, spans, "\x01"), text)
        self.elements = tuple(
            Element(tag, attributes, *self.place(start), self.place(end)[0], start, end)
            for tag, attributes, start, end in sorted(reader.elements, key=lambda element: element[2])
        )
        self._scripts = reader.scripts

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of a number of characters."""
        low, high = 0, len(self._starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._starts[middle] <= offset else (low, middle)
        return low + 1, offset - self._starts[low] + 1

    def scripts(self) -> list[Script]:
        """Scripts inside the page, template tags replaced by names of the same length."""
        found = []
        for start, end in self._scripts:
            inside = [(a - start, b - start) for a, b in self._spans if start <= a and b <= end]
            text = _blanked(self.text[start:end], inside, "_")
            line, column = self.place(start)
            found.append(Script(self.path, text, line=line, column=column))
        return found

    def _tag(self, start: int, end: int) -> TemplateTag:
        line, column = self.place(start)
        return TemplateTag(self.text[start + 1], self.text[start + 2 : end - 2].strip("-+ \n\t"), line, column, start)


def _spans(text: str) -> list[tuple[int, int]]:
    """Where template tags begin and end; those inside of comments and of raw parts are left out."""
    found: list[tuple[int, int]] = []
    at = 0
    while (start := text.find("{", at)) >= 0:
        close = _PAIRS.get(text[start : start + 2])
        end = text.find(close, start + 2, start + TAG_CAP) if close else -1
        if end < 0:
            at = start + 1
            continue
        at = end + 2
        silent = _SILENT.match(text[start : start + 40])
        found.append((start, at))
        if silent:
            rest = re.compile(rf"\{{%-?\s*end{silent.group(1)}\b").search(text, at)
            at = rest.start() if rest else len(text)
    return found


def _blanked(text: str, spans: list[tuple[int, int]], mark: str) -> str:
    """`text` with every character of the spans but line ends replaced."""
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], re.sub(r"[^\n]", mark, text[start:end])]
        at = end
    return "".join([*pieces, text[at:]])


_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)


_NAME = re.compile(r"<(/?)([A-Za-z][\w:-]*)")
_MARK = re.compile(r"[<>\"']")
_RAW_END = {tag: re.compile(rf"</{tag}\b", re.IGNORECASE) for tag in ("script", "style")}
NESTING_CAP = 500
"""Open elements that an end tag may close at once."""


class _Reader:
    """Reads start and end tags in one pass; a tag that is not closed within ELEMENT_CAP characters is text."""

    def __init__(self, plain: str, original: str) -> None:
        self._original = original
        self._open: list[tuple[str, dict[str, str], int]] = []
        self.elements: list[tuple[str, dict[str, str], int, int]] = []
        self.scripts: list[tuple[int, int]] = []
        at = 0
        while (start := plain.find("<", at)) >= 0:
            at = self._read(plain, start)
        self.elements += [(*one, len(original)) for one in self._open]

    def _read(self, plain: str, start: int) -> int:
        """Read what begins with the `<` at `start`; gives where to go on."""
        if plain.startswith("<!--", start):
            end = plain.find("-->", start)
            return end + 3 if end >= 0 else len(plain)
        name = _NAME.match(plain, start)
        end = _tag_end(plain, start) if name else -1
        if name is None or end < 0:
            return start + 1
        tag = name.group(2).lower()
        if name.group(1):
            self._close(tag, start)
            return end
        attributes = _attributes(self._original[start:end])
        if tag in _VOID or plain[end - 2] == "/":
            self.elements.append((tag, attributes, start, end))
            return end
        self._open.append((tag, attributes, start))
        if tag not in {"script", "style"}:
            return end
        closing = _RAW_END[tag].search(plain, end)
        last = closing.start() if closing else len(plain)
        kind = attributes.get("type", "")
        if tag == "script" and "src" not in attributes and (not kind or "javascript" in kind or kind == "module"):
            self.scripts.append((end, last))
        return last

    def _close(self, tag: str, end: int) -> None:
        for at in range(len(self._open) - 1, max(-1, len(self._open) - NESTING_CAP), -1):
            if self._open[at][0] == tag:
                self.elements += [(*one, end) for one in self._open[at:]]
                del self._open[at:]
                return


def _tag_end(text: str, start: int) -> int:
    """Behind the `>` of the tag that begins at `start`, quotes respected; -1 when it is too far."""
    at, stop = start + 1, min(len(text), start + ELEMENT_CAP)
    while at < stop:
        mark = _MARK.search(text, at, stop)
        if mark is None:
            return -1
        if mark.group() == ">":
            return mark.end()
        if mark.group() == "<":
            return -1
        closing = text.find(mark.group(), mark.end(), stop)
        if closing < 0:
            return -1
        at = closing + 1
    return -1


_ATTRIBUTE = re.compile(
    r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"((?:\{\{[^}]*\}\}|\{%[^%]*%\}|[^"])*)"|'((?:\{\{[^}]*\}\}|\{%[^%]*%\}|[^'])*)'|([^\s"'>]+)))?""",
    re.DOTALL,
)


def _attributes(tag: str) -> dict[str, str]:
    """Attributes of a start tag as written."""
    body = re.sub(r"^<\s*[\w:-]+", "", tag).rstrip("/>")
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(body):
        value = next((g for g in match.groups()[1:] if g is not None), "")
        found.setdefault(match.group(1).lower(), value)
    return found
