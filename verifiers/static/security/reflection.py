"""Functions that the project looks up by a name that it puts together."""

from typing import TYPE_CHECKING

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
