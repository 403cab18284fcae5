"""doc-name: a document names a function, class or module of the project that the project does not have.

Why: readers import it and get ImportError or AttributeError.

Example: "Call `shop.orders.cancel_all()`" after `cancel_all` was renamed.

Looked at are names in code spans and Sphinx roles that begin with a package of the project.

What it cannot see: names without their package, and names that only exist while the program runs.
"""

import ast
import re
from collections.abc import Iterator

from auditors.docs.documents import claim, documents, occurrences, packages
from auditors.docs.markup import Span
from harness.contracts import Check
from harness.schema.finding import AbsenceSearch, Claim, Rule, Severity
from harness.source.project import Project

RULE = Rule(
    id="doc-name", group="docs", title="Documented name that does not exist", severity=Severity.LOW, page=__doc__
)
_DOTTED = re.compile(r"^@?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?:\(.*\))?$")
_DIRECTIVE = re.compile(
    r"^\s*\.\. (?:py:)?(?:class|method|function|attribute|data|exception|classmethod|staticmethod|property|module|object)::"
    r"\s*(?:\w+\.)*(\w+)",
    re.MULTILINE,
)
_ROLES = frozenset({"", "func", "meth", "class", "attr", "mod", "exc", "data", "obj", "const"})
_FILE_ENDINGS = frozenset(
    {
        "py",
        "md",
        "rst",
        "txt",
        "toml",
        "cfg",
        "ini",
        "json",
        "yaml",
        "yml",
        "html",
        "js",
        "css",
        "sh",
        "org",
        "com",
        "io",
        "dev",
    }
)


def check(project: Project) -> Iterator[Claim]:
    """Names by document and line, each where it stands first."""
    roots = packages(project)
    if not roots:
        return
    described = _described(project)
    said: set[str] = set()
    for document in documents(project):
        for span in document.spans:
            name = _name(span, roots)
            if name is None or name in said or name.rpartition(".")[2] in described:
                continue
            said.add(name)
            missing = _missing(project, name)
            if missing is None:
                continue
            owner, part = missing
            pattern = rf"\b{re.escape(part)}\b"
            where = _file(project, owner)
            yield claim(
                RULE,
                project,
                document.path,
                span.line,
                column=span.column,
                scenario=f"A reader who uses `{name}` gets an error, because `{owner}` has no `{part}`.",
                fix=f"Name what `{owner}` offers now, or remove the passage.",
                facts={"name": name, "owner": owner, "part": part},
                absence=AbsenceSearch(
                    pattern=pattern, paths=(where,), expected=occurrences(project, pattern, (where,))
                ),
            )


def _described(project: Project) -> set[str]:
    """Last parts of names that the documents themselves introduce by a Sphinx directive."""
    found: set[str] = set()
    for path in project.paths("rst", "text"):
        found |= set(_DIRECTIVE.findall(project.text(path)))
    return found


def _name(span: Span, roots: frozenset[str]) -> str | None:
    match = _DOTTED.match(span.text.strip())
    if match is None or span.role not in _ROLES:
        return None
    name = match.group(1)
    parts = name.split(".")
    if parts[0] not in roots or parts[-1] in _FILE_ENDINGS:
        return None
    return name


def _missing(project: Project, name: str) -> tuple[str, str] | None:
    """(what exists, the next part that does not), None when all of it may exist."""
    index = project.index
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        owner = index.canonical(".".join(parts[:length]))
        rest = parts[length:]
        if owner in index.module_paths:
            if not rest:
                return None
            module = project.module_named(owner)
            if module is None or rest[0] in module.definitions or rest[0] in module.imports or _open(module.tree):
                return None
            if any(m.startswith(f"{owner}.{rest[0]}") for m in index.module_paths):
                return None
            return owner, rest[0]
        if owner in index.classes:
            return _member(project, owner, rest) if rest else None
        if owner in index.functions or f"{'.'.join(parts[:length])}" in index.exported:
            return None
    return None


def _file(project: Project, owner: str) -> str:
    """The file that defines the module or class `owner`."""
    known = project.index.classes.get(owner)
    return known.path if known else project.index.module_paths[owner]


def _open(tree: ast.Module) -> bool:
    """Whether the module may have names that no statement shows: star imports, `__getattr__`, globals()."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return True
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__":
            return True
        if isinstance(node, ast.Name) and node.id in {"globals", "vars"}:
            return True
    return False


def _member(project: Project, owner: str, rest: list[str]) -> tuple[str, str] | None:
    pending, seen = [owner], set()
    while pending:
        name = project.index.canonical(pending.pop())
        if name in seen:
            continue
        seen.add(name)
        known = project.index.classes.get(name)
        if known is None:
            if name == "object":
                continue
            return None
        module = project.module(known.path)
        node = next((c for _, c in module.classes if c.lineno == known.line), None)
        if node is None or node.decorator_list or node.keywords or len(node.bases) != len(known.bases):
            return None
        for inside in ast.walk(node):
            if isinstance(inside, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and inside.name in {
                rest[0],
                "__getattr__",
                "__getattribute__",
            }:
                return None
            if isinstance(inside, ast.Attribute | ast.Name) and rest[0] in {
                getattr(inside, "attr", ""),
                getattr(inside, "id", ""),
            }:
                return None
        pending += list(known.bases)
    return owner, rest[0]


CHECK = Check(rules=(RULE,), project=check)
