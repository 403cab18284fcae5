"""One script: JavaScript (with JSX) as a syntax tree that tolerates errors. Nothing is executed."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_javascript.language()))


class Place(NamedTuple):
    """Line and column of the file the script stands in, from 1; columns count characters."""

    line: int
    column: int


class Script:
    """A script file, or the script inside a page that begins at `line` and `column` (from 1) of its file."""

    def __init__(self, path: str, text: str, *, line: int = 1, column: int = 1) -> None:
        self.path = path
        self._raw = text.encode("utf-8", "replace")
        self._tree = _parser().parse(self._raw)
        self._line, self._column = line, column

    def nodes(self, *kinds: str) -> Iterator[Node]:
        """Every node of these kinds, in source order."""
        stack = [self._tree.root_node]
        while stack:
            node = stack.pop()
            if node.type in kinds:
                yield node
            stack.extend(reversed(node.children))

    def text(self, node: Node | None) -> str:
        """Source of a node, `''` for None."""
        return "" if node is None else self._raw[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def place(self, node: Node) -> Place:
        """Where a node begins in the file."""
        row, offset = node.start_point
        start = self._raw.rfind(b"\n", 0, node.start_byte) + 1
        column = len(self._raw[start : start + offset].decode("utf-8", "replace")) + 1
        return Place(row + self._line, column + (self._column - 1 if row == 0 else 0))

    def literal(self, node: Node | None) -> str | None:
        """Value of a string literal or of a template literal without substitutions; None for anything else."""
        if node is None or node.type not in {"string", "template_string"}:
            return None
        if any(child.type == "template_substitution" for child in node.children):
            return None
        return re.sub(r"\\(.)", r"\1", self.text(node)[1:-1])

    def pattern(self, node: Node | None, depth: int = 40) -> str | None:
        r"""A literal with `\0` for every part that is known only while running: `"/item/" + id` gives `/item/\0`; None
        when no part is known, or when it is nested deeper than anybody writes."""
        if node is None or not depth:
            return None
        if node.type == "string":
            return self.literal(node)
        if node.type == "template_string":
            parts = [c for c in node.children if c.type in {"string_fragment", "template_substitution"}]
            return "".join(self.text(c) if c.type == "string_fragment" else "\0" for c in parts)
        if node.type == "parenthesized_expression":
            return self.pattern(node.named_children[0], depth - 1) if node.named_children else None
        if node.type == "binary_expression" and self.text(node.child_by_field_name("operator")) == "+":
            left = self.pattern(node.child_by_field_name("left"), depth - 1)
            right = self.pattern(node.child_by_field_name("right"), depth - 1)
            if left is not None or right is not None:
                return ("\0" if left is None else left) + ("\0" if right is None else right)
        return None

    def property(self, node: Node | None, name: str) -> Node | None:
        """The value of a property of an object literal."""
        for pair in node.children if node is not None and node.type == "object" else []:
            if pair.type == "pair" and self.text(pair.child_by_field_name("key")).strip("'\"") == name:
                return pair.child_by_field_name("value")
        return None
