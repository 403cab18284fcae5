"""An `ast` tree as lines that two versions of Python can agree on. Also a program: `python dump.py FILE...`."""

import ast
import sys
import warnings
from pathlib import Path


def lines(tree, positions=True):  # type: ignore[no-untyped-def]  # runs under other interpreters as it is
    """One line a node: its place, its plain fields, then its children; fields that are empty are left out."""
    found = []
    stack = [(tree, 0, "")]
    while stack:
        node, depth, label = stack.pop()
        indent = "  " * depth + label
        if isinstance(node, list):
            found.append(indent + "[")
            # Python 3.12 leaves an empty constant behind the last field of a format specification
            kept = [n for n in node if not (type(n) is ast.Constant and n.value == "" and label == "values=")]
            stack.extend((n, depth + 1, "") for n in reversed(kept))
        elif isinstance(node, ast.AST):
            at = ""
            if positions and hasattr(node, "lineno"):
                at = f" {node.lineno}:{node.col_offset}-{node.end_lineno}:{node.end_col_offset}"
            found.append(indent + type(node).__name__ + at)
            fields = [(name, getattr(node, name, None)) for name in node._fields]
            kept = [(v, depth + 1, n + "=") for n, v in fields if (v is not None and v != []) or n == "value"]
            stack.extend(reversed(kept))
        else:
            found.append(indent + ascii(node))
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name in sys.argv[1:]:
        text = Path(name).read_bytes().decode("utf-8")
        sys.stdout.write("\n".join([*lines(ast.parse(text)), "=" * 20, ""]))
