"""Regular expressions as sets of characters."""

import importlib
import re
import warnings

from verifiers.static.security.values import ANY, OTHER

_LONGEST = 300
_WIDEST = 40


def one_character_class(pattern: str) -> frozenset[str] | None:
    """Characters matched by a pattern that is one class, perhaps repeated (`[^\\w.]`, `\\W+`); None for any other."""
    body = pattern[:-1] if pattern.endswith("+") and not pattern.endswith("\\+") else pattern
    if len(body) > _LONGEST or not (re.fullmatch(r"\[(?:[^\]\\]|\\.)+\]", body) or re.fullmatch(r"\\[wWsSdD]", body)):
        return None
    return _class(body)


def at_beginning(pattern: str) -> bool:
    """Whether a pattern matches a few characters at the beginning only, so that text which begins otherwise is kept."""
    parser = importlib.import_module("re._parser")  # `sre_parse`, its public name, is deprecated
    if len(pattern) > _LONGEST:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = parser.parse(pattern)
            tokens = list(parsed)
    except (re.error, RecursionError, OverflowError):
        return False
    first = tokens[0] if tokens else None
    begins = first is not None and str(first[0]) == "AT" and str(first[1]).startswith("AT_BEGINNING")
    return begins and int(parsed.getwidth()[1]) <= _WIDEST


def _class(body: str) -> frozenset[str] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = re.compile(body)
    except re.error:
        return None
    found = {c for c in ANY if c != OTHER and compiled.fullmatch(c)}
    others = any(compiled.fullmatch(c) for c in "é\u4e2d\u2028")
    return frozenset(found | {OTHER} if others else found)


def whole_match(pattern: str, *, anchored: bool) -> frozenset[str] | None:
    """Characters of any text that the pattern matches whole; None when that cannot be read off.

    Understood: `^[class]+$` and rows of classes and plain characters with `+`, `*`, `?` or `{n,m}` behind them.
    `anchored` says that the call (`fullmatch`) anchors both ends; `match` needs `$` or `\\Z` at the end.
    """
    if len(pattern) > _LONGEST:
        return None
    body = pattern.removeprefix("^").removeprefix("\\A")
    for end in ("$", "\\Z"):
        if body.endswith(end) and not body.endswith("\\" + end):
            body, anchored = body[: -len(end)], True
            break
    if not anchored:
        return None
    found: frozenset[str] = frozenset()
    rest = body
    while rest:
        match = re.match(r"(\[(?:[^\]\\]|\\.)+\]|\\[wWsSdD]|\\[^\w]|[\w /:@,_=-])([+*?]|\{\d+(?:,\d*)?\})?", rest)
        if match is None:
            return None
        chars = _class(match.group(1))
        if chars is None:
            return None
        found |= chars
        rest = rest[match.end() :]
    return found
