"""What the evaluation knows of a value.

`Const` is known exactly. `Piece` is text of which only the characters are known, from an untrusted source or clean.
`Text` is known text with pieces in it. `Opaque` is anything else; it lists the untrusted pieces that may be inside.
"""

import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

OTHER = "\u0100"
"""Stands for every character outside ASCII."""
ANY = frozenset(map(chr, range(128))) | {OTHER}
DIGITS = frozenset("0123456789-+.e")
BASE64 = frozenset(string.ascii_letters + string.digits + "+/=-_")
MOST = 8
"""Alternatives kept apart before they are merged."""
MOST_PARTS = 48
"""Parts of a text kept apart before only their characters are remembered."""
LONGEST = 10_000
"""Characters of known text that are kept."""

LATER_WORDS = "one of the later words"
"""Of a text that was split at blanks: not known, and no parameter that a caller chooses."""

Ident = tuple[object, ...]


@dataclass(frozen=True)
class Const:
    """A Python constant, or a tuple of them."""

    value: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True)
class Piece:
    """Text made of `chars` that holds none of `lacks`."""

    ident: Ident
    """The same for the same read of the same thing, so that what is learned of one holds for the other."""
    source: str
    """Name of the untrusted source, '' for clean text."""
    line: int
    """Line where the source is read."""
    chars: frozenset[str] = ANY
    lacks: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    """What else is known: `member` of a fixed list, `contained` in a folder, `shell-quoted`, `checked` by something
    this method cannot read, `resets` (an absolute path would replace what stands before), `mapping`, `prefix:...`."""
    inner: "Value | None" = None
    """What was encoded, for encodings that a decoder undoes."""

    @property
    def untrusted(self) -> bool:
        return bool(self.source)


@dataclass(frozen=True)
class Text:
    """Strings, pieces and opaque values in a row."""

    parts: "tuple[str | Piece | Opaque, ...]"


@dataclass(frozen=True)
class Opaque:
    """Not known; `pieces` may be inside."""

    why: str
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True)
class Many:
    """A sequence of unknown length of values like `element`."""

    element: "Value"


@dataclass(frozen=True)
class OneOf:
    """One of several."""

    values: "tuple[Value, ...]"


@dataclass(frozen=True)
class Ref:
    """An object on the heap of the state."""

    number: int


@dataclass(frozen=True)
class Global:
    """A dotted name: a module, or something in one."""

    name: str


@dataclass(frozen=True)
class Function:
    """A function of the project, perhaps bound."""

    path: str
    qualname: str
    receiver: "Value | None" = None


@dataclass(frozen=True)
class Method:
    """A method of a value of a library type."""

    receiver: "Value"
    name: str


@dataclass(frozen=True)
class PathValue:
    """A `pathlib` path or normalised path text."""

    text: "Value"
    resolved: bool


@dataclass(frozen=True)
class Url:
    """A parsed URL."""

    of: "Value"


@dataclass(frozen=True)
class Request:
    """The request object of a framework."""

    framework: str


@dataclass(frozen=True)
class Reflected:
    """A function of the project that is looked up by name."""

    where: str
    """Dotted beginning of the modules, or the class, where it is looked up."""
    prefix: str
    """How its name begins."""


Value = (
    Const
    | Piece
    | Text
    | Opaque
    | Many
    | OneOf
    | Ref
    | Global
    | Function
    | Method
    | PathValue
    | Url
    | Request
    | Reflected
)


def parts(value: Value) -> tuple[str | Piece | Opaque, ...]:
    """A value as text."""
    match value:
        case Const(value=str() as text):
            return (text,)
        case Const(value=bytes() as raw):
            return (raw.decode("utf-8", "replace"),)
        case Const():
            return (str(value.value),)
        case Piece() | Opaque():
            return (value,)
        case Text():
            return value.parts
        case PathValue():
            return parts(value.text)
        case Many():
            return (Opaque("a sequence", pieces_in(value)),)
        case _:
            return (Opaque("not a text", pieces_in(value)),)


def text_of(items: Iterable[str | Piece | Opaque]) -> Value:
    """The simplest value with these parts, neighbouring strings joined; only a summary when they are very many."""
    merged: list[str | Piece | Opaque] = []
    for item in items:
        if isinstance(item, str) and merged and isinstance(merged[-1], str):
            merged[-1] += item
        elif item != "":
            merged.append(item)
    if not merged:
        return Const("")
    if len(merged) > MOST_PARTS or sum(len(m) for m in merged if isinstance(m, str)) > LONGEST:
        return summary((Text(tuple(merged)),))
    if len(merged) == 1:
        return Const(merged[0]) if isinstance(merged[0], str) else merged[0]
    return Text(tuple(merged))


