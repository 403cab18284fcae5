"""One page: an HTML file or a Jinja or Django template, as a list of elements with their places. Nothing is rendered.

Template tags are blanked before the HTML is read, so that they disturb neither tags nor places; an attribute keeps its
text as written, template tags included.
"""

import re
from html.parser import HTMLParser
from typing import NamedTuple

from harness.source.script import Script

_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_COMMENT = re.compile(
    r"\{#.*?#\}|\{%-?\s*comment\b.*?endcomment\s*-?%\}|\{%-?\s*(?:raw|verbatim)\b.*?end(?:raw|verbatim)\s*-?%\}",
    re.DOTALL,
)


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
        plain = _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        self.tags = tuple(self._tag(m) for m in _TAG.finditer(plain) if not m.group().startswith("{#"))
        reader = _Reader(_TAG.sub(lambda m: re.sub(r"[^\n]", "\x01", m.group()), plain), text)
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
            text = _TAG.sub(lambda m: re.sub(r"[^\n]", "_", m.group()), self.text[start:end])
            line, column = self.place(start)
            found.append(Script(self.path, text, line=line, column=column))
        return found

    def _tag(self, match: re.Match[str]) -> TemplateTag:
        line, column = self.place(match.start())
        return TemplateTag(match.group()[1], match.group()[2:-2].strip("-+ \n\t"), line, column, match.start())


_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)


class _Reader(HTMLParser):
    def __init__(self, plain: str, original: str) -> None:
        super().__init__(convert_charrefs=False)
        self._starts = [0] + [m.end() for m in re.finditer("\n", plain)]
        self._original = original
        self._open: list[tuple[str, dict[str, str], int]] = []
        self._script: int | None = None
        self.elements: list[tuple[str, dict[str, str], int, int]] = []
        self.scripts: list[tuple[int, int]] = []
        self.feed(plain)
        self.close()
        self.elements += [(*one, len(original)) for one in self._open]

    def _at(self) -> int:
        line, offset = self.getpos()
        return self._starts[line - 1] + offset

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs  # they are read from the original text, where template tags are still there
        start = self._at()
        raw = self.get_starttag_text() or ""
        attributes = _attributes(self._original[start : start + len(raw)])
        if tag in _VOID or raw.endswith("/>"):
            self.elements.append((tag, attributes, start, start + len(raw)))
            return
        self._open.append((tag, attributes, start))
        kind = attributes.get("type", "")
        if tag == "script" and "src" not in attributes and (not kind or "javascript" in kind or kind == "module"):
            self._script = start + len(raw)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        end = self._at()
        if tag == "script" and self._script is not None:
            self.scripts.append((self._script, end))
            self._script = None
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at][0] == tag:
                self.elements += [(*one, end) for one in self._open[at:]]
                del self._open[at:]
                return


_ATTRIBUTE = re.compile(
    r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"((?:\{\{.*?\}\}|\{%.*?%\}|[^"])*)"|'((?:\{\{.*?\}\}|\{%.*?%\}|[^'])*)'|([^\s"'>]+)))?""",
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
