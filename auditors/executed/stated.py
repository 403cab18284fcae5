"""What documentation states of a function, in a form that can be run: a call with literal arguments and its result.

Three forms are understood, in docstrings and in any other string that stands alone as a statement:

- doctest: `>>> f(2)` and the line below it, with the lines before it as its set-up;
- a call with its result: `f(2) == 3`, `f(2) => 3`, `f(2) ➞ 3`, `f(2) returns 3`, `f(2)  # 3`;
- arguments by name: `Input: a = 1, b = 2` and `Output: 3`; `For lst = [1, 2] the output should be 3`.
"""

import ast
import doctest
import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.source.module import FunctionNode, Module

MOST_CHARACTERS = 800
"""Of a call or a result."""
MOST_LINES = 12
"""Over which one call may be spread."""
_LITERAL_NAMES = frozenset(
    {"True", "False", "None", "float", "set", "frozenset", "list", "tuple", "range", "dict", "sorted"}
)
_RESULT = re.compile(
    r"""\s*(?:\#\s*)?(?:
        ={2,3}>? | =+> | -+> | [➞→⇒↦] | \#(?!\w) |
        (?:(?:should|would|must|will|shall)\s+)?(?:be|return|returns|returned|give|gives|equal|equals|output|outputs|yield|yields)\b
        (?:\s+(?:be|to|the|value))* \s*:? | (?:evaluates\s+to|results\s+in|is\s+equal\s+to)\b | =(?!=)
    )\s*""",
    re.VERBOSE,
)
_UNSURE = re.compile(
    r"\s*(?:or|and|if|for|else|when|unless|approximately|approx|[-+*/%<>=&|.]|\.\.\.)(?:\s|$|\w)", re.IGNORECASE
)
_INPUT = re.compile(
    r"^\s*(?:[-*>]\s*)?(?:sample\s+|example\s+)?inputs?(?:\s*\d+)?\s*:\s*(?P<rest>\S.*)$", re.IGNORECASE
)
_OUTPUT = re.compile(
    r"^\s*(?:[-*>]\s*)?(?:sample\s+|example\s+|expected\s+)?outputs?(?:\s*\d+)?\s*:\s*(?P<rest>\S.*)$", re.IGNORECASE
)
_GIVEN = re.compile(r"\b(?:for|if|when|given|with)\s+(?=[A-Za-z_]\w*\s*=(?!=))", re.IGNORECASE)
_THEN = re.compile(
    r"""^\s*,?\s*(?:then\s+)?(?:(?:the|your|this|our)\s+)*
        (?:(?:output|result|answer|function|value|it|return)\s*)?(?:value\s*)?
        (?:(?:should|would|must|will)\s+)?(?:be|return|returns|is|equals?|gives?|=+>|-+>|[➞→⇒]|:)
        \s*(?:equal\s+to|:)?\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_AND = re.compile(r"^\s*(?:,|;|and\b|&)*\s*(?:and\b)?")
"""Between one named value and the next."""
_NAMED = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*=\s*(?=\S)")


class Example(NamedTuple):
    """One statement of the documentation that can be run."""

    path: str
    """File."""
    line: int
    """Line of the documentation, from 1."""
    symbol: str
    """Qualified name of the function or class that it is about."""
    call: str
    """Python expression to evaluate in the namespace of the module."""
    expected: str
    """Python literal, or the text that a doctest prints."""
    form: str
    """`value` when `expected` is a literal, `text` when it is what a doctest prints."""
    setup: str
    """Statements before it, '' for none."""


def stated(module: Module) -> Iterator[Example]:
    """Every example of the module, in order of its lines."""
    functions: dict[str, FunctionNode] = {
        f.name: f for q, f in module.functions if q == f.name and not isinstance(f, ast.AsyncFunctionDef)
    }
    classes = {n.name for n in module.tree.body if isinstance(n, ast.ClassDef)}
    for node in module.nodes(ast.Expr):
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            continue
        text = node.value.value
        if len(text) > 40_000:
            continue
        owner = _owner(module, node)
        used: set[int] = set()
        for offset, end, symbol, example in _doctests(text, functions, classes, owner):
            used.update(range(offset, end))
            yield Example(module.path, node.lineno + offset, symbol, *example)
        lines = text.split("\n")
        for offset, name, call, expected in _calls(lines, used, functions):
            used.add(offset)
            yield Example(module.path, node.lineno + offset, name, call, expected, "value", "")
        documented = functions.get(owner)
        if documented is not None:
            for offset, call, expected in _by_name(lines, used, documented):
                yield Example(module.path, node.lineno + offset, owner, call, expected, "value", "")


def _owner(module: Module, node: ast.Expr) -> str:
    """What a string documents: the function or class it is the docstring of; below the module's only function, that one."""
    parent = module.parents.get(node)
    if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return module.qualname(parent)
    return ""


_Doctest = tuple[int, int, str, tuple[str, str, str, str]]


def _doctests(text: str, functions: dict[str, FunctionNode], classes: set[str], owner: str) -> Iterator[_Doctest]:
    """(first line, line after, symbol, (call, expected, form, set-up))."""
    try:
        parts = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return
    before: list[str] = []
    for part in parts:
        source, want = part.source.strip(), part.want.strip()
        tree = _expression(source)
        if part.options.get(doctest.SKIP):
            continue
        if tree is not None and want and not want.startswith("Traceback") and len(want) <= MOST_CHARACTERS * 4:
            names = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name)]
            about = next((n for n in names if n in functions), None) or next((n for n in names if n in classes), "")
            if not about and re.search(rf"\b{re.escape(owner or ' ')}\(", "\n".join(before)):
                about = owner  # a session that made one of it before
            if about:
                end = part.lineno + source.count("\n") + 1 + want.count("\n") + 1
                literal = _literal(want)
                form, expected = ("text", want) if literal is None else ("value", want)
                yield part.lineno, end, about, (source, expected, form, "\n".join(before))
        if not (tree is not None and want):
            before.append(source)


