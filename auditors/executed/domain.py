"""Inputs that a function's own text allows: by its annotations, by what its documentation says of each parameter, and by the
preconditions it states as Python.

Small and ordinary on purpose: whole numbers from 1 to 12, short strings, lists that are not empty. What fails on those fails
for everybody; whether a function should bear an empty list or a negative number is a question of taste.
"""

import ast
import itertools
import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.source.module import FunctionNode

MOST_INPUTS = 24
"""Argument lists tried for one function."""
_PRECONDITION = re.compile(
    r"^[ \t]*(?:pre-?conditions?|requires)[ \t]*:[ \t]*(?P<rest>.*(?:\n(?![ \t]*\w+[ \t]*:[ \t]*$).*\S.*)*)",
    re.IGNORECASE | re.MULTILINE,
)
_SCALARS = {
    "int": "int", "integer": "int", "ints": "int", "integers": "int", "number": "int", "numbers": "int", "digits": "digit",
    "digit": "digit", "str": "str", "string": "str", "strings": "str", "float": "float", "floats": "float", "bool": "bool",
    "boolean": "bool", "word": "str", "words": "str", "text": "str",
}  # fmt: skip
_SEQUENCES = {"list", "array", "sequence", "Sequence", "List", "Iterable", "iterable", "Collection", "MutableSequence"}
_WORDS = ("a", "ab", "level", "hello world", "Abc", "x1y2")


class Domain(NamedTuple):
    """What one parameter may be."""

    kind: str
    """`int`, `digit`, `str`, `float`, `bool`, `list` or `element` (one of the items of the first list, or a value like them)."""
    of: str = ""
    """Kind of the items of a list."""
    ordered: bool = False
    """Only lists in ascending order."""
    distinct: bool = False
    """Only lists without repetition."""


class Inputs(NamedTuple):
    """How a function may be called."""

    parameters: tuple[str, ...]
    """Names, in order."""
    domains: tuple[Domain, ...]
    """One for each."""
    documented: bool
    """Whether the documentation describes every parameter in words, beyond its annotation."""
    precondition: str
    """A Python expression over the parameters, '' when none is stated."""


def inputs(function: FunctionNode, text: str) -> Inputs | None:
    """What `function` with the documentation `text` takes, None when that is not to be seen for every parameter."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        return None
    plain = [*arguments.posonlyargs, *arguments.args]
    required = plain[: len(plain) - len(arguments.defaults)]
    if not 1 <= len(required) <= 4:
        return None
    said = {a.arg: _description(a.arg, text) for a in required}
    domains = [_annotated(a.annotation) or _described(said[a.arg]) for a in required]
    if any(d is None for d in domains):
        return None
    found = tuple(_refined(d, said[a.arg]) for a, d in zip(required, domains, strict=True) if d is not None)
    return Inputs(
        tuple(a.arg for a in required), found, all(said.values()), _precondition(text, [a.arg for a in required])
    )


def samples(given: Inputs, seed: int) -> Iterator[tuple[str, ...]]:
    """Argument lists as Python literals, the plainest first; the same for the same seed."""
    chance = random.Random(f"{seed} {given.parameters}")
    seen: set[tuple[str, ...]] = set()
    for size in itertools.islice(itertools.cycle((3, 4, 1, 2, 5, 6)), MOST_INPUTS * 4):
        values: list[object] = []
        for domain in given.domains:
            values.append(_value(domain, size, chance, values))
        one = tuple(map(repr, values))
        if one not in seen:
            seen.add(one)
            yield one
        if len(seen) >= MOST_INPUTS:
            return


def _value(domain: Domain, size: int, chance: random.Random, before: list[object]) -> object:
    match domain.kind:
        case "int":
            return chance.randint(1, 12)
        case "digit":
            return chance.randint(0, 9)
        case "float":
            return round(chance.uniform(0.5, 9.5), 2)
        case "bool":
            return chance.random() < 0.5
        case "str":
            return chance.choice(_WORDS)
        case "element":
            items = next((v for v in before if isinstance(v, list) and v), [1])
            if isinstance(items[0], int) and chance.random() < 0.5:
                return chance.randint(min(items), max(items) + 3)
            return chance.choice(items)
        case _:
            items = [_value(Domain(domain.of), size, chance, []) for _ in range(size)]
            if domain.distinct:
                items = list(dict.fromkeys(items))
            return sorted(items) if domain.ordered else items


def _annotated(node: ast.expr | None) -> Domain | None:
    """By the annotation alone."""
    if isinstance(node, ast.Name) and node.id in {"int", "str", "float", "bool"}:
        return Domain(node.id)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
        outer = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        if outer in _SEQUENCES and node.slice.id in {"int", "str", "float", "bool"}:
            return Domain("list", node.slice.id)
    return None


def _description(name: str, text: str) -> str:
    """What the documentation says of a parameter on the line that introduces it, '' for nothing."""
    match = re.search(
        rf"""^[ \t]*(?:[-*][ \t]+|:param[ \t]+(?:[\w\[\],\ ]+[ \t]+)?)?`{{0,2}}{re.escape(name)}`{{0,2}}
        [ \t]*(?:\((?P<type>[^)\n]+)\))?[ \t]*(?::|--?)[ \t]*(?P<rest>\S.*)$""",
        text,
        re.MULTILINE | re.VERBOSE,
    )
    return "" if match is None else f"{match['type'] or ''} {match['rest']}".strip()


def _described(said: str) -> Domain | None:
    """By the words of the documentation."""
    if re.search(
        r"(?i)\b(?:node|graph|tree|matrix|grid|map|dict\w*|function|callable|object|path|file|pairs?|tuples?|lists of|nested)\b",
        said,
    ):
        return None
    words = re.findall(r"[A-Za-z]+", said)
    outer = next((n for n, w in enumerate(words[:5]) if w.lower() in {s.lower() for s in _SEQUENCES}), None)
    if outer is not None:
        item = next((_SCALARS[w.lower()] for w in words[outer + 1 :] if w.lower() in _SCALARS), None)
        return Domain("list", item) if item else None
    if re.match(r"(?i)\s*(?:a |the )?(?:value|element|item)\b", said):
        return Domain("element")
    return next((Domain(_SCALARS[w.lower()]) for w in words[:5] if w.lower() in _SCALARS), None)


def _refined(domain: Domain, said: str) -> Domain:
    if domain.kind != "list":
        return domain
    return domain._replace(
        ordered=re.search(r"(?i)\b(?:sorted|ascending|increasing)\b", said) is not None,
        distinct=re.search(r"(?i)\b(?:unique|distinct)\b", said) is not None,
    )


def _precondition(text: str, names: list[str]) -> str:
    """The stated precondition as one expression, '' when there is none. What is no Python is none of ours to judge: 'False'."""
    match = _PRECONDITION.search(text)
    if match is None:
        return ""
    parts = [line.strip() for line in match["rest"].split("\n") if line.strip()]
    for joined in (" ".join(parts), " and ".join(f"({p})" for p in parts)):
        try:
            tree = ast.parse(joined, mode="eval")
        except SyntaxError:
            continue
        used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        return joined if used & set(names) else "False"
    return "False"