def concat(*values: Value) -> Value:
    """Text after text; alternatives are kept apart while they are few."""
    results: list[Value] = [Const("")]
    for value in values:
        options = value.values if isinstance(value, OneOf) else (value,)
        results = [text_of((*parts(r), *parts(o))) for r in results for o in options]
        if len(results) > MOST:
            results = [summary(results)]
    return one_of(results)


def one_of(values: Iterable[Value]) -> Value:
    """Alternatives, flattened, without repetition, summarised when they are many."""
    found: dict[Value, None] = {}
    for value in values:
        for option in value.values if isinstance(value, OneOf) else (value,):
            found[option] = None
    options = tuple(found)
    if len(options) == 1:
        return options[0]
    return OneOf(options) if len(options) <= MOST else summary(options)


def options(value: Value) -> tuple[Value, ...]:
    """The alternatives of a value, itself when there is one."""
    return value.values if isinstance(value, OneOf) else (value,)


def summary(values: Iterable[Value]) -> Value:
    """One value that covers all: what characters there may be, and from which source."""
    chars: frozenset[str] = frozenset()
    found: list[Piece] = []
    for value in values:
        for option in options(value):
            if not isinstance(option, Const | Piece | Text) or (
                isinstance(option, Const) and not isinstance(option.value, str)
            ):
                return Opaque("one of many", tuple(dict.fromkeys(p for v in values for p in pieces_in(v))))
            for part in parts(option):
                if isinstance(part, Opaque):
                    return Opaque("one of many", tuple(dict.fromkeys(p for v in values for p in pieces_in(v))))
                if isinstance(part, str):
                    chars |= alphabet(part)
                else:
                    chars |= part.chars
                    found.append(part)
    dirty = [p for p in found if p.untrusted]
    if not dirty:
        return Piece(("mixed", tuple(sorted(chars))), "", 0, chars)
    first = dirty[0]
    return Piece(
        ("mixed", first.ident, tuple(sorted(chars))),
        first.source,
        first.line,
        chars,
        marks=frozenset.intersection(*(p.marks for p in dirty)),
    )


def alphabet(text: str) -> frozenset[str]:
    """Characters of a text in the form of `Piece.chars`."""
    return frozenset(c if c.isascii() else OTHER for c in text)


def pieces_in(value: Value) -> tuple[Piece, ...]:
    """Every untrusted piece that is, or may be, inside a value. Objects on the heap are not looked into."""
    match value:
        case Piece():
            return (value,) if value.untrusted else ()
        case Text():
            return tuple(p for part in value.parts if not isinstance(part, str) for p in pieces_in(part))
        case Opaque():
            return value.pieces
        case Many():
            return pieces_in(value.element)
        case OneOf():
            return tuple(dict.fromkeys(p for v in value.values for p in pieces_in(v)))
        case PathValue():
            return pieces_in(value.text)
        case Url():
            return pieces_in(value.of)
        case Method() | Function() if value.receiver is not None:
            return pieces_in(value.receiver)
        case _:
            return ()


def ident_of(value: Value) -> Ident:
    """Identity of a text, for facts about it."""
    if isinstance(value, Piece):
        return value.ident
    if isinstance(value, PathValue):
        return ident_of(value.text)
    return ("text", *(p if isinstance(p, str) else p.ident if isinstance(p, Piece) else "?" for p in parts(value)))


def each_char(piece: Piece, change: Callable[[str], str], name: str) -> Piece:
    """`piece` after a change that works character by character, such as escaping."""
    chars: frozenset[str] = frozenset()
    for c in sorted(piece.chars):
        chars |= {OTHER} if c == OTHER else alphabet(change(c))
    return replace(piece, ident=(*piece.ident, name), chars=chars, lacks=frozenset(), inner=None)


def derived(piece: Piece, name: object, *, chars: frozenset[str] | None = None) -> Piece:
    """A part or a variant of `piece` that is still untrusted; what was known of single characters stays."""
    return replace(piece, ident=(*piece.ident, name), chars=piece.chars if chars is None else chars, inner=None)


def clean(why: str, chars: frozenset[str] = ANY) -> Piece:
    """Text that nobody outside chooses."""
    return Piece(("clean", why), "", 0, chars)


def show(value: Value) -> str:
    """For the witness: `'./files/' + <request.args>`."""
    if isinstance(value, OneOf):
        return " | ".join(show(v) for v in value.values)
    if isinstance(value, Const):
        return repr(value.value)[:80]
    shown = []
    for part in parts(value):
        if isinstance(part, str):
            shown.append(repr(part if len(part) <= 60 else part[:25] + "…" + part[-25:]))
        elif isinstance(part, Piece):
            shown.append(f"<{part.source} read in line {part.line}>" if part.untrusted else "<clean text>")
        else:
            shown.append("<unknown>")
    return " + ".join(shown)
