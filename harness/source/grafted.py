"""The tree of a lowered text made into the tree of the original."""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple
from typing import TypeVar as TypeVarOf

from harness.source.lowered import Lowered, expressions
from harness.source.nodes import Interpolation, ParamSpec, TemplateStr, TypeAlias, TypeVar, TypeVarTuple
from harness.source.scan import Field, Generic, Group, Literal, Scan, ScanError, Span, Text, TypeParameter


class _Range(NamedTuple):
    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


N = TypeVarOf("N", bound=ast.AST)
_YIELD = re.compile(r"yield(\s+from\b)?(?:\s|\\\n)*")
_ESCAPE = re.compile(r"\\(?:N\{[^}]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|\n|.)", re.DOTALL)


def graft(tree: ast.Module, aside: ast.Expression | None, text: str, found: Scan, lowered: Lowered) -> ast.Module:
    """`tree`, changed in place. Raises ScanError where something found has no place in it."""
    grafter = _Grafter(text, found)
    if aside is not None:
        if not isinstance(aside.body, ast.Tuple):
            raise ScanError("the types named here do not parse", lowered.spans[0].start)
        grafter.put_aside(aside.body.elts, lowered.spans)
    grafter.walk(tree)
    return tree


class _Grafter:
    def __init__(self, text: str, found: Scan) -> None:
        self.text = text
        self.lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self.ascii = text.isascii()
        self.tuples: dict[_Range, Group | Span] = {self.reach(g.start, g.end): g for g in found.groups}
        self.tuples.update({self.reach(span.start, span.end): span for span in found.clauses})
        self.generics = {self.place(generic.owner): generic for generic in found.generics}
        self.words = {self.place(at): at for at in (*found.aliases, *found.lazy)}
        self.aside: dict[Span, list[ast.expr]] = {}

    # positions

    def place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.lines, offset)
        start = self.lines[line - 1]
        if self.ascii:
            return line, offset - start
        return line, len(self.text[start:offset].encode("utf-8", "surrogatepass"))

    def reach(self, start: int, end: int) -> _Range:
        return _Range(*self.place(start), *self.place(end))

    def placed(self, node: N, start: int, end: int) -> N:
        _set_range(node, self.reach(start, end))
        return node

    # the walk

    def put_aside(self, elements: list[ast.expr], spans: tuple[Span, ...]) -> None:
        """Note which expressions of the second text belong to which span."""
        at = 0
        for span in spans:
            self.aside[span] = elements[at : at + span.elements]
            at += span.elements

    def walk(self, tree: ast.Module) -> None:
        stack: list[ast.AST] = [tree]
        while stack:
            node = stack.pop()
            if self.generics and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                generic = self.generics.pop((node.lineno, node.col_offset), None)
                if generic is not None:
                    _add_type_parameters(node, self.type_parameters(generic))
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, ast.Tuple):
                    value = self.restored(value)
                    setattr(node, name, value)
                elif isinstance(value, list):
                    if self.words and value and isinstance(value[0], ast.stmt):
                        value = self.statements(value)
                        setattr(node, name, value)
                    self.elements(value)
                    stack += [item for item in reversed(value) if isinstance(item, ast.AST)]
                if isinstance(value, ast.AST):
                    stack.append(value)
        self.complain()

    def elements(self, values: list[Any]) -> None:
        for index, item in enumerate(values):
            if isinstance(item, ast.Tuple):
                values[index] = self.restored(item)

    def complain(self) -> None:
        """Raise for what was found in the text and not in the tree."""
        places = [(r.lineno, r.col_offset) for r in self.tuples]
        places += [*self.generics, *self.words]
        if places:
            line, _ = min(places)
            raise ScanError("invalid syntax", self.lines[line - 1])

    def restored(self, node: ast.Tuple) -> ast.expr:
        """What a tuple of the lowered text stands for; itself when it stands for itself."""
        key = _Range(node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
        found = self.tuples.get(key)
        if found is None or not isinstance(node.ctx, ast.Load):
            return node
        del self.tuples[key]
        if isinstance(found, Span):
            node.elts = self.aside[found]
            return node
        return self.joined(found, node.elts)

    # statements

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A body with its `type` and `lazy` statements as they were."""
        made: list[ast.stmt] = []
        word: int | None = None
        for statement in body:
            if word is not None:
                made.append(self.worded(statement, word))
                word = None
                continue
            word = self.words.pop((statement.lineno, statement.col_offset), None)
            if word is None:
                made.append(statement)
        if word is not None:
            raise ScanError("invalid syntax", word)
        return made

    def worded(self, statement: ast.stmt, word: int) -> ast.stmt:
        made: ast.stmt
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            if len(statement.targets) > 1:
                raise ScanError("invalid syntax", word)
            generic = self.generics.pop(self.place(word), None)
            parameters = self.type_parameters(generic) if generic else []
            fields = {"name": statement.targets[0], "type_params": parameters, "value": statement.value}
            made = _node(TypeAlias, **fields)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            made = statement
        else:
            raise ScanError("invalid syntax", word)
        line, column = self.place(word)
        _set_range(made, _Range(line, column, statement.end_lineno or line, statement.end_col_offset or column))
        return made

    def type_parameters(self, generic: Generic) -> list[ast.AST]:
        return [self.type_parameter(parameter) for parameter in generic.parameters]

    def type_parameter(self, parameter: TypeParameter) -> ast.AST:
        fields: dict[str, object] = {"name": parameter.name}
        if parameter.stars == 0:
            kind: type[ast.AST] = TypeVar
            fields["bound"] = self.aside[parameter.bound][0] if parameter.bound else None
        else:
            kind = TypeVarTuple if parameter.stars == 1 else ParamSpec
        if "default_value" in kind._fields:  # Python 3.12 has these nodes without it
            fields["default_value"] = self.aside[parameter.default][0] if parameter.default else None
        return self.placed(_node(kind, **fields), parameter.start, parameter.end)

    # strings

    def joined(self, group: Group, elements: list[ast.expr]) -> ast.expr:
        """The node of a group, made of the expressions of its fields."""
        kinds = {literal.kind for literal in group.literals}
        if "t" in kinds and len(kinds) > 1:
            raise ScanError("cannot mix t-string literals with string or bytes literals", group.start)
        template = "t" in kinds
        remaining = iter(elements)
        values: list[ast.expr] = []
        for literal in group.literals:
            if literal.kind:
                values += self.parts(literal.parts, remaining, template=template)
            else:
                values.append(self.plain(literal))
        kind: type[ast.expr] = TemplateStr if template else ast.JoinedStr
        return self.placed(_node(kind, values=_merged(values)), group.start, group.end)

    def plain(self, literal: Literal) -> ast.expr:
        try:
            node = ast.parse(self.text[literal.start : literal.end], mode="eval").body
        except SyntaxError as error:
            raise ScanError(error.msg, literal.start) from error
        if not isinstance(node, ast.Constant) or isinstance(node.value, bytes):
            raise ScanError("cannot mix bytes and nonbytes literals", literal.start)
        return self.placed(node, literal.start, literal.end)

    def parts(
        self, parts: tuple[Text | Field, ...], remaining: Iterator[ast.expr], *, template: bool
    ) -> list[ast.expr]:
        values: list[ast.expr] = []
        for part in parts:
            if isinstance(part, Text):
                values.append(self.constant(part))
                continue
            if part.debug is not None:
                values.append(self.constant(part.debug))
            values.append(self.field(part, remaining, template=template))
        return values

    def constant(self, part: Text) -> ast.Constant:
        raw = "".join(part.raw)
        if not part.verbatim and "\\" in raw:
            try:
                raw = _ESCAPE.sub(_resolved, raw)
            except SyntaxError as error:
                raise ScanError(error.msg, part.start) from error
        return self.placed(ast.Constant(value=raw, kind=None), part.start, part.end)

    def field(self, field: Field, remaining: Iterator[ast.expr], *, template: bool) -> ast.expr:
        code = field.code
        value = self.value(code, [next(remaining) for _ in range(expressions(code))])
        spec = None
        if field.spec_start >= 0:
            inner = ast.JoinedStr(values=_merged(self.parts(field.spec, remaining, template=False)))
            spec = self.placed(inner, field.spec_start, field.end - 1)
        fields: dict[str, object] = {"value": value, "conversion": field.conversion, "format_spec": spec}
        kind: type[ast.expr] = ast.FormattedValue
        if template:
            kind = Interpolation
            fields["str"] = self.text[code.start : code.end]
        return self.placed(_node(kind, **fields), field.start, field.end)

    def value(self, code: Span, elements: list[ast.expr]) -> ast.expr:
        """The expression of a field from the elements it gave the tuple."""
        match = _YIELD.match(self.text, code.start) if code.first == "yield" else None
        if match is None:
            return self.bundle(elements, code, code.start)
        value = self.bundle(elements, code, match.end()) if elements else None
        kind: type[ast.expr] = ast.YieldFrom if match.group(1) else ast.Yield
        return self.placed(_node(kind, value=value), code.start, code.end)

    def bundle(self, elements: list[ast.expr], code: Span, start: int) -> ast.expr:
        """The elements as the tuple they were written as, or the only one."""
        if not code.commas:
            return elements[0]
        return self.placed(ast.Tuple(elts=elements, ctx=ast.Load()), start, code.end)


def _node(kind: type[N], **fields: object) -> N:
    return kind(**fields)


def _merged(values: list[ast.expr]) -> list[ast.expr]:
    """Adjacent constants made one, empty ones dropped."""
    merged: list[ast.expr] = []
    run: list[ast.Constant] = []
    for value in [*values, None]:
        if isinstance(value, ast.Constant):
            if value.value:
                run.append(value)
            continue
        if run:
            merged.append(_one(run))
            run = []
        if value is not None:
            merged.append(value)
    return merged


def _one(run: list[ast.Constant]) -> ast.Constant:
    first, last = run[0], run[-1]
    made = ast.Constant(value="".join(str(constant.value) for constant in run), kind=first.kind)
    end = _Range(first.lineno, first.col_offset, last.end_lineno or 0, last.end_col_offset or 0)
    _set_range(made, end)
    return made


@lru_cache(maxsize=512)
def _escape(sequence: str) -> str:
    return str(ast.literal_eval(f'"{sequence}"'))


def _resolved(match: re.Match[str]) -> str:
    return _escape(match.group())


def _set_range(node: ast.AST, at: _Range) -> None:
    for name, value in zip(_Range._fields, at, strict=True):
        setattr(node, name, value)


def _add_type_parameters(node: ast.AST, parameters: list[ast.AST]) -> None:
    if "type_params" not in node._fields:  # before Python 3.12; for this node alone, so that walks reach the bounds
        node._fields = (*node._fields, "type_params")  # type: ignore[misc]  # a class variable, shadowed on purpose
    node.type_params = parameters  # type: ignore[attr-defined]  # new in Python 3.12
