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
from harness.source.module import Module
from harness.source.project import Project
from harness.source.syntax import NotParsed

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
    known = _modules(project)
    said: set[str] = set()
    for document in documents(project):
        for span in document.spans:
            name = _name(span, roots)
            if name is None or name in said or name.rpartition(".")[2] in described:
                continue
            said.add(name)
            missing = _missing(project, known, name)
            if missing is None:
                continue
            owner, part, where = missing
            pattern = rf"\b{re.escape(part)}\b"
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


def _modules(project: Project) -> dict[str, str]:
    """Dotted name -> path, from the paths alone."""
    found = {}
    for path in project.paths("python"):
        parts = path.rpartition(".")[0].split("/")
        parts = parts[1:] if parts[0] == "src" else parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _missing(project: Project, known: dict[str, str], name: str, depth: int = 8) -> tuple[str, str, str] | None:
    """(what exists, the next part that does not, file of the former), None when all of it may exist."""
    parts = name.split(".")
    length = next((n for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in known), 0)
    rest = parts[length:]
    if not length or not rest or not depth:
        return None
    owner = ".".join(parts[:length])
    try:
        module = project.module(known[owner])
    except NotParsed:
        return None
    first = rest[0]
    if first in module.imports:
        return _missing(project, known, ".".join([module.imports[first], *rest[1:]]), depth - 1)
    node = module.definitions.get(first)
    if isinstance(node, ast.ClassDef):
        return _member(project, known, module, node, rest[1:]) if rest[1:] else None
    if node is not None or _open(module.tree) or any(other.startswith(f"{owner}.{first}") for other in known):
        return None
    return owner, first, module.path


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


def _class(project: Project, known: dict[str, str], name: str, depth: int = 8) -> tuple[Module, ast.ClassDef] | None:
    """The class of the project with this dotted name, re-exports followed."""
    head, _, last = name.rpartition(".")
    if head not in known or not depth:
        return None
    try:
        module = project.module(known[head])
    except NotParsed:
        return None
    if last in module.imports:
        return _class(project, known, module.imports[last], depth - 1)
    node = module.definitions.get(last)
    return (module, node) if isinstance(node, ast.ClassDef) else None


def _member(
    project: Project, known: dict[str, str], module: Module, cls: ast.ClassDef, rest: list[str]
) -> tuple[str, str, str] | None:
    wanted = rest[0]
    pending = [(module, cls)]
    seen: set[tuple[str, int]] = set()
    while pending:
        home, node = pending.pop()
        if (home.path, node.lineno) in seen:
            continue
        seen.add((home.path, node.lineno))
        if node.decorator_list or node.keywords or any(_spells(inside, wanted) for inside in ast.walk(node)):
            return None
        for base in node.bases:
            target = home.resolve(base)
            if target == "object":
                continue
            found = _class(project, known, target) if target else None
            if found is None:
                return None
            pending.append(found)
    return f"{module.name}.{cls.name}", wanted, module.path


def _spells(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name in {name, "__getattr__", "__getattribute__"}
    return name in {getattr(node, "attr", ""), getattr(node, "id", "")}


CHECK = Check(rules=(RULE,), project=check)
