"""Deterministic repairs, one module a kind of trouble. The order of this table is the order in which they are tried."""

from agent.tex.repairs import (
    arguments,
    braces,
    drawing,
    environments,
    formulas,
    glyphs,
    mathmode,
    packages,
    structure,
    tables,
    values,
)
from agent.tex.repairs.rule import Broken, Rule, changed_line

RULES: tuple[Rule, ...] = (
    *packages.RULES,
    *structure.RULES,
    *glyphs.RULES,
    *tables.RULES,
    *drawing.RULES,
    *arguments.RULES,
    *environments.RULES,
    *formulas.RULES,
    *mathmode.RULES,
    *braces.RULES,
    *values.RULES,
)

__all__ = ["RULES", "Broken", "Rule", "changed_line"]
