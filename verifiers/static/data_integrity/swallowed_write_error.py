"""swallowed-write-error: is anything of value written, and did the author not decide that its loss is all right?

Dismisses when a comment or docstring says that the write may fail, when a flag is set that says so, or when the write
is to a stream for people. Leaves caches, logs, clean-up and closing open. Confirms writes of records to a file or a
database whose failure the caller cannot see.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.data_integrity.file_use import cache, temporary
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, comment_in, inside

_STREAMS = re.compile(
    r"(^|\.)_?(stdout|stderr|stream|console|term|sock\w*|socket|conn|wfile|response|out|err|pipe)$|print"
)
_MINOR = re.compile(
    r"cache|log|debug|trace|cleanup|clean_up|close|__del__|__exit__|shutdown|flush|finali[sz]e|history|telemetry|metric|stat",
    re.IGNORECASE,
)
_FILES = frozenset(
    {"open", "write_text", "write_bytes", "replace", "rename", "copy", "copyfile", "copy2", "move", "dump"}
)
_RECORDS = frozenset({"commit", "executemany", "bulk_create", "insert_one", "put_object"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the file cannot be read")
    place = node_at(module, finding, ast.ExceptHandler) or node_at(module, finding, ast.With)
    if place is None:
        return cannot_tell("there is no handler at this place")
    here = (module.location(place),)
    owner = module.parents.get(place) if isinstance(place, ast.ExceptHandler) else place
    body = owner.body if isinstance(owner, ast.Try | ast.With) else []
    line = int(finding.facts.get("write_line", "0"))
    write = next((n for n in inside(body) if isinstance(n, ast.Call) and n.lineno == line), None)
    if write is None:
        return cannot_tell("the write is not in the block that this handler guards")
    said = comment_in(
        module, place.lineno - 1, place.body[0].lineno if isinstance(place, ast.ExceptHandler) else place.lineno
    )
    if said is None and isinstance(place, ast.ExceptHandler):
        said = comment_in(module, place.lineno, place.end_lineno or place.lineno)
    if said is not None:
        return falls(f"the author says why: “{said[1][:80]}”", kind="documentation", at=here)
    function = module.enclosing_function(place)
    docstring = (ast.get_docstring(function) or "") if function is not None else ""
    if re.search(r"best.effort|never (raise|fail)|ignore|silent|if possible|may fail|try to", docstring, re.IGNORECASE):
        return falls("the docstring says that the write may fail", kind="documentation", at=here)
    target = chain(write.func)
    method = write.func.attr if isinstance(write.func, ast.Attribute) else target
    receiver = target.rpartition(".")[0]
    if receiver and _STREAMS.search(receiver):
        return falls(
            f"`{receiver}` is a stream to somebody, not a place where data is kept", kind="definition", at=here
        )
    if (
        function is None
        or _MINOR.search(function.name)
        or cache(module.path, ast.unparse(write))
        or temporary(ast.unparse(write))
    ):
        return cannot_tell("what is lost may be of no value: a cache, a log, clean-up")
    if _inspected(function, owner):
        return cannot_tell("the function looks afterwards at what the block left behind")
    if method in _RECORDS or (method in _FILES and _keeps(module, write)):
        return stands(
            f"`{ast.unparse(write.func)}` in line {write.lineno} may fail, and `{function.name}` returns as if it had not",
            kind="flow",
            at=(module.location(write), module.location(place)),
        )
    return cannot_tell(f"whether `{ast.unparse(write.func)}` keeps data is not to be seen")


def _keeps(module: Module, write: ast.Call) -> bool:
    name = module.resolve(write.func) or ""
    if name.endswith(("open", "write_text", "write_bytes")):
        return not any(isinstance(a, ast.Constant) and "log" in str(a.value).lower() for a in write.args)
    return name.startswith(("os.", "shutil.", "json.", "pickle.", "yaml."))


def _inspected(function: ast.AST, block: ast.AST | None) -> bool:
    """Whether something after the block reads a name that the block binds: success is told apart that way."""
    if block is None:
        return False
    bound = {n.id for n in ast.walk(block) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    last = getattr(block, "end_lineno", 0)
    returned = [n for n in ast.walk(block) if isinstance(n, ast.Return) and n.value is not None]
    return bool(returned) or any(
        isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in bound and n.lineno > last
        for n in ast.walk(function)
    )
