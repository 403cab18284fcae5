"""docstring-parameter: read once more by indentation, and compared with everything that could take the name."""

import ast
import difflib
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_KEEPS_SIGNATURE = frozenset(
    {"staticmethod", "classmethod", "property", "abc.abstractmethod", "functools.lru_cache", "functools.cache", "functools.wraps",
     "contextlib.contextmanager", "contextlib.asynccontextmanager", "typing.final", "typing.override"}
)  # fmt: skip

_FIELD = re.compile(r":(?:param|parameter|arg|argument)\s+(\w+)\s+(\w+)\s*:")


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms when other described names are parameters of this very function, and no decorator changes what it takes."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the module does not parse")
    function = next((f for _, f in module.functions if f.lineno == finding.line), None)
    if function is None:
        return cannot_tell("there is no function at this place")
    name = finding.facts.get("name", "")
    place = (module.location(function),)
    arguments = function.args
    if arguments.kwarg is not None:
        return falls(f"`**{arguments.kwarg.arg}` takes it", kind="definition", at=place)
    takes = {a.arg for a in ast.walk(arguments) if isinstance(a, ast.arg)}
    if name in takes:
        return falls(f"`{name}` is a parameter", kind="definition", at=place)
    for decorator in function.decorator_list:
        called = module.resolve(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if called not in _KEEPS_SIGNATURE:
            return cannot_tell("a decorator may change what the function takes")
    if any(
        "overload" in ast.unparse(d) for _, f in module.functions if f.name == function.name for d in f.decorator_list
    ):
        return cannot_tell("the function is overloaded")
    text = _prose(ast.get_docstring(function, clean=True) or "")
    if not re.search(rf"\b{re.escape(name)}\b", text):
        return falls(f"only an example in the docstring speaks of `{name}`", kind="syntax", at=place)
    if field := next((m.group(0) for m in _FIELD.finditer(text) if m.group(2) == name and m.group(1) in takes), None):
        return falls(f"`{field}` names a parameter and its type the wrong way round", kind="syntax", at=place)
    beside = _beside(text, name)
    if beside is None:
        return cannot_tell("the word may not be meant as a parameter")
    own = [other for other in beside if other in takes]
    close = difflib.get_close_matches(name, sorted(takes - set(beside)), n=1, cutoff=0.6)
    if close:
        return stands(f"the parameter is called `{close[0]}`", kind="definition", at=place)
    if own:
        return stands(f"`{own[0]}`, described beside it, is a parameter; `{name}` is none", kind="definition", at=place)
    return cannot_tell("none of the described names is a parameter, so the list may be about something else")


def _prose(docstring: str) -> str:
    """The docstring without its examples: what follows `>>>` up to an empty line, and what stands indented after `::`."""
    kept: list[str] = []
    example = False
    literal: int | None = None
    for line in docstring.split("\n"):
        indent = len(line) - len(line.lstrip())
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if literal is not None and line.strip() and indent <= literal:
            literal = None
        if not example and literal is None:
            kept.append(line)
            literal = indent if line.rstrip().endswith("::") else None
    return "\n".join(kept)


def _beside(docstring: str, name: str) -> list[str] | None:
    """First words of the docstring's lines in the form and at the indentation of the line that describes `name`."""
    text = docstring.split("\n")
    forms = (
        r"^(\s*):(?:param|parameter|arg|argument|key\w*)\b[^:]*?\**({0})\s*:",
        r"^(\s*)\**({0})\s*(?:\([^)]*\))?\s*:(?:\s|$)",
        r"^(\s*)\**({0})\s*(?::.*)?$",
    )
    for form in forms:
        wanted = re.compile(form.replace("{{0}}", re.escape(name)).replace("{0}", re.escape(name)))
        every = re.compile(form.replace("{{0}}", r"\w+").replace("{0}", r"\w+"))
        at = next((m for line in text if (m := wanted.match(line))), None)
        if at is not None:
            found = [m for line in text if (m := every.match(line))]
            return [m.group(2) for m in found if len(m.group(1)) == len(at.group(1)) and m.group(2) != name]
    return None
