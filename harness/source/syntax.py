"""Python text to `ast`, whatever its grammar: what the running interpreter cannot parse is brought down to what it can."""

import ast
import warnings


class NotParsed(Exception):
    """The text is not Python that we can read; the message says where and why."""


def parse(text: str) -> ast.Module:
    """The tree of `text`. Raises NotParsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        raise NotParsed(f"line {error.lineno}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise NotParsed(f"{type(error).__name__}: {error}") from error
