"""float-money: is it money at all, is it really a float, and does a cent matter here?

Confirms stored columns and equality tests in code that speaks of a currency, an order or an account. Everything else
stays open, and names that belong to another field (weights, audio, physics, page numbers) are dismissed.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain

_SHOP = re.compile(
    r"currency|money|invoice|payment|\border|checkout|cart\b|account|\bbank|customer|\bpaid\b|refund|ledger|salary|\bcents?\b"
    r"|\beur\b|\busd\b|purchase|billing|product|discount|\bshop",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"opacity|volume|alpha|gamma|torque|pixel|blur|weight_?|simulat|forecast|neural|sample_rate|load_balance|physics|kernel",
    re.IGNORECASE,
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the file cannot be read")
    name, shape = finding.facts.get("name", ""), finding.facts.get("shape", "")
    place = _statement(module, finding.line)
    if place is None:
        return cannot_tell("there is no statement at this place")
    here = (module.location(place),)
    if "Decimal(" in ast.unparse(place):
        return falls("the value is a Decimal", kind="definition", at=here)
    around = module.enclosing_class(place) or module.enclosing_function(place) or module.tree
    words = ast.unparse(around) if not isinstance(around, ast.Module) else module.text[:20000]
    if _OTHER.search(words) and not _SHOP.search(words):
        return falls(
            f"`{name}` is no amount of money here: the code speaks of something else", kind="definition", at=here
        )
    spoken = _SHOP.search(words.replace(name, "")) or _SHOP.search(module.path)
    if not spoken:
        return cannot_tell(f"that `{name}` is money, nothing around it says")
    if shape == "column" and _is_column(module, place):
        return stands(f"`{name}` beside “{spoken.group(0)}” is stored in a float column", kind="definition", at=here)
    if shape == "compared":
        return stands(f"`{name}` beside “{spoken.group(0)}” is compared with == to a float", kind="syntax", at=here)
    return cannot_tell("whether the fraction of a cent is ever felt is not to be seen")


def _statement(module: Module, line: int) -> ast.stmt | None:
    nodes: list[ast.stmt | ast.expr] = [*module.nodes(ast.Assign), *module.nodes(ast.AnnAssign)]
    nodes += module.nodes(ast.Compare)
    found = [n for n in nodes if n.lineno == line]
    return module.statement(found[0]) if found else None


def _is_column(module: Module, place: ast.stmt) -> bool:
    """A field in the body of a class that has a base: a model."""
    parent = module.parents.get(place)
    value = getattr(place, "value", None)
    return (
        isinstance(parent, ast.ClassDef)
        and bool(parent.bases)
        and isinstance(value, ast.Call)
        and bool(chain(value.func))
    )
