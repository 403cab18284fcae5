"""The state of the evaluation at one point: names, objects, and what was learned from conditions."""

from dataclasses import dataclass, field, replace

from verifiers.static.security.values import (
    Ident,
    OneOf,
    Opaque,
    PathValue,
    Piece,
    Ref,
    Text,
    Value,
    one_of,
    parts,
    pieces_in,
    text_of,
)


@dataclass(frozen=True)
class ListObject:
    """`items`, then any number of values like `rest`."""

    items: tuple[Value, ...] = ()
    rest: Value | None = None


@dataclass(frozen=True)
class DictObject:
    """Known keys, and any number of others with values like `rest`."""

    items: dict[object, Value] = field(default_factory=dict)
    rest: Value | None = None


@dataclass(frozen=True)
class Instance:
    """An object of a class of the project, or of a modelled library class (`kind`)."""

    kind: str
    attributes: dict[object, Value] = field(default_factory=dict)


Object = ListObject | DictObject | Instance


@dataclass(frozen=True)
class Fact:
    """What conditions on the way here say of one piece; None means nothing is known of its characters."""

    chars: frozenset[str] | None = None
    lacks: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()


@dataclass
class State:
    names: dict[str, Value] = field(default_factory=dict)
    heap: dict[int, Object] = field(default_factory=dict)
    facts: dict[Ident, Fact] = field(default_factory=dict)
    dead: bool = False
    """Nothing gets past this point: a call inside the statement never returns."""

    def copy(self) -> "State":
        return State(dict(self.names), dict(self.heap), dict(self.facts), self.dead)

    def learn(
        self,
        piece: Piece,
        *,
        chars: frozenset[str] | None = None,
        lacks: frozenset[str] = frozenset(),
        marks: frozenset[str] = frozenset(),
    ) -> None:
        """Note that on this path the piece is like that."""
        old = self.facts.get(piece.ident, Fact())
        known = old.chars if chars is None else chars if old.chars is None else chars & old.chars
        self.facts[piece.ident] = Fact(known, old.lacks | lacks, old.marks | marks)

    def forget(self, ident: Ident) -> None:
        """The name of this identity stands for something new (the next element of a loop)."""
        for known in [k for k in self.facts if k[: len(ident)] == ident]:
            del self.facts[known]

    def refined(self, value: Value) -> Value:
        """`value` with what was learned of its pieces built in."""
        if not self.facts:
            return value
        if isinstance(value, Piece):
            fact = self.facts.get(value.ident)
            if fact is None:
                return value
            chars = value.chars if fact.chars is None else value.chars & fact.chars
            return replace(value, chars=chars, lacks=value.lacks | fact.lacks, marks=value.marks | fact.marks)
        if isinstance(value, OneOf):
            return one_of(self.refined(o) for o in value.values)
        if isinstance(value, PathValue):
            return PathValue(self.refined(value.text), value.resolved)
        if isinstance(value, Text):
            return text_of(p if isinstance(p, str) else parts(self.refined(p))[0] for p in value.parts)
        return value

    def settled(self, value: Value) -> Value:
        """`refined`, and a piece of which a part or variant was examined on its own is `checked`: to what end is not
        understood, and would be forgotten where ways meet."""
        known = self.refined(value)
        match known:
            case OneOf():
                return one_of(self.settled(o) for o in known.values)
            case PathValue():
                return PathValue(self.settled(known.text), known.resolved)
            case Piece() | Text():
                return text_of(self._examined(p) if isinstance(p, Piece) else p for p in parts(known))
        return known

    def _examined(self, piece: Piece) -> Piece:
        if "literal" in piece.marks or not self.examined(piece.ident):
            return piece
        return replace(piece, marks=piece.marks | {"checked"})

    def examined(self, base: Ident) -> bool:
        """Whether a part or variant of the piece so identified was looked at on its own."""
        size = len(base)
        return any(
            (base in ident or (len(ident) > size and ident[:size] == base))
            and (fact.chars is not None or fact.lacks or fact.marks)
            and "extension" not in ident
            for ident, fact in self.facts.items()
        )

    def noted(self, ident: Ident) -> Fact:
        """What is known of a piece, with the mark that parts of it were examined."""
        fact = self.facts.get(ident, Fact())
        return replace(fact, marks=fact.marks | {"checked"}) if self.examined(ident) else fact