def _calls(lines: list[str], used: set[int], functions: dict[str, FunctionNode]) -> Iterator[tuple[int, str, str, str]]:
    """(line, function, call, expected) for calls that stand in running text beside their result."""
    if not functions:
        return
    names = re.compile(r"(?<![\w.])(" + "|".join(map(re.escape, sorted(functions, key=len, reverse=True))) + r")\(")
    for offset, line in enumerate(lines):
        if offset in used:
            continue
        match = names.search(line)
        if match is None or re.search(r"\bdef\s*$", line[: match.start()]):
            continue
        joined = "\n".join([line[match.start() :], *lines[offset + 1 : offset + MOST_LINES]])
        call, rest = _leading_call(joined)
        if not call or not _literal_call(call, functions):
            continue
        result = _RESULT.match(rest)
        if result is None:
            continue
        expected = _leading_literal(rest[result.end() :])
        if expected is not None:
            yield offset, match[1], call, expected


def _leading_call(text: str) -> tuple[str, str]:
    """(the call that the text begins with, what follows it), ('', '') when there is none."""
    for tried, end in enumerate(m.end() for m in re.finditer(r"\)", text[:MOST_CHARACTERS])):
        if tried > 30:
            break
        tree = _expression(text[:end])
        if isinstance(tree, ast.Call):
            return text[:end], text[end:]
    return "", ""


def _literal_call(call: str, functions: dict[str, FunctionNode]) -> bool:
    """Whether it needs nothing but literals and functions of the module."""
    tree = _expression(call)
    if tree is None:
        return False
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    return names <= _LITERAL_NAMES | set(functions) and not any(
        isinstance(n, ast.Attribute | ast.Lambda) for n in ast.walk(tree)
    )


def _leading_literal(text: str) -> str | None:
    """The literal that the text begins with, when what follows it does not put it into question."""
    first, *more = text.split("\n")[:MOST_LINES]
    candidate = first.strip()
    for line in ["", *more]:
        candidate = f"{candidate} {line.strip()}".strip()
        if candidate.count("[") + candidate.count("{") + candidate.count("(") <= (
            candidate.count("]") + candidate.count("}") + candidate.count(")")
        ):
            break
    candidate = candidate[:MOST_CHARACTERS]
    ends = sorted({len(candidate), *(m.start() for m in re.finditer(r"[\s,;.#(:)]", candidate))}, reverse=True)
    for end in ends:
        head, tail = candidate[:end].strip(), candidate[end:]
        if head and _literal(head) is not None:
            if head[-1] == "." and _literal(head[:-1]) is not None:
                head, tail = head[:-1], "."  # the end of a sentence
            return None if _UNSURE.match(tail) and tail.strip() not in {".", "..."} else head
    return None


