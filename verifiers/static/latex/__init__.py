"""Falsifiers for claims of the group `latex`, by claim kind."""

from verifiers.static.latex import return_code, shell_escape, unbounded, unescaped
from verifiers.static.live import live
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "tex-shell-escape": live(shell_escape.falsify),
    "tex-unbounded": live(unbounded.falsify),
    "tex-return-code": live(return_code.falsify),
    "tex-unescaped": live(unescaped.falsify),
}