def join(states: list[State]) -> State | None:
    """One state that covers all; None when there is none."""
    if not states:
        return None
    first = states[0].copy()
    result = states[0].copy()
    for state in states[1:]:
        for name, value in state.names.items():
            old = result.names.get(name)
            if old is None or old == value:
                result.names[name] = value
            else:
                result.names[name] = one_of((first.settled(old), state.settled(value)))
        for number, item in state.heap.items():
            there = result.heap.get(number)
            if there is None or there is item:
                result.heap[number] = item
            else:
                result.heap[number] = _joined(_settled(there, first), _settled(item, state))
        both = [ident for ident in result.facts if ident in state.facts]
        both += [i for i in result.facts if i not in state.facts and state.examined(i)]
        both += [i for i in state.facts if i not in result.facts and result.examined(i)]
        result.facts = {ident: _weaker(result.noted(ident), state.noted(ident)) for ident in both}
    return result


def _weaker(a: Fact, b: Fact) -> Fact:
    for empty, other in ((a, b), (b, a)):
        if empty.chars is not None and not empty.chars:
            return other  # an empty text does no harm, so what holds for the other way holds for both
    chars = None if a.chars is None or b.chars is None else a.chars | b.chars
    marks = a.marks & b.marks
    if not marks and a.marks and b.marks:
        marks = frozenset({"checked"})  # restricted on both ways, by different means
    return Fact(chars, a.lacks & b.lacks, marks)


def _settled(item: Object, state: State) -> Object:
    match item:
        case ListObject():
            return ListObject(tuple(map(state.settled, item.items)), state.settled(item.rest) if item.rest else None)
        case DictObject():
            return DictObject(
                {k: state.settled(v) for k, v in item.items.items()}, state.settled(item.rest) if item.rest else None
            )
        case Instance():
            return Instance(item.kind, {k: state.settled(v) for k, v in item.attributes.items()})


def _joined(a: Object, b: Object) -> Object:
    if isinstance(a, ListObject) and isinstance(b, ListObject):
        if len(a.items) == len(b.items):
            items = tuple(one_of(pair) for pair in zip(a.items, b.items, strict=True))
            return ListObject(items, _either(a.rest, b.rest))
        return ListObject((), one_of([*a.items, *b.items, *(r for r in (a.rest, b.rest) if r is not None)]))
    if isinstance(a, DictObject) and isinstance(b, DictObject):
        return DictObject(_joined_items(a.items, b.items), _either(a.rest, b.rest))
    if isinstance(a, Instance) and isinstance(b, Instance) and a.kind == b.kind:
        return Instance(a.kind, _joined_items(a.attributes, b.attributes))
    pieces = tuple(p for o in (a, b) for v in contents(o) for p in pieces_in(v))
    return Instance("?", {"?": Opaque("different objects", pieces)})


def _joined_items(a: dict[object, Value], b: dict[object, Value]) -> dict[object, Value]:
    return {k: one_of([d[k] for d in (a, b) if k in d]) for k in dict.fromkeys([*a, *b])}


def _either(a: Value | None, b: Value | None) -> Value | None:
    return a if b is None else b if a is None else one_of((a, b))


def contents(item: Object) -> list[Value]:
    """Values directly inside an object."""
    match item:
        case ListObject():
            return [*item.items, *([item.rest] if item.rest is not None else [])]
        case DictObject():
            return [*item.items.values(), *([item.rest] if item.rest is not None else [])]
        case Instance():
            return list(item.attributes.values())


def reachable(value: Value, state: State, depth: int = 4) -> tuple[Piece, ...]:
    """Untrusted pieces inside a value, objects on the heap included."""
    if isinstance(value, Ref) and depth:
        item = state.heap.get(value.number)
        inside = contents(item) if item is not None else []
        return tuple(dict.fromkeys(p for v in inside for p in reachable(v, state, depth - 1)))
    return pieces_in(value)
