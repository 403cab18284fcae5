"""locale-encoding: look at the very text that is written, or at the very file that is read.

Confirms text beyond ASCII in a literal that reaches the write, and files of the project itself that hold UTF-8 beyond
ASCII. Dismisses literals and project files that are ASCII. Whatever else is read or written stays open.
"""

import ast
import posixpath

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.platform.support import support
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, inside


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    here = (module.location(call),)
    if any(k.arg == "encoding" for k in call.keywords):
        return falls("the encoding is named", kind="syntax", at=here)
    said = support(project)
    if said is not None and not said.windows:
        return cannot_tell(f"the project is for “{said.words}”, where UTF-8 is the rule")
    written = _written(module, call)
    if written is not None:
        node, text = written
        if text.isascii():
            return falls("what is written is ASCII", kind="constant", at=(module.location(node),))
        odd = next(c for c in text if not c.isascii())
        return stands(
            f"the text written holds U+{ord(odd):04X}, which the encodings of many Windows machines lack or place elsewhere",
            kind="constant",
            at=(module.location(call), module.location(node)),
        )
    path = _project_file(module, project, call, finding.facts.get("text", ""))
    if path is None:
        return cannot_tell("whether text beyond ASCII is ever met here is not to be seen")
    raw = project.read_bytes(path)
    if raw.isascii():
        return cannot_tell(f"`{path}` is ASCII today")
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return cannot_tell(f"`{path}` is not UTF-8")
    return stands(
        f"`{path}` of this project holds UTF-8 beyond ASCII and is read in the machine's encoding",
        kind="constant",
        at=here,
    )


def _written(module: Module, call: ast.Call) -> tuple[ast.expr, str] | None:
    """The literal that this call, or a `write` on the stream it opens, writes."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "write_text" and call.args:
        text = call.args[0]
        return (text, text.value) if isinstance(text, ast.Constant) and isinstance(text.value, str) else None
    stream = next(
        (
            chain(i.optional_vars)
            for w in module.nodes(ast.With)
            for i in w.items
            if i.context_expr is call and i.optional_vars
        ),
        "",
    )
    parent = module.parents.get(call)
    if isinstance(parent, ast.Assign):
        stream = chain(parent.targets[0])
    function = module.enclosing_function(call)
    if not stream or function is None:
        return None
    for node in inside(function.body):
        if isinstance(node, ast.Call) and chain(node.func) == f"{stream}.write" and node.args:
            for part in ast.walk(node.args[0]):
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and not part.value.isascii():
                    return part, part.value
    return None


def _project_file(module: Module, project: Project, call: ast.Call, text: str) -> str | None:
    """The file of the project that is read: beside the module when the path is made from `__file__`, else at the root."""
    source = (
        call.args[0] if call.args and chain(call.func) in {"open", "io.open"} else getattr(call.func, "value", None)
    )
    if source is None:
        return None
    parts = [n.value for n in ast.walk(source) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    beside = any(isinstance(n, ast.Name) and n.id == "__file__" for n in ast.walk(source))
    name = posixpath.join(*parts) if beside and parts else text
    if not name or name.startswith("/"):
        return None
    folder = posixpath.dirname(module.path)
    candidate = posixpath.normpath(posixpath.join(folder, name)) if beside else posixpath.normpath(name)
    if not beside and folder:
        return None
    return candidate if candidate in project.entries else None
