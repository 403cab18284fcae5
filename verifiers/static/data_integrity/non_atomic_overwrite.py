"""non-atomic-overwrite: is it really the live file, is it really read back as state, and would its loss be felt?

Dismisses a file that is renamed into place afterwards or written only when it is missing. Confirms when the reader
parses the content (so that half a file breaks it) and the content is no cache.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.data_integrity.file_use import cache, loader_of, only_if_missing, renamed_away, temporary
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import catcher

_STATE = re.compile(
    r"state|session|config|settings|history|index|store|database|checkpoint|progress|ledger|registry|queue|manifest|profile|account"
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    path = finding.facts.get("path", "")
    function = module.enclosing_function(call)
    rename = renamed_away(module, function, path)
    if rename is not None:
        return falls(
            f"line {rename.lineno} renames it onto the live file once it is whole",
            kind="guard",
            at=(module.location(rename),),
        )
    if only_if_missing(module, call):
        return falls("it is written only when there is no such file yet", kind="guard", at=(module.location(call),))
    if temporary(path):
        return cannot_tell(f"`{path}` speaks of a temporary file")
    try:
        home = project.module(finding.facts.get("reader_path", ""))
    except (KeyError, NotParsed):
        return cannot_tell("the reader cannot be read")
    line = int(finding.facts.get("reader_line", "0"))
    reads = [n for n in home.nodes(ast.Call) if n.lineno == line]
    loaders = [(read, loader) for read in reads if (loader := loader_of(home, read)) is not None]
    if not loaders:
        return cannot_tell("that half a file breaks its reader is not to be seen")
    read, loader = loaders[0]
    symbols = (path, finding.symbol or "", home.symbol(read) or "", module.path, finding.facts.get("key", ""))
    if cache(*symbols):
        return cannot_tell("it speaks of a cache, whose loss costs nothing but time")
    reader, writer = home.enclosing_function(read), function
    if reader is not None and reader is writer and read.lineno > call.lineno:
        return cannot_tell("it is read back by the call that has just written it")
    if finding.facts.get("key", "").startswith("pair:") and not _STATE.search(finding.facts["key"]):
        return cannot_tell("a reader and a writer of any file: whether one is ever state is not to be seen")
    tolerant = catcher(home, loader, "ValueError")
    if tolerant is not None:
        return cannot_tell(
            f"the reader expects broken content (line {tolerant.lineno}); what is lost may be made again"
        )
    return stands(
        f"`{path}` is emptied before it is written; {home.path}:{loader.lineno} parses it back and fails on half a file",
        kind="flow",
        at=(module.location(call), home.location(loader)),
    )
