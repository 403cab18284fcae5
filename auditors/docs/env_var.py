"""doc-env-var and env-var-undocumented: environment variables of the project, in documents and in the code.

Why: who sets a variable that nothing reads believes that it works; who does not know a variable cannot use it.

Example: the README says `SHOP_TIMEOUT`, the code reads `SHOP_TIMEOUT_S`.

Variables count as the project's own when they begin with the name of its package and an underscore.

What it cannot see: variables whose names are put together while running; where a library does that with the project's
prefix, nothing is claimed.
"""

import ast
import re
from collections.abc import Iterator

from auditors.docs.documents import claim, documents, occurrences, packages
from harness.contracts import Check
from harness.schema.finding import AbsenceSearch, Claim, Rule, Severity
from harness.source.project import Project

UNKNOWN = Rule(
    id="doc-env-var",
    group="docs",
    title="Documented environment variable that nothing reads",
    severity=Severity.LOW,
    page=__doc__,
)
UNMENTIONED = Rule(
    id="env-var-undocumented",
    group="docs",
    title="Environment variable that no document mentions",
    severity=Severity.LOW,
    page=__doc__,
)
_READERS = frozenset(
    {"os.environ.get", "os.getenv", "os.environ.pop", "os.environ.setdefault", "environ.get", "os.environb.get"}
)


def check(project: Project) -> Iterator[Claim]:
    """Unknown variables by document and line, then unmentioned ones by file and line."""
    prefixes = tuple(sorted(f"{name.upper()}_" for name in packages(project)))
    if not prefixes:
        return
    word = re.compile(
        r"(?<![\w.-])((?:" + "|".join(re.escape(p) for p in prefixes) + r")[A-Z0-9][A-Z0-9_]*)(?![\w*{-])"
    )
    in_code: set[str] = set()
    for path in project.paths(test=None):
        if project.entries[path].language not in {"markdown", "rst", "binary"} and project.entries[path].size < 1 << 20:
            if path.rpartition("/")[2].lower().startswith(("readme", "change", "history", "news")):
                continue
            in_code |= set(word.findall(project.text(path)))
    mentioned: set[str] = set()
    for path in project.paths("markdown", "rst", "text"):
        mentioned |= set(word.findall(project.text(path)))
    for document in documents(project):
        places = [(span.line, span.column, span.text) for span in document.spans]
        places += [(n, 1, text) for block in document.blocks for n, text in enumerate(block.lines, block.line)]
        said: set[str] = set()
        for line, column, text in sorted(places):
            for match in word.finditer(text):
                name = match.group(1)
                if name in in_code or name in said:
                    continue
                said.add(name)
                pattern = rf"\b{name}\b"
                yield claim(
                    UNKNOWN,
                    project,
                    document.path,
                    line,
                    column=column + match.start(),
                    scenario=f"Who sets `{name}`, as documented, changes nothing: no code of the project reads it.",
                    fix="Name the variable that the code reads, or remove the passage.",
                    facts={"name": name, "prefix": next(p for p in prefixes if name.startswith(p))},
                    absence=AbsenceSearch(
                        pattern=pattern, paths=("*.py",), expected=occurrences(project, pattern, ("*.py",))
                    ),
                )
    if mentioned & in_code:
        yield from _unmentioned(project, prefixes, mentioned)


def _unmentioned(project: Project, prefixes: tuple[str, ...], mentioned: set[str]) -> Iterator[Claim]:
    said: set[str] = set()
    for module in project.modules_matching(re.compile(rb"environ|getenv")):
        reads: list[tuple[ast.AST, str]] = []
        for call in module.nodes(ast.Call):
            if module.resolve(call.func) in _READERS and call.args and isinstance(call.args[0], ast.Constant):
                reads.append((call, str(call.args[0].value)))
        for subscript in module.nodes(ast.Subscript):
            if (
                module.resolve(subscript.value) == "os.environ"
                and isinstance(subscript.slice, ast.Constant)
                and isinstance(subscript.ctx, ast.Load)
            ):
                reads.append((subscript, str(subscript.slice.value)))
        for node, name in reads:
            if (
                not name.startswith(prefixes)
                or name in mentioned
                or name in said
                or "_INTERNAL" in name
                or "_TEST" in name
            ):
                continue
            said.add(name)
            yield module.claim(
                UNMENTIONED,
                node,
                scenario=f"`{name}` changes what this code does, and no document tells that it exists.",
                fix=f"Describe `{name}` where the other variables are described.",
                facts={"name": name},
            ).model_copy(
                update={
                    "absence": AbsenceSearch(
                        pattern=rf"\b{re.escape(name)}\b", paths=("*.md", "*.rst", "*.txt"), expected=0
                    )
                }
            )


CHECK = Check(rules=(UNKNOWN, UNMENTIONED), project=check)
