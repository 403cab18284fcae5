"""insecure-cookie: what is `secure` (or, where a claim is about scripts, `httponly`) really, and does the cookie matter?"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.security.observe import Seen, constants, observed

_SECRET = re.compile(r"session|sess_?id|token|auth|remember|jwt|sso|login|credential", re.IGNORECASE)
_HARMLESS = re.compile(
    r"csrf|xsrf|lang|locale|theme|time_?zone|consent|banner|seen|preference|dark_?mode", re.IGNORECASE
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms `secure=False` on any cookie that is no mere preference, and a missing `secure` on one that logs in."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    at = (module.location(call),)
    seen = observed(module, call, project)
    if seen is not None and not seen:
        return falls("the call is never reached", kind="unreachable", at=at)
    if _deletes(call):
        return falls("the call deletes the cookie: its value is empty", kind="constant", at=at)
    option = "httponly" if finding.cwe == 1004 else "secure"
    given = next((k.value for k in call.keywords if k.arg == option), None)
    name = _name(call, seen)
    if given is None:
        if name is not None and _SECRET.search(name) and not _HARMLESS.search(name):
            return stands(
                f"the cookie `{name}` is set without `{option}`, which is off by default", kind="constant", at=at
            )
        return cannot_tell(f"`{option}` is left out, and nothing says that the cookie is worth stealing")
    if any(isinstance(n, ast.Attribute | ast.Subscript | ast.Call) for n in ast.walk(given)):
        return cannot_tell("a setting decides, which a deployment may change")
    values = _secure(given, option, seen)
    if values is None:
        return cannot_tell(f"the value of `{option}` is not known")
    if all(values):
        return falls(f"`{option}` is true on every way", kind="constant", at=at)
    if any(values):
        return cannot_tell(f"`{option}` is false on some ways only")
    if name is not None and _HARMLESS.search(name):
        return cannot_tell(f"the cookie `{name}` holds a preference")
    return stands(f"`{option}` is false on every way", kind="constant", at=at)


def _deletes(call: ast.Call) -> bool:
    value = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "value"), None)
    return isinstance(value, ast.Constant) and not value.value


def _name(call: ast.Call, seen: list[Seen] | None) -> str | None:
    if call.args and isinstance(call.args[0], ast.Constant):
        return str(call.args[0].value)
    for arrival in seen or ():
        values = constants(arrival.arguments[0]) if arrival.arguments else None
        if values:
            return ", ".join(sorted(map(str, values)))
    return None


def _secure(given: ast.expr, option: str, seen: list[Seen] | None) -> set[object] | None:
    if isinstance(given, ast.Constant):
        return {given.value}
    found: set[object] = set()
    for arrival in seen or ():
        values = constants(arrival.keywords[option])
        if values is None:
            return None
        found |= values
    return found or None
