"""Names that say a value protects something."""

import ast
import re
from collections.abc import Iterator

from harness.source.module import FunctionNode, Module

SECRET = re.compile(
    r"passw|passphrase|(?:^|_)pwd|secret|token|session|cookie|csrf|nonce|(?:^|_)salt|(?:^|_)otp(?:_|$)|api_?key"
    r"|credential|signature|sensitive|(?:^|_)auth(?!or)|reset_(?:code|key|link)|verification_code|private_?key",
    re.IGNORECASE,
)
"""Identifiers and string constants that match are about secrets."""


def mentions_secret(module: Module, node: ast.AST) -> bool:
    """Whether the innermost function around `node` (or its statement at module level) names a secret in its code."""
    around: ast.AST = module.enclosing_function(node) or module.statement(node)
    return any(SECRET.search(word) for word in _words(around))


def _words(node: ast.AST) -> Iterator[str]:
    if isinstance(node, FunctionNode):
        yield node.name
    for part in ast.walk(node):
        match part:
            case ast.Name():
                yield part.id
            case ast.Attribute():
                yield part.attr
            case ast.arg():
                yield part.arg
            case ast.keyword() if part.arg:
                yield part.arg
            case ast.Constant(value=str() as text) if len(text) < 80:
                yield text
