"""Where strings, and statements newer than an old grammar, stand in Python text: a scanner that knows the newest grammar.

It finds just what `harness.source.lowered` has to bring down; everything else is left to the parser. Offsets count
characters of a text whose line ends are `\\n`. It accepts more than the grammar does: the parser has the last word.
"""

import keyword
import re
from dataclasses import dataclass, field
from typing import NamedTuple

DEEPEST = 60
"""Levels of f-strings within f-strings; more is an attack on the stack, not a program."""

_TOKEN = re.compile(
    r"""(?P<space>[ \t\f]+|\\\n)
    |(?P<newline>\n)
    |(?P<comment>\#[^\n]*)
    |(?P<string>(?:[bB][rR]?|[rR][bBfFtT]?|[uU]|[fF][rR]?|[tT][rR]?)?(?:'''|\"\"\"|'|\"))
    |(?P<name>[^\W\d]\w*)
    |(?P<number>\.?\d[\w.]*)
    |(?P<operator>\*\*|[=!<>:]=|.)""",
    re.VERBOSE,
)
# The repeated groups are not possessive: Python 3.11.2, which Debian 12 has, then misses strings. They need no such help: each
# step of theirs begins with another character, so giving one back is tried once.
_BODY = {
    "'": re.compile(r"[^'\\\n]*+(?:\\.[^'\\\n]*+)*'", re.DOTALL),
    '"': re.compile(r'[^"\\\n]*+(?:\\.[^"\\\n]*+)*"', re.DOTALL),
    "'''": re.compile(r"[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*'''", re.DOTALL),
    '"""': re.compile(r'[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*"""', re.DOTALL),
}
_STAR = re.compile(r"[ \t]*\*")
_IMPORT = re.compile(r"[ \t]+(?:import|from)\b")
_SPECIAL = re.compile(r"[\\{}'\"\n]")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_FIELD_ENDS = frozenset("=!:}")
_PARAMETER_ENDS = frozenset("=:,]")


class ScanError(Exception):
    """The text cannot be Python. Carries the offset at which that was seen."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class Span(NamedTuple):
    """A stretch of code that holds one or more expressions."""

    start: int
    """Of the first token."""
    end: int
    """After the last token."""
    stop: int
    """Of the token that ended the stretch."""
    commas: int
    """Commas outside brackets."""
    elements: int
    """Expressions between them."""
    first: str
    """Text of the first token."""
    named: bool
    """Holds `as` outside brackets."""


class Text(NamedTuple):
    """Literal text of an f-string, or the text that `{x=}` shows; as written, escapes not yet resolved."""

    start: int
    end: int
    raw: tuple[str, ...]
    """The text in pieces: one brace of each doubled pair is gone."""
    verbatim: bool
    """Backslashes mean themselves."""


class Field(NamedTuple):
    """One `{...}` of an f-string."""

    start: int
    """Of `{`."""
    end: int
    """After `}`."""
    code: Span
    debug: Text | None
    """What `{x=}` shows before the value."""
    conversion: int
    """Code of the letter after `!`, or -1."""
    spec_start: int
    """Of the `:`, -1 without one."""
    spec: "tuple[Text | Field, ...]"


class Literal(NamedTuple):
    """One string token, prefix and quotes included."""

    start: int
    end: int
    kind: str
    """`f`, `t`, or '' for any other."""
    parts: tuple[Text | Field, ...]
    """Empty unless it is an f- or t-string."""


@dataclass
class Group:
    """Adjacent string tokens, which the parser joins into one value."""

    literals: list[Literal]
    interpolated: bool = False
    """One of them is an f- or t-string."""

    @property
    def start(self) -> int:
        return self.literals[0].start

    @property
    def end(self) -> int:
        return self.literals[-1].end


class TypeParameter(NamedTuple):
    """One name in `def f[T: bound = default]`."""

    start: int
    end: int
    stars: int
    """0 for a plain name, 1 for `*Ts`, 2 for `**P`."""
    name: str
    bound: Span | None
    default: Span | None


class Generic(NamedTuple):
    """The type parameters of a def, class or type statement."""

    owner: int
    """Offset at which the statement's node begins."""
    opening: int
    """Of `[`."""
    closing: int
    """Of `]`."""
    paren: int
    """Of the `(` right after them, -1 without one."""
    parameters: tuple[TypeParameter, ...]


class _Token(NamedTuple):
    text: str
    start: int


_NOTHING = _Token("\n", 0)


@dataclass
class Scan:
    """What was found, each list in the order of the text."""

    groups: list[Group] = field(default_factory=list)
    """Groups that hold an f- or t-string; those nested in another's field come before it."""
    generics: list[Generic] = field(default_factory=list)
    aliases: list[int] = field(default_factory=list)
    """Offsets of the word `type` of type statements."""
    lazy: list[int] = field(default_factory=list)
    """Offsets of the word `lazy` before an import (PEP 810)."""
    clauses: list[Span] = field(default_factory=list)
    """What stands between `except` and its colon, where that is several types without brackets (PEP 758)."""

    def __bool__(self) -> bool:
        return bool(self.groups or self.generics or self.aliases or self.lazy or self.clauses)


