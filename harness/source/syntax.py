"""Python text to `ast`, whatever its grammar: what the running interpreter cannot parse is brought down to what it can.

The grammar reaches from 3.8 to 3.15: f-strings of PEP 701, t-strings, type parameters and `type` statements, `except A, B`,
`lazy import`. Nodes that the running `ast` lacks are those of `harness.source.nodes`.
"""

import ast
import gc
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from harness.source.grafted import graft
from harness.source.lowered import lower
from harness.source.scan import ScanError, scan

MANY_FIELDS = 5_000
"""Braces from which Python 3.11 is not asked: its time for one f-string grows with the square of its fields."""


class NotParsed(Exception):
    """The text is not Python that we can read; the message says where and why."""


def parse(text: str) -> ast.Module:
    """The tree of `text`, with the positions of `text`. Raises NotParsed, and nothing else.

    The interpreter bounds its own recursion; that bound wants a stack of 1 MB (half of that was seen to crash).
    """
    with _quiet():
        if sys.version_info < (3, 12) and text.count("{") > MANY_FIELDS:
            return _parse_lowered(text, None)
        try:
            return ast.parse(text)
        except SyntaxError as error:
            return _parse_lowered(text, error)
        except (ValueError, RecursionError, MemoryError) as error:
            raise NotParsed(_reason(error)) from error


def parse_lowered(text: str) -> ast.Module:
    """As `parse`, never by the running grammar alone; the way that newer grammars take, open to comparison."""
    with _quiet():
        return _parse_lowered(text, None)


@contextmanager
def collector_paused() -> Iterator[None]:
    """No search for cycles: trees and facts have none, and looking for them took most of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def _quiet() -> Iterator[None]:
    """No warnings about the text, no search for cycles."""
    with collector_paused(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _parse_lowered(text: str, native: SyntaxError | None) -> ast.Module:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        found = scan(text)
        if not found and native is not None:
            raise native
        lowered = lower(text, found)
        tree = ast.parse(lowered.main)
        aside = ast.parse(lowered.aside, mode="eval") if lowered.aside else None
        return graft(tree, aside, text, found, lowered)
    except ScanError as error:
        line = text.count("\n", 0, error.offset) + 1
        raise NotParsed(f"line {line}: {error}") from error
    except SyntaxError as error:
        raise NotParsed(f"line {error.lineno or 1}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise NotParsed(_reason(error)) from error


def _reason(error: Exception) -> str:
    if isinstance(error, ValueError):
        return f"line 1: {error}"
    return "line 1: nested too deeply"
