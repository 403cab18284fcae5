r"""The identity of a finding: what it claims, about which code, whatever line that code stands on.

A fingerprint is the hash of rule, claim kind, file, symbol, the tokens of the code the claim points at, and an
occurrence number that tells equal ones apart in source order. There is no line number in it, and none of the prose.
It survives: lines that come or go elsewhere, white space, comments, line breaks inside the statement, a trailing comma,
another quote style of plain strings. It changes, and voids what was decided, when the code it points at changes.
It does not survive: a file or function that gets another name (the finding is shown again, which is the safe side).
"""

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from harness.files import sha256
from harness.schema.finding import Claim
from harness.schema.location import Location
from harness.source.project import Project

LENGTH = 32
"""Hex digits of a fingerprint: 128 bits."""
SHORTEST_ID = 4
KEPT_FILES = 64
"""Files whose lines are held at once; claims come file by file."""

_STRING = r"""(?:[rbuRBU]{1,2})?(?:\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
_TOKEN = re.compile(rf"(?P<string>{_STRING})|(?P<hash>#[^\n]*)|(?P<word>\w+)|(?P<other>\S)", re.DOTALL)
_CLOSING = frozenset(")]}")


def fingerprints(claims: Sequence[Claim], project: Project) -> list[str]:
    """One fingerprint a claim, in the order given; two are equal only when rule, place, code and facts are."""
    lines = lru_cache(KEPT_FILES)(project.lines)
    bases = [_base(claim, project, lines) for claim in claims]
    seen: dict[str, set[_Occurrence]] = {}
    for base, claim in zip(bases, claims, strict=True):
        seen.setdefault(base, set()).add(_occurrence(claim))
    number = {(base, one): n for base, found in seen.items() for n, one in enumerate(sorted(found))}
    return [
        sha256(f"{base}\0{number[base, _occurrence(claim)]}")[:LENGTH]
        for base, claim in zip(bases, claims, strict=True)
    ]


_Occurrence = tuple[int, int, tuple[tuple[str, str], ...]]


def _occurrence(claim: Claim) -> _Occurrence:
    """What tells claims about equal code apart: the place, then the facts. It orders them and is itself in no hash."""
    return claim.location.line, claim.location.column, tuple(sorted(claim.facts.items()))


def short_ids(values: Iterable[str]) -> dict[str, str]:
    """Fingerprint -> the shortest prefix, four characters at least, that no other one begins with."""
    ordered = sorted(set(values))
    ids = {}
    for i, value in enumerate(ordered):
        neighbours = ordered[max(i - 1, 0) : i] + ordered[i + 1 : i + 2]
        length = max([SHORTEST_ID, *(_shared(value, other) + 1 for other in neighbours)])
        ids[value] = value[:length]
    return ids


def normalised(text: str, *, hashes: bool = True) -> str:
    """The tokens of a piece of code, joined by spaces; `hashes` says whether `#` begins a comment."""
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "hash":
            if hashes:
                continue
            tokens += token.split()
        elif kind == "string":
            tokens.append(_plain(token))
        else:
            if token in _CLOSING and tokens and tokens[-1] == ",":
                tokens.pop()
            tokens.append(token)
    return " ".join(tokens)


def _base(claim: Claim, project: Project, lines_of: Callable[[str], list[str]]) -> str:
    at = claim.location
    # A claim about a comment is about its words: without them all comments of a file would be one piece of code.
    code = _code(at, project, lines_of) or normalised(claim.quote) or claim.quote.strip()
    return sha256("\0".join((claim.rule, claim.claim_kind, at.path, claim.symbol or "", code)))


def _code(at: Location, project: Project, lines_of: Callable[[str], list[str]]) -> str:
    try:
        lines = lines_of(at.path)[at.line - 1 : at.end_line]
    except (KeyError, OSError):
        return ""
    if not lines:
        return ""
    if at.end_column is not None:
        lines[-1] = lines[-1][: at.end_column - 1]
        lines[0] = lines[0][at.column - 1 :]
    language = project.entries[at.path].language
    return normalised("\n".join(lines), hashes=language not in {"markdown", "html", "css", "javascript", "typescript"})


def _plain(token: str) -> str:
    try:
        value = ast.literal_eval(token)
    except (ValueError, SyntaxError):
        return token
    return repr(value)


def _shared(a: str, b: str) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
