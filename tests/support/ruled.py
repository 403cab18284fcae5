"""Claims told by CWE: what a falsifier is asked in their tests."""

from collections.abc import Callable

from verifiers.static.ruling import Ruling

Judge = Callable[..., Ruling]
"""`judge(cwe, files, path, text)`: what is ruled of a claim at the first line that holds `text`."""


def lines_of(ruling: Ruling) -> list[str]:
    """`path:line` of each deciding place."""
    return [str(at) for at in ruling.evidence[0].locations]
