"""locale-encoding: text is written or read without naming an encoding.

Why: the encoding is then the machine's: cp1252 on most Windows systems, UTF-8 elsewhere. Text that is not ASCII cannot
be written there, or is read back as other characters on the next machine.

Example:

    Path("note.txt").write_text("naïve")          # encoding="utf-8"

What it cannot see: what a file of another project holds. It speaks of places where text beyond ASCII is in sight, and
once a module of files in a format that is UTF-8 by definition (JSON, YAML, TOML, XML ...).
"""

import ast
import re
from collections.abc import Iterator

from auditors.bodies import constant, keyword, marginal
from auditors.data_integrity.paths import Access, accesses
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="locale-encoding",
    group="platform",
    title="Encoding left to the machine",
    severity=Severity.LOW,
    cwe=None,
    page=__doc__,
)

_FORMATS = re.compile(r"\.(json|ya?ml|toml|html?|xml|md|rst|tex|bib|svg)\b", re.IGNORECASE)
_LOADERS = re.compile(r"(json|yaml|ruamel|toml|tomllib|tomli)\b.*(load|loads|dump|dumps|safe_load|safe_dump)$")


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Text-mode opens without `encoding`: each that is seen to meet text beyond ASCII, and the first whose format is UTF-8."""
    del project
    if marginal(module):
        return
    rest: list[tuple[Access, str]] = []
    for access in (a for a in accesses(module) if _left_open(module, a)):
        seen = _seen(module, access)
        if seen is not None:
            yield _claim(module, access, seen, "", ())
        elif (form := _format(module, access)) is not None:
            rest.append((access, form))
    if rest:
        yield _claim(module, rest[0][0], "", rest[0][1], tuple(a for a, _ in rest[1:6]))


def _format(module: Module, access: Access) -> str | None:
    """JSON, YAML, TOML, ... when the path or a call of the same function speaks of a format that is UTF-8 by definition."""
    scope: ast.AST = module.enclosing_function(access.call) or module.statement(access.call)
    named = _FORMATS.search(" ".join(constant(n) or "" for n in ast.walk(access.path)))
    if named is not None:
        return named.group(1).upper()
    for node in ast.walk(scope):
        call = _LOADERS.match(module.resolve(node.func) or "") if isinstance(node, ast.Call) else None
        if call is not None and (access.mode[:1] == "r" or call.group(1) != "json"):
            return call.group(1).upper()
    return None


def _left_open(module: Module, access: Access) -> bool:
    name = module.resolve(access.call.func) or ""
    if "b" in access.mode or access.mode == "?" or keyword(access.call, "encoding") is not None:
        return False
    if name in {"open", "io.open"}:
        return len(access.call.args) < 4 and not any(k.arg is None for k in access.call.keywords)
    if access.method in {"read_text", "write_text"}:
        return len(access.call.args) < (1 if access.method == "read_text" else 2)
    return False


def _seen(module: Module, access: Access) -> str | None:
    """`written` when the text of the statement or function that is written is not ASCII; `file` for a path of the project."""
    if access.method == "write_text" and access.call.args:
        text = constant(access.call.args[0])
        return "written" if text is not None and not text.isascii() else None
    scope = module.enclosing_function(access.call)
    if access.mode[:1] in "wax" and scope is not None:
        writes = [n for n in ast.walk(scope) if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "write"]
        if any(not (constant(n) or "").isascii() for write in writes for a in write.args for n in ast.walk(a)):
            return "written"
    if access.mode[:1] == "r" and (constant(access.path) or "__file__" in ast.unparse(access.path)):
        return "file"
    return None


def _claim(module: Module, access: Access, seen: str, form: str, rest: tuple[Access, ...]) -> Claim:
    path = ast.unparse(access.path)
    reads = access.mode[:1] == "r"
    scenario = (
        f"On a machine whose locale is not UTF-8 (Windows), `{path}`{f' ({form}, UTF-8 by definition)' if form else ''} is "
        + ("read" if reads else "written")
        + " in another encoding: characters beyond ASCII "
        + (
            "come back as others or raise UnicodeDecodeError."
            if reads
            else "raise UnicodeEncodeError or are read back as others."
        )
    )
    return module.claim(
        RULE,
        access.call,
        scenario=scenario,
        fix='encoding="utf-8".',
        facts={
            "seen": seen,
            "format": form,
            "path": path,
            "text": constant(access.path) or "",
            "method": access.method,
        },
        related=tuple(module.related("sibling", a.call, "the same here") for a in rest),
    )


CHECK = Check(rules=(RULE,), module=check)
