"""One Python module: its text, its tree, and answers to what every check asks of them."""

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import TypeVar

from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.nodes import TypeAlias
from harness.source.syntax import parse

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
ScopeNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.Module
N = TypeVar("N", bound=ast.AST)


class Module:
    """A parsed module. Raises `harness.source.syntax.NotParsed` when made from text that cannot be parsed.

    Node positions in `tree` are those of the original text, also where the grammar was newer than the running
    interpreter's. `ast` columns count UTF-8 bytes; everything here that returns a Location counts characters.
    """

    def __init__(self, path: str, text: str, *, test: bool = False) -> None:
        self.path = path
        self.text = text
        self.test = test
        self.tree = parse(text)
        self._qualnames: dict[ast.AST, str] = {}
        parts = list(PurePosixPath(path).with_suffix("").parts)
        if parts and parts[0] == "src":
            parts = parts[1:]
        self.package = parts[:-1]
        """Names of the packages around it."""
        self.name = ".".join(parts[:-1] if parts[-1:] == ["__init__"] else parts)
        """Dotted name, as seen from the root (or from `src/`)."""

    @cached_property
    def lines(self) -> list[str]:
        """The text by lines, without line ends; line n is `lines[n - 1]`. Split as the parser does, at \\n, \\r\\n and \\r only."""
        return self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    @cached_property
    def _walk(self) -> tuple[dict[type[ast.AST], list[ast.AST]], dict[ast.AST, ast.AST]]:
        """Nodes by type in source order, and every node's parent, from one walk over the tree; no Load, Store or Del."""
        table: dict[type[ast.AST], list[ast.AST]] = {}
        parents: dict[ast.AST, ast.AST] = {}
        stack: list[ast.AST] = [self.tree]
        while stack:
            node = stack.pop()
            kind = type(node)
            if kind in table:
                table[kind].append(node)
            else:
                table[kind] = [node]
            children: list[ast.AST] = []
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    children += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                    children.append(value)
            for child in children:
                parents[child] = node
            children.reverse()
            stack += children
        return table, parents

    @property
    def parents(self) -> Mapping[ast.AST, ast.AST]:
        """Parent of every node but the root. (Shared singletons such as `ast.Add()` have the last one.)"""
        return self._walk[1]

    def nodes(self, *types: type[N]) -> list[N]:
        """Every node of exactly these types, in source order within a type. Cheap after the first call."""
        found: list[N] = []
        for kind in types:
            found.extend(self._walk[0].get(kind, []))  # type: ignore[arg-type]  # keyed by the very type asked for
        return found

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Parent, grandparent, ... up to the module."""
        parents = self.parents
        current = parents.get(node)
        while current is not None:
            yield current
            current = parents.get(current)

    def enclosing_function(self, node: ast.AST) -> FunctionNode | None:
        """The innermost function around `node` (not itself)."""
        for up in self.ancestors(node):
            if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef):
                return up
        return None

    def enclosing_class(self, node: ast.AST) -> ast.ClassDef | None:
        """The class whose body holds the innermost function around `node`, or holds `node` itself."""
        for up in self.ancestors(node):
            if isinstance(up, ast.ClassDef):
                return up
        return None

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds `node`, or `node` when it is one."""
        current: ast.AST | None = node
        while current is not None and not isinstance(current, ast.stmt):
            current = self.parents.get(current)
        if current is None:
            raise ValueError("the node belongs to no statement of this module")
        return current

    @cached_property
    def functions(self) -> list[tuple[str, FunctionNode]]:
        """Every function with its qualified name inside the module (`Class.method`, `outer.inner`), in source order."""
        nodes: list[FunctionNode] = [*self.nodes(ast.FunctionDef), *self.nodes(ast.AsyncFunctionDef)]
        nodes.sort(key=lambda node: (node.lineno, node.col_offset))
        return [(self.qualname(node), node) for node in nodes]

    @cached_property
    def classes(self) -> list[tuple[str, ast.ClassDef]]:
        """Every class with its qualified name inside the module, in source order."""
        return [(self.qualname(c), c) for c in self.nodes(ast.ClassDef)]

    def qualname(self, node: ast.AST) -> str:
        """Qualified name of a function or class inside the module."""
        known = self._qualnames.get(node)
        if known is None:
            around = self.symbol(parent) if (parent := self.parents.get(node)) else None
            name = getattr(node, "name", "<lambda>")
            known = self._qualnames[node] = f"{around}.{name}" if around else name
        return known

    def symbol(self, node: ast.AST) -> str | None:
        """Qualified name of the function or class around `node`, or of `node` itself; None at module level."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return self.qualname(node)
        for up in self.ancestors(node):
            if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                return self.qualname(up)
        return None

    # names

    @cached_property
    def imports(self) -> Mapping[str, str]:
        """Local name -> dotted target, from every import statement of the module, relative ones made absolute."""
        table: dict[str, str] = {}
        for node in self.nodes(ast.Import):
            for alias in node.names:
                if alias.asname:
                    table[alias.asname] = alias.name
                else:
                    table[alias.name.split(".")[0]] = alias.name.split(".")[0]
        for origin in self.nodes(ast.ImportFrom):
            base = self._import_base(origin)
            for alias in origin.names:
                if alias.name != "*":
                    table[alias.asname or alias.name] = f"{base}.{alias.name}" if base else alias.name
        return table

    @cached_property
    def stars(self) -> tuple[str, ...]:
        """Modules of which this one imports every public name (`from x import *`), as absolute names."""
        return tuple(
            self._import_base(n) for n in self.nodes(ast.ImportFrom) if any(alias.name == "*" for alias in n.names)
        )

    def _import_base(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.package[: len(self.package) - (node.level - 1)]
        return ".".join([*package, *([node.module] if node.module else [])])

    @cached_property
    def definitions(self) -> Mapping[str, ast.stmt]:
        """Names bound at module level by def, class, `type` or assignment -> the last statement that binds them."""
        table: dict[str, ast.stmt] = {}
        for statement in _module_level(self.tree.body):
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                table[statement.name] = statement
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name):
                            table[name.id] = statement
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                table[statement.target.id] = statement
            elif isinstance(statement, TypeAlias):
                table[statement.name.id] = statement
        return table

    def resolve(self, node: ast.AST) -> str | None:
        """Dotted name of a Name/Attribute chain with imports followed, or None for any other expression.

        `request.args.get` after `from flask import request` gives `flask.request.args.get`; a name defined in this
        module gets the module's name in front; builtins and locals come back bare; `self.x` stays `self.x`.
        Does not look at scopes: a local that shadows an import is taken for the import.
        """
        attributes: list[str] = []
        current = node
        while isinstance(current, ast.Attribute):
            attributes.append(current.attr)
            current = current.value
        if not isinstance(current, ast.Name):
            return None
        root = current.id
        if root in self.imports:
            root = self.imports[root]
        elif root in self.definitions and self.name:
            root = f"{self.name}.{root}"
        return ".".join([root, *reversed(attributes)])

    # places

    def location(self, node: ast.AST) -> Location:
        """Where `node` stands. Functions and classes are located at their `def`/`class` line, on that line only."""
        line: int = getattr(node, "lineno", 1)
        start = self._column(line, getattr(node, "col_offset", 0))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return Location(path=self.path, line=line, end_line=line, column=start)
        end_line = getattr(node, "end_lineno", None) or line
        end_offset = getattr(node, "end_col_offset", None)
        end = None if end_offset is None else self._column(end_line, end_offset)
        return Location(path=self.path, line=line, end_line=end_line, column=start, end_column=end)

    def _column(self, line: int, offset: int) -> int:
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if text.isascii():
            return offset + 1
        return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore")) + 1

    def line_text(self, line: int) -> str:
        """Text of a line, stripped."""
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""

    def segment(self, node: ast.AST) -> str:
        """Source text of an expression or statement, line ends as `\n`; '' when it has no position."""
        end_line, end_offset = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
        if end_line is None or end_offset is None:
            return ""
        line = getattr(node, "lineno", 1)
        lines = self.lines[line - 1 : end_line]
        lines[-1] = lines[-1][: self._column(end_line, end_offset) - 1]
        lines[0] = lines[0][self._column(line, getattr(node, "col_offset", 0)) - 1 :]
        return "\n".join(lines)

    def related(self, role: str, node: ast.AST, message: str = "") -> RelatedLocation:
        """`node` as another place of a claim."""
        return RelatedLocation(role=role, location=self.location(node), message=message)

    def claim(
        self,
        rule: Rule,
        node: ast.AST,
        *,
        scenario: str,
        fix: str,
        severity: Severity | None = None,
        facts: dict[str, str] | None = None,
        related: tuple[RelatedLocation, ...] = (),
        kind: str = "",
    ) -> Claim:
        """A claim about `node`, with location, quote and symbol filled in."""
        location = self.location(node)
        return Claim(
            rule=rule.id,
            severity=severity or rule.severity,
            cwe=rule.cwe,
            location=location,
            quote=self.line_text(location.line),
            symbol=self.symbol(node),
            scenario=scenario,
            fix=fix,
            facts=facts or {},
            related=related,
            kind=kind,
        )


def _module_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run at import, also inside if/try/with/for at module level."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While | ast.TryStar):
            for field in ("body", "orelse", "finalbody"):
                yield from _module_level(getattr(statement, field, []))
            for clause in getattr(statement, "handlers", []):
                yield from _module_level(clause.body)