def _by_name(lines: list[str], used: set[int], function: FunctionNode) -> Iterator[tuple[int, str, str]]:
    """(line, call, expected) for arguments that are given by name or one to a line."""
    for offset, line in enumerate(lines):
        if offset in used:
            continue
        if match := _INPUT.match(line):
            call = _arguments(match["rest"].strip(), function)
            output = next((m for n in lines[offset + 1 : offset + 4] if (m := _OUTPUT.match(n))), None)
            expected = _leading_literal(output["rest"]) if output else None
            if call and expected is not None:
                yield offset, call, expected
            continue
        for given in _GIVEN.finditer(line):
            values, rest = _named_values(" ".join([line[given.end() :], *lines[offset + 1 : offset + 2]]))
            call = _call_of(values, function)
            then = _THEN.match(rest)
            if call and then and then.group().strip():
                expected = _leading_literal(rest[then.end() :])
                if expected is not None:
                    yield offset, call, expected
            break


def _arguments(text: str, function: FunctionNode) -> str:
    """A call with the arguments of an `Input:` line, '' when they do not fit the function."""
    values, rest = _named_values(text)
    if values:
        return _call_of(values, function) if not rest.strip(" .;") else ""
    literal = text if _literal(text) is not None else _leading_literal(text)
    if literal is None:
        return ""
    required = len(_required(function))
    if required == 1:
        return f"{function.name}({literal})"
    parsed = _expression(literal)
    if isinstance(parsed, ast.Tuple) and len(parsed.elts) == required and not literal.startswith("("):
        return f"{function.name}({literal})"
    return ""


def _named_values(text: str) -> tuple[list[tuple[str, str]], str]:
    """`a = 1, b = [2] and c = 3 ...` -> ([(a, 1), (b, [2]), (c, 3)], what follows)."""
    found: list[tuple[str, str]] = []
    while match := _NAMED.match(text):
        rest = text[match.end() :]
        best = 0
        for end in sorted({len(rest), *(m.start() for m in re.finditer(r"[\s,;:]", rest))}, reverse=True):
            if end <= MOST_CHARACTERS and rest[:end].strip() and _literal(rest[:end].strip().rstrip(",;")) is not None:
                best = end
                break
        if not best:
            break
        literal = rest[:best].strip().rstrip(",;")
        found.append((match["name"], literal))
        text = rest[best:]
        joined = _AND.sub("", text, count=1)
        if _NAMED.match(joined):
            text = joined
    return found, text


def _call_of(values: list[tuple[str, str]], function: FunctionNode) -> str:
    """A call with these values, by name where the names are those of the parameters, else by order."""
    required, every = _required(function), [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    names = [name for name, _ in values]
    if len(set(names)) != len(names) or not values:
        return ""
    if set(required) <= set(names) <= set(every):
        ordered = sorted(values, key=lambda item: every.index(item[0]))
        if [name for name, _ in ordered] == every[: len(ordered)]:
            return f"{function.name}({', '.join(text for _, text in ordered)})"
        return f"{function.name}({', '.join(f'{name}={text}' for name, text in ordered)})"
    if len(values) == len(required) and not set(names) & set(every):
        return f"{function.name}({', '.join(text for _, text in values)})"
    return ""


def _required(function: FunctionNode) -> list[str]:
    """Parameters that have no default."""
    plain = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    required = plain[: len(plain) - len(function.args.defaults)]
    keyword = [a.arg for a, d in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if d is None]
    return [*required, *keyword]


def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _literal(text: str) -> ast.expr | None:
    """The tree of a literal, None when the text is none."""
    tree = _expression(text)
    if tree is None:
        return None
    try:
        ast.literal_eval(tree)
        if any(isinstance(n, ast.Constant) and n.value is ... for n in ast.walk(tree)):
            return None
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return tree
