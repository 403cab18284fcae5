"""Nodes that the running interpreter's `ast` may lack, under the names and fields that later versions give them."""

import ast
import sys

__all__ = ["Interpolation", "ParamSpec", "TemplateStr", "TypeAlias", "TypeVar", "TypeVarTuple"]

if sys.version_info >= (3, 12):
    from ast import ParamSpec, TypeAlias, TypeVar, TypeVarTuple
else:

    class TypeVar(ast.AST):
        """`T: bound = default`."""

        _fields = ("name", "bound", "default_value")
        _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    class ParamSpec(ast.AST):
        """`**P = default`."""

        _fields = ("name", "default_value")
        _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    class TypeVarTuple(ast.AST):
        """`*Ts = default`."""

        _fields = ("name", "default_value")
        _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    class TypeAlias(ast.stmt):
        """`type name[type_params] = value`."""

        _fields = ("name", "type_params", "value")
        name: ast.Name
        type_params: list[ast.AST]
        value: ast.expr


if sys.version_info >= (3, 14):
    from ast import Interpolation, TemplateStr
else:

    class TemplateStr(ast.expr):
        """A t-string: its `values` are constants and interpolations. Not a string, so not a JoinedStr."""

        _fields = ("values",)

    class Interpolation(ast.expr):
        """One `{...}` of a t-string."""

        _fields = ("value", "str", "conversion", "format_spec")
