"""weak-randomness: is it the predictable generator, and does the value become a secret?"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.security.observe import observed
from verifiers.static.security.purpose import SECRET, secret_use

_BITS = frozenset(
    {
        "random", "randint", "randrange", "getrandbits", "randbytes", "uniform", "normalvariate", "gauss", "betavariate",
        "triangular", "expovariate", "lognormvariate", "vonmisesvariate", "gammavariate", "paretovariate", "weibullvariate",
    }
)  # fmt: skip
_NUMERIC_WORK = frozenset({"numpy", "torch", "tensorflow", "transformers", "sklearn", "jax", "simpy"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms a value that is stored, compared, sent or returned as a secret; dismisses dead code and other modules."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    at = (module.location(call),)
    name = module.resolve(call.func) or ""
    if name.rpartition(".")[0] not in {"random", "numpy.random"} or project.index.module_paths.get("random"):
        return falls(f"`{name}` is not a function of the standard module random", kind="definition", at=at)
    seen = observed(module, call, project)
    if seen is not None and not seen:
        return falls("the call is never reached", kind="unreachable", at=at)
    if any(target.partition(".")[0] in _NUMERIC_WORK for target in module.imports.values()):
        return cannot_tell("the module does numeric work, where such names mean something else")
    function = name.rpartition(".")[2]
    if function not in _BITS and not _from_alphabet(module.segment(call)):
        return cannot_tell("it chooses among things, which need not be secret")
    if _few(function, call):
        return cannot_tell("it chooses among too few values to be meant as a secret")
    use = secret_use(module, call, SECRET, backwards=False)
    if use is None:
        return cannot_tell("nothing on the way of the value says that it is a secret")
    return stands(f"the value becomes a secret: `{use.word[:60]}`", kind="flow", at=(*at, module.location(use.node)))


def _few(function: str, call: ast.Call) -> bool:
    """`randint(a, b)` or `randrange(n)` of constants less than a thousand apart."""
    if function not in {"randint", "randrange"}:
        return False
    bounds = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, int)]
    return len(bounds) == len(call.args) > 0 and max(bounds) - (min(bounds) if len(bounds) > 1 else 0) < 1000


def _from_alphabet(text: str) -> bool:
    """Whether it picks from letters or digits: by the constant's name, or from a text of a dozen different characters."""
    if any(len(set(found)) >= 12 for found in re.findall(r"[\"']([A-Za-z0-9]{12,})[\"']", text)):
        return True
    return any(
        w in text for w in ("ascii_letters", "ascii_lowercase", "ascii_uppercase", "hexdigits", "digits", "abcdef")
    )
