"""What the person who starts the program decides: its arguments, and what they type.

Such text carries the mark `operator`. It attacks nobody by itself; it does break a shell command that is put together
from it, because a blank or a quote in a file name is nothing unusual.
"""

import ast
import re
from dataclasses import replace

from harness.source.module import Module
from verifiers.static.security.values import ANY, DIGITS, Ident, Many, Opaque, PathValue, Piece, Value, clean

MARK = frozenset({"operator"})
_IS_COMMAND = re.compile(
    r"cmd|command|script|shell|exec|program|flag|option|opts|args|extra|expr|pipe|filter", re.IGNORECASE
)
"""Names of arguments that are meant to be read by the shell."""
_READS = {
    "input": "input()",
    "sys.stdin.read": "standard input",
    "sys.stdin.readline": "standard input",
}
_PLAIN_TYPES = frozenset({"str", "pathlib.Path", "pathlib.PurePath", "os.fspath"})


def typed(name: str, node: ast.Call) -> Piece | None:
    """What a call that asks the user gives; None for every other call."""
    shown = _READS.get(name)
    if shown is None:
        return None
    place: Ident = ("typed", node.lineno, node.col_offset)
    return Piece(place, shown, node.lineno, ANY - {"\n"} if name == "input" else ANY, marks=MARK)


def content(name: Value, line: int) -> Piece | None:
    """What stands in a file that the user names as a whole; None for every other file."""
    inner = name.text if isinstance(name, PathValue) else name
    if not isinstance(inner, Piece) or "operator" not in inner.marks:
        return None
    return Piece((*inner.ident, "content"), f"a file named by {inner.source}", line, marks=MARK | {"whole-file"})


def arguments(line: int) -> Piece:
    """`sys.argv`."""
    return Piece(("argv",), "sys.argv", line, marks=MARK | {"mapping"})


def namespace(module: Module, line: int) -> dict[object, Value] | None:
    """Attributes of what `parse_args()` gives, from the `add_argument` calls of the module; None without argparse."""
    if "argparse" not in module.imports.values():
        return None
    found: dict[object, Value] = {}
    for call in module.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument":
            name = _destination(call)
            if name is not None:
                value = _argument(module, call, name, line)
                known = found.get(name, value)
                found[name] = value if known == value else Opaque(f"argument {name}")
    return found


def _destination(call: ast.Call) -> str | None:
    for keyword in call.keywords:
        if keyword.arg == "dest":
            return str(keyword.value.value) if isinstance(keyword.value, ast.Constant) else None
    names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if not names or len(names) != len(call.args):
        return None
    long = [n for n in names if n.startswith("--")]
    return (long or names)[0].lstrip("-").replace("-", "_")


def _argument(module: Module, call: ast.Call, name: str, line: int) -> Value:
    options = {k.arg: k.value for k in call.keywords}
    made = module.resolve(options["type"]) if "type" in options else "str"
    if made in {"int", "float"}:
        return clean(f"argument {name}", DIGITS)
    if made not in _PLAIN_TYPES or options.keys() & {"choices", "action"} or None in options:
        return Opaque(f"argument {name}")
    piece = Piece(("argument", name), f"argument {name}", line, marks=MARK)
    if _IS_COMMAND.search(name):
        piece = replace(piece, marks=piece.marks | {"checked"})
    return Many(piece) if "nargs" in options else piece
