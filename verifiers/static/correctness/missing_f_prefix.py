"""missing-f-prefix: does the text go straight to a reader, with every name in it bound there, and formatted by nobody?"""

import ast
import re
import string

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.reading import arguments_of, binds, chain, inside_all, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

SHOWN = re.compile(r"^(print|echo|secho|debug|info|warning|warn|error|exception|critical|fail|write|log)$")
LATER = re.compile(r"format|template|translate|gettext|route|url|path|pattern|regex|compile|sub$", re.IGNORECASE)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms texts of raised exceptions and of print, log and warning calls; dismisses those that are formatted."""
    module = module_of(finding, project)
    text = _text_at(module, finding) if module else None
    function = module.enclosing_function(text) if module and text else None
    if module is None or text is None or function is None:
        return cannot_tell("there is no such text in a function at this place")
    place = (module.location(text),)
    child: ast.AST = text
    shown = ""
    for up in module.ancestors(text):
        if isinstance(up, ast.JoinedStr):
            return falls("it is part of an f-string", kind="syntax", at=place)
        if isinstance(up, ast.Attribute) and LATER.search(up.attr):
            return falls(f"`.{up.attr}` fills the places", kind="syntax", at=place)
        if isinstance(up, ast.Call) and child in [*up.args, *up.keywords]:
            if LATER.search(tail(up.func)):
                return falls(f"`{tail(up.func)}` takes a template", kind="syntax", at=place)
            raised = isinstance(module.parents.get(up), ast.Raise)
            shown = shown or ("raise" if raised else tail(up.func) if SHOWN.match(tail(up.func)) else "?")
        if isinstance(up, ast.stmt):
            break
        child = up
    try:
        names = [name for _, name, _, _ in string.Formatter().parse(str(text.value)) if name is not None]
    except ValueError:
        return cannot_tell("the braces do not balance")
    if any(not name.isidentifier() for name in names):
        return cannot_tell("some braces hold no name")
    bound = set(arguments_of(function))
    for name in names:
        if name not in bound and not any(binds(s, name) for s in inside_all(function.body) if isinstance(s, ast.stmt)):
            return falls(f"`{name}` is not bound in the function", kind="definition", at=place)
    if shown in {"", "?"}:
        return cannot_tell("the text may be formatted where it goes")
    if given := _given(module, text, names):
        return cannot_tell(f"the call is given `{given}` beside the text, and may fill it in")
    if chain_of_loguru(module):
        return cannot_tell("the module logs with a library that fills braces itself")
    return stands(f"`{shown}` shows the braces as they stand", kind="syntax", at=place)


def _text_at(module: Module, finding: Finding) -> ast.Constant | None:
    for node in module.nodes(ast.Constant):
        if (
            node.lineno == finding.line
            and isinstance(node.value, str)
            and module.location(node).column == finding.column
        ):
            return node
    return None


def _given(module: Module, text: ast.Constant, names: list[str]) -> str | None:
    """The first of `names` that a call around the text is also given: as a keyword, a key of a dict, or a variable."""
    for call in module.ancestors(text):
        if isinstance(call, ast.stmt):
            break
        for part in [*call.args, *call.keywords] if isinstance(call, ast.Call) else []:
            for node in ast.walk(part):
                spelled = getattr(node, "arg", None) or getattr(node, "id", None) or getattr(node, "value", None)
                if node is not text and spelled in names:
                    return str(spelled)
    return None


def chain_of_loguru(module: Module) -> bool:
    """Whether the module's logger is loguru's or structlog's, which format braces from keywords."""
    return any(target.partition(".")[0] in {"loguru", "structlog"} for target in module.imports.values()) or any(
        k.arg == "style"
        for k in module.nodes(ast.keyword)
        if chain(k.value) == "" and isinstance(k.value, ast.Constant)
    )
