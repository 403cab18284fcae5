"""non-atomic-overwrite: a file that the project reads back as its state is overwritten in place.

Why: opening with "w" empties the file first. A crash, a full disk or an error while the new content is made leaves an
empty or half file, and the old state is gone; a reader at that moment sees the half.

Example:

    with open(STATE, "w") as stream:      # write a temporary file beside it, then os.replace(temporary, STATE)
        json.dump(state, stream)

What it cannot see: paths that come in as parameters (but for pairs such as `load_state(path)` and `save_state(path)`), and
readers in other programs.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from auditors.bodies import dotted, marginal
from auditors.data_integrity.paths import Access, accesses, key
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed

RULE = Rule(
    id="non-atomic-overwrite",
    group="data-integrity",
    title="State file overwritten in place",
    severity=Severity.MEDIUM,
    cwe=362,
    page=__doc__,
)

_PAIR = re.compile(r"_*(?:load|read|restore|save|write|store|dump|persist)_(\w+)$")


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Writes to a path that this module, or one that imports the path's name, reads."""
    if marginal(module):
        return
    found: dict[str, list[Access]] = defaultdict(list)
    for access in accesses(module):
        function = module.enclosing_function(access.call)
        name = key(module, access.path, function) or _pair(access, function)
        if name is not None and name not in {"name:os.devnull"} and dotted(access.path) not in {"self", "cls"}:
            found[name].append(access)
    for name, uses in found.items():
        writes = [a for a in uses if a.mode[:1] == "w"]
        if not writes:
            continue
        for write in writes:
            reader = _here(module, write, uses) or _elsewhere(module, project, name)
            if reader is not None:
                yield _claim(module, write, name, *reader)


def _pair(access: Access, function: FunctionNode | None) -> str | None:
    """`load_state(path)` and `save_state(path)` of one module mean one file, whichever it is."""
    match = _PAIR.match(function.name) if function is not None else None
    path = dotted(access.path)
    if match is None or function is None or path not in {a.arg for a in function.args.args}:
        return None
    return f"pair:{match.group(1)}:{path}"


def _here(module: Module, write: Access, uses: list[Access]) -> tuple[Module, Access] | None:
    """A read in the same module, other than of what the same function has just written."""
    writer = module.enclosing_function(write.call)
    for use in uses:
        later = module.enclosing_function(use.call) is writer and use.call.lineno > write.call.lineno
        if use.mode[:1] == "r" and "+" not in use.mode and not later:
            return module, use
    return None


def _claim(module: Module, write: Access, name: str, home: Module, read: Access) -> Claim:
    path = ast.unparse(write.path)
    return module.claim(
        RULE,
        write.call,
        scenario=f"The process dies, the disk is full or the content raises while `{path}` is written: the file is left "
        f"empty or half, and {home.path}:{read.call.lineno} reads that next time; the old state is lost.",
        fix=f"Write the whole content to a temporary file in the same folder, then os.replace it onto `{path}`.",
        facts={
            "path": path,
            "key": name,
            "method": write.method,
            "reader_path": home.path,
            "reader_line": str(read.call.lineno),
        },
        related=(home.related("reader", read.call, "read back here"),),
    )


def _elsewhere(module: Module, project: Project, name: str) -> tuple[Module, Access] | None:
    """A read in a module that imports the global which names the path."""
    kind, _, target = name.partition(":")
    if kind != "name" or "." not in target:
        return None
    homes = {target.rpartition(".")[0]} | {
        local.rpartition(".")[0] for local, origin in project.index.exported.items() if origin == target
    }
    for home in sorted(homes - {module.name}):
        path = project.index.module_paths.get(home)
        try:
            other = project.module(path) if path else None
        except NotParsed:
            other = None
        if other is None or other.test:
            continue
        for access in accesses(other):
            if access.mode == "r" and key(other, access.path, other.enclosing_function(access.call)) == name:
                return other, access
    return None


CHECK = Check(rules=(RULE,), module=check)
