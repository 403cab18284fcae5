"""How much work a regular expression makes of a text, counted step by step as `re` would take them.

Only the parts that can be counted exactly: characters, classes, groups, choices, repeats, anchors. A pattern with anything
else (references, look-around, flags inside) has no answer. The pattern is parsed by the standard library's own parser;
nothing is matched by `re`, which could not be stopped.
"""

import functools
import importlib
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

SIZES = (8, 11, 14)
"""Repetitions that are tried."""
GROWTH = 4
"""Steps more for three repetitions more: a polynomial of the fifth degree stays below."""
MOST_STEPS = 400_000
MOST_IN_ALL = 2_000_000
_LONGEST = 400
_END = "\n\0"

Tokens = Sequence[Any]


class _Unknown(Exception):
    """The pattern holds something that is not counted."""


class _Enough(Exception):
    """So many steps say it already."""


@functools.lru_cache(maxsize=256)
def bomb(pattern: str, *, whole: bool) -> str | None:
    """A short piece of text that, repeated, doubles the work with every few characters; None when none is found.

    `whole`: the call demands that all of the text matches (`fullmatch`); else an early match ends the work.
    """
    tokens = _parsed(pattern)
    if tokens is None:
        return None
    spent = 0
    for seed in _seeds(tokens):
        counts: list[int] = []
        if spent > MOST_IN_ALL:
            return None
        try:
            for size in SIZES:
                counts.append(_steps(tokens, seed * size + _END, whole=whole))
                spent += min(counts[-1], MOST_STEPS)
        except (_Unknown, RecursionError):
            return None
        if counts[0] > SIZES[0] and all(b >= GROWTH * a for a, b in pairwise(counts)):
            return seed
    return None


def _parsed(pattern: str) -> Tokens | None:
    if len(pattern) > _LONGEST:
        return None
    parser = importlib.import_module("re._parser")  # `sre_parse`, its public name, is deprecated
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(parser.parse(pattern))
    except (re.error, RecursionError, OverflowError):
        return None


def _seeds(tokens: Tokens) -> list[str]:
    """Characters that the pattern speaks of, and pairs of them."""
    single = list(dict.fromkeys(_characters(tokens)))[:8]
    return single + [a + b for a in single[:4] for b in single[:4] if a != b]


def _characters(tokens: Tokens) -> Iterator[str]:
    for op, value in tokens:
        name = str(op)
        if name == "LITERAL":
            yield chr(value)
        elif name == "IN":
            yield from (c for c in "a0-. x" if _in(value, c))
        elif name in {"ANY", "NOT_LITERAL"}:
            yield "a"
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _characters(list(branch))
        elif name == "SUBPATTERN":
            yield from _characters(list(value[3]))
        elif name in {"MAX_REPEAT", "MIN_REPEAT"}:
            yield from _characters(list(value[2]))


def _in(items: Sequence[Any], c: str) -> bool:
    found, negated = False, False
    for op, value in items:
        name = str(op)
        if name == "NEGATE":
            negated = True
        elif name == "LITERAL":
            found = found or chr(value) == c
        elif name == "RANGE":
            found = found or value[0] <= ord(c) <= value[1]
        elif name == "CATEGORY":
            classes = {"WORD": r"\w", "DIGIT": r"\d", "SPACE": r"\s"}
            kind = str(value).removeprefix("CATEGORY_").removeprefix("UNI_")
            plain = kind.removeprefix("NOT_")
            if plain not in classes:
                raise _Unknown
            found = found or (re.match(classes[plain], c) is not None) is not kind.startswith("NOT_")
        else:
            raise _Unknown
    return found is not negated


def _steps(tokens: Tokens, text: str, *, whole: bool) -> int:
    """Steps until every way to match the text from its beginning has failed."""
    count = 0

    def tick() -> None:
        nonlocal count
        count += 1
        if count > MOST_STEPS:
            raise _Enough

    def row(items: Tokens, at: int, then: Callable[[int], bool]) -> bool:
        if not items:
            return then(at)
        return one(items[0], at, lambda after: row(items[1:], after, then))

    def one(item: Any, at: int, then: Callable[[int], bool]) -> bool:
        tick()
        op, value = item
        match str(op):
            case "LITERAL":
                return at < len(text) and text[at] == chr(value) and then(at + 1)
            case "NOT_LITERAL":
                return at < len(text) and text[at] != chr(value) and then(at + 1)
            case "ANY":
                return at < len(text) and text[at] != "\n" and then(at + 1)
            case "IN":
                return at < len(text) and _in(value, text[at]) and then(at + 1)
            case "BRANCH":
                return any(row(list(branch), at, then) for branch in value[1])
            case "SUBPATTERN":
                return row(list(value[3]), at, then)
            case "MAX_REPEAT" | "MIN_REPEAT":
                least, most, body = value
                return repeat(list(body), int(least), int(most), at, then, 0)
            case "AT":
                return anchored(str(value), at) and then(at)
        raise _Unknown

    def anchored(where: str, at: int) -> bool:
        if where.startswith("AT_BEGINNING"):
            return at == 0
        if where.startswith("AT_END"):
            return at == len(text)
        raise _Unknown

    def repeat(body: Tokens, least: int, most: int, at: int, then: Callable[[int], bool], done: int) -> bool:
        def again(after: int) -> bool:
            return (after > at or done < least) and repeat(body, least, most, after, then, done + 1)

        if done < most and row(body, at, again):
            return True
        return done >= least and then(at)

    try:
        row(tokens, 0, lambda at: not whole or at == len(text))
    except _Enough:
        return MOST_STEPS * (1 + len(text))
    return count
