"""Functions that the project looks up by a name that it puts together, and methods of which many classes have one."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from harness.source.index import Function as Known
from verifiers.static.security.state import Instance, State
from verifiers.static.security.values import Const, Function, Global, Opaque, Ref, Reflected, Text, Value

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation

SHORTEST = 2


def imported(name: Value) -> Value:
    """What `import_module` gives; `*` stands for the part of the name that is not known."""
    match name:
        case Const(value=str() as known):
            return Global(known)
        case Text(parts=(str() as known, *_)) if "." in known:
            return Global(f"{known}*")
    return Opaque("a module")


def looked_up(owner: Value, name: Value, state: State) -> Reflected | None:
    """`getattr(owner, name)` when the beginning of the name is known and says something."""
    first = name.parts[0] if isinstance(name, Text) else None
    if not isinstance(first, str) or len(first) < SHORTEST or not first.isidentifier():
        return None
    if isinstance(owner, Global):
        return Reflected(owner.name.rstrip("*") if owner.name.endswith("*") else f"{owner.name}.", first)
    item = state.heap.get(owner.number) if isinstance(owner, Ref) else None
    return Reflected(f"{item.kind}.", first) if isinstance(item, Instance) else None


def candidates(ev: "Evaluation", chosen: Reflected) -> list[Function]:
    """Functions it may be, of those in files where something is watched: of all others nothing is asked."""
    watched = {place[0] for place in ev.watched}
    found = []
    for function in ev.project.index.functions.values():
        inside = f".{function.name}".rpartition(".")[0] + "."
        last = function.qualname.rpartition(".")[2]
        if function.path in watched and last.startswith(chosen.prefix) and f".{chosen.where}" in inside:
            found.append(Function(function.path, function.qualname))
    return found


def asked_about(ev: "Evaluation", functions: Iterable[Known]) -> list[Known]:
    """Those that something watched stands in: of all others nothing is asked."""
    found = []
    for function in functions:
        module = ev.project.module(function.path)
        node = dict(module.functions).get(function.qualname)
        last = (node.end_lineno or node.lineno) if node is not None else 0
        if any(path == function.path and function.line <= line <= last for path, line, _, _ in ev.watched):
            found.append(function)
    return found


def one_family(ev: "Evaluation", methods: Sequence[Known]) -> bool:
    """Whether all these methods are of one class of the project and what derives from it: which of them runs is decided
    by the object, so each of them may."""
    owners = {m.class_name for m in methods if m.class_name is not None}
    for root in sorted({base for owner in owners for base in _upwards(ev, owner)}):
        below = {c.name for c in ev.project.index.subclasses(root)} | {root}
        if owners <= below:
            return True
    return False


def _upwards(ev: "Evaluation", name: str, depth: int = 6) -> set[str]:
    """A class of the project and its bases there."""
    index = ev.project.index
    found = index.classes.get(index.canonical(name))
    if found is None or depth == 0:
        return set()
    return {found.name}.union(*(_upwards(ev, base, depth - 1) for base in found.bases))
