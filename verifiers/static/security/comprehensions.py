"""Values of comprehensions and of functions without a name, and what happens inside them."""

import ast
from typing import TYPE_CHECKING

from verifiers.static.security import conditions, escape
from verifiers.static.security.assignment import bind
from verifiers.static.security.sequences import element_of, known_elements
from verifiers.static.security.state import DictObject, ListObject, State
from verifiers.static.security.values import Many, Opaque, Value, pieces_in

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation, Frame


def sequence(
    ev: "Evaluation", node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: "Frame", state: State
) -> Value:
    """A list, set or generator."""
    simple = node.generators[0]
    elements = known_elements(ev.value(simple.iter, frame, state), state)
    if elements is not None and len(node.generators) == 1 and not simple.ifs:
        outer = dict(state.names)
        found = []
        for element in elements:
            bind(ev, simple.target, element, frame, state)
            found.append(ev.value(node.elt, frame, state))
        state.names = outer
        return ev.allocate(state, ListObject(tuple(found)))
    inner = _within(ev, node.generators, frame, state)
    if inner is None:
        return ev.allocate(state, ListObject())
    element = ev.value(node.elt, frame, inner)
    _keep(inner, state)
    return Many(element)


def mapping(ev: "Evaluation", node: ast.DictComp, frame: "Frame", state: State) -> Value:
    """A dictionary of which no key is known."""
    inner = _within(ev, node.generators, frame, state)
    if inner is None:
        return ev.allocate(state, DictObject())
    ev.value(node.key, frame, inner)
    held = ev.value(node.value, frame, inner)
    _keep(inner, state)
    return ev.allocate(state, DictObject({}, held))


def deferred(ev: "Evaluation", node: ast.Lambda, frame: "Frame", state: State) -> Value:
    """A lambda: its body is evaluated once where it stands, with arguments that are not known."""
    inner = state.copy()
    arguments = node.args
    extra = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]:
        inner.names[argument.arg] = Opaque(f"parameter {argument.arg}")
    given = pieces_in(ev.value(node.body, frame, inner))
    escape.enclosed(node, state)
    return Opaque("lambda", given)


def _within(ev: "Evaluation", generators: list[ast.comprehension], frame: "Frame", state: State) -> State | None:
    """The state in which the element is computed; None when no element ever is."""
    inner = state.copy()
    for generator in generators:
        iterable = ev.value(generator.iter, frame, inner)
        bind(ev, generator.target, element_of(iterable, inner, generator.target), frame, inner)
        for test in generator.ifs:
            assumed = conditions.assume(ev, test, True, frame, inner)
            if assumed is None:
                return None
            inner = assumed
    return inner


def _keep(inner: State, state: State) -> None:
    """Objects made inside live on."""
    state.heap.update({k: v for k, v in inner.heap.items() if k not in state.heap})