def scan(text: str) -> Scan:
    """Read the whole text. Raises ScanError."""
    scanner = _Scanner(text)
    scanner.statements()
    return scanner.found


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.found = Scan()
        self.depth = 0

    def statements(self) -> None:
        """The top level: everything until the end."""
        text = self.text
        brackets = 0
        group: Group | None = None
        third, second, last = _NOTHING, _NOTHING, _NOTHING
        at = 0
        while (match := _TOKEN.match(text, at)) is not None:
            kind = match.lastgroup
            at = match.end()
            if kind in ("space", "comment"):
                continue
            if kind == "string":
                group, at = self.string(match, group)
                third, second, last = second, last, _Token("''", match.start())
                continue
            if kind == "newline" and brackets:
                continue
            group = None
            token = _Token(match.group(), match.start())
            if kind == "operator":
                if token.text in _CLOSING:
                    brackets += 1
                elif token.text in ")]}":
                    brackets -= 1
                if token.text in "[=" and _is_name(last.text):
                    if second.text == "type" and third.text in ("\n", ";", ":"):
                        self.found.aliases.append(second.start)
                    if token.text == "[" and second.text in ("def", "class", "type"):
                        at = self.generic(third.start if third.text == "async" else second.start, token.start)
                        brackets -= text[at - 1] == "]"
            elif last.text in ("\n", ";", ":"):
                if token.text == "except":
                    at = self.clause(at)
                elif token.text == "lazy" and _IMPORT.match(text, at):
                    self.found.lazy.append(token.start)
            third, second, last = second, last, token

    def clause(self, at: int) -> int:
        """After `except`: note several types without brackets, and go on at the colon."""
        star = _STAR.match(self.text, at)
        span = self.code(star.end() if star else at, frozenset(":\n"))
        if span.commas and not span.named:
            self.found.clauses.append(span)
        return span.stop

    def generic(self, owner: int, opening: int) -> int:
        """Type parameters from `[` on. Returns where to go on: after `]`, or after the `(` that follows it."""
        parameters = []
        at = opening + 1
        while self.peek(at).text != "]":
            parameter, at = self.parameter(at)
            parameters.append(parameter)
            if self.text[at] == ",":
                at += 1
        closing = self.peek(at).start
        after = self.peek(closing + 1)
        paren = after.start if after.text == "(" else -1
        self.found.generics.append(Generic(owner, opening, closing, paren, tuple(parameters)))
        return paren + 1 if paren >= 0 else closing + 1

    def parameter(self, at: int) -> tuple[TypeParameter, int]:
        token = self.peek(at)
        start, stars = token.start, 0
        if token.text in ("*", "**"):
            stars = len(token.text)
            token = self.peek(token.start + stars)
        if not _is_name(token.text):
            raise ScanError("expected the name of a type parameter", token.start)
        end = token.start + len(token.text)
        bound = default = None
        stop = self.peek(end)
        if stop.text == ":":
            bound = self.code(stop.start + 1, _PARAMETER_ENDS)
            end, stop = bound.end, self.peek(bound.stop)
        if stop.text == "=":
            default = self.code(stop.start + 1, _PARAMETER_ENDS)
            end, stop = default.end, self.peek(default.stop)
        if stop.text not in (",", "]"):
            raise ScanError("expected ',' or ']' after a type parameter", stop.start)
        return TypeParameter(start, end, stars, token.text, bound, default), stop.start

    def peek(self, at: int) -> _Token:
        """The next token that is no space, comment or line end."""
        while (match := _TOKEN.match(self.text, at)) is not None:
            if match.lastgroup not in ("space", "comment", "newline"):
                return _Token(match.group(), match.start())
            at = match.end()
        raise ScanError("unexpected end of the text", len(self.text))

    def code(self, at: int, stops: frozenset[str]) -> Span:
        """Code up to the first token outside brackets that begins with one of `stops`."""
        text = self.text
        brackets: list[str] = []
        group: Group | None = None
        begin, end, first, commas, empty, named = -1, at, "", 0, True, False
        while (match := _TOKEN.match(text, at)) is not None:
            kind, token = match.lastgroup, match.group()
            if kind in ("space", "comment") or (kind == "newline" and (brackets or "\n" not in stops)):
                at = match.end()
                continue
            if kind == "string":
                group, at = self.string(match, group)
            else:
                group = None
                if not brackets and token[0] in stops and (token[0] == ":" or len(token) == 1):
                    return Span(begin, end, match.start(), commas, commas + (not empty), first, named)
                at = match.end()
                if kind == "operator":
                    if token in _CLOSING:
                        brackets.append(_CLOSING[token])
                    elif token in ")]}" and (not brackets or brackets.pop() != token):
                        raise ScanError(f"unmatched '{token}'", match.start())
            if begin < 0:
                begin, first = match.start(), token
            end = at
            named = named or (token == "as" and not brackets)
            if token == "," and not brackets:
                commas, empty = commas + 1, True
            else:
                empty = False
        raise ScanError("unexpected end of the text", len(text))

    def string(self, match: re.Match[str], group: Group | None) -> tuple[Group | None, int]:
        """The string token that begins at `match`, joined to `group`. Returns the group and the offset after it."""
        opening = match.group()
        prefix = opening.rstrip("'\"").lower()
        quote = opening[len(prefix) :]
        if "f" in prefix or "t" in prefix:
            parts, end = self.parts(match.end(), quote, verbatim="r" in prefix)
            literal = Literal(match.start(), end, "f" if "f" in prefix else "t", parts)
        else:
            body = _BODY[quote].match(self.text, match.end())
            if body is None:
                raise ScanError("unterminated string literal", match.start())
            literal = Literal(match.start(), body.end(), "", ())
        if group is None:
            group = Group([])
        group.literals.append(literal)
        if literal.kind and not group.interpolated:
            group.interpolated = True
            self.found.groups.append(group)
        return group, literal.end

    def parts(self, at: int, quote: str, *, verbatim: bool, spec: bool = False) -> tuple[tuple[Text | Field, ...], int]:
        """Text and fields up to the closing quote, or to the `}` that ends a format specification.

        Returns them with the offset after the quote, or of the `}`.
        """
        text = self.text
        parts: list[Text | Field] = []
        raw: list[str] = []
        start = begin = at
        while True:
            match = _SPECIAL.search(text, at)
            if match is None:
                raise ScanError("unterminated f-string literal", begin)
            char, at = match.group(), match.start()
            following = text[at + 1 : at + 2]
            closed = (char == "}" and spec) or (char == quote[0] and text.startswith(quote, at))
            if closed or (char == "{" and (spec or following != "{")):
                if at > start:
                    parts.append(Text(start, at, (*raw, text[begin:at]), verbatim))
                if closed and char != "}" and spec:
                    raise ScanError("f-string: expecting '}'", at)
                if closed:
                    return tuple(parts), at if spec else at + len(quote)
                field_, at = self.field(at, quote, verbatim=verbatim)
                parts.append(field_)
                raw, start, begin = [], at, at
            elif char in "{}":
                if following != char:
                    raise ScanError("f-string: single '}' is not allowed", at)
                raw.append(text[begin : at + 1])
                at += 2
                begin = at
            elif char == "\\":
                at = self.escape(at, verbatim=verbatim)
            elif char == "\n" and len(quote) == 1:
                raise ScanError("unterminated f-string literal", at)
            else:
                at += 1

    def escape(self, at: int, *, verbatim: bool) -> int:
        """The offset after the backslash at `at` and what it protects."""
        if not verbatim and self.text.startswith("N{", at + 1):
            end = self.text.find("}", at)
            if end < 0:
                raise ScanError("malformed \\N character escape", at)
            return end + 1
        return at + 1 if self.text[at + 1 : at + 2] in ("{", "}") else at + 2

    def field(self, at: int, quote: str, *, verbatim: bool) -> tuple[Field, int]:
        """The field that begins with the `{` at `at`, and the offset after it."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise ScanError("f-strings are nested too deeply", at)
        text = self.text
        code = self.code(at + 1, _FIELD_ENDS)
        if code.elements == 0 and code.first != "yield":
            raise ScanError("f-string: valid expression required before '}'", at)
        stop, debug, conversion, spec_start = code.stop, None, -1, -1
        spec: tuple[Text | Field, ...] = ()
        if text[stop] == "=":
            stop = self.peek(stop + 1).start
            debug = Text(at + 1, stop, (text[at + 1 : stop],), True)
        if text[stop] == "!":
            name = self.peek(stop + 1)
            if name.text not in ("r", "s", "a"):
                raise ScanError("f-string: invalid conversion character", stop)
            conversion = ord(name.text)
            stop = self.peek(name.start + 1).start
        if text[stop] == ":":
            spec_start = stop
            spec, stop = self.parts(stop + 1, quote, verbatim=verbatim, spec=True)
        if text[stop] != "}":
            raise ScanError("f-string: expecting '}'", stop)
        if debug is not None and conversion == -1 and spec_start < 0:
            conversion = ord("r")
        self.depth -= 1
        return Field(at, stop + 1, code, debug, conversion, spec_start, spec), stop + 1


def _is_name(word: str) -> bool:
    return word.isidentifier() and not keyword.iskeyword(word)
