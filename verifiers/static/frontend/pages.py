"""unescaped templates, tokens of forms, ids: what the rest of the project does to the same value, form or element."""

import ast
import re

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.module import Module
from harness.source.page import Page
from harness.source.project import Project
from verifiers.static.frontend.sources import escapes, from_request
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_RENDERS = frozenset({"render_template", "stream_template", "render", "TemplateResponse", "render_to_string"})


def unescaped(finding: Finding, project: Project) -> Ruling:
    """Follows the variable into the views that render the template: confirms what comes from the request."""
    root = finding.facts.get("root", "")
    place = (finding.location,)
    calls = 0
    answers: list[Ruling] = []
    for module in project.modules_matching(re.compile(rb"render|TemplateResponse")):
        for call in module.nodes(ast.Call):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if name not in _RENDERS or not _renders(call, finding.path):
                continue
            calls += 1
            value = _passed(call, root)
            if value is None:
                answers.append(
                    cannot_tell(f"{module.path}:{call.lineno} passes `{root}` in a way that is not followed")
                )
            elif from_request(module, value):
                at = (*place, module.location(value))
                answers.append(
                    stands(f"{module.location(value)} passes `{root}` as it came with the request", kind="flow", at=at)
                )
            elif isinstance(value, ast.Constant) or escapes(module, value):
                answers.append(
                    falls(
                        f"{module.location(value)} passes text that is constant or escaped",
                        kind="flow",
                        at=(module.location(value),),
                    )
                )
            else:
                answers.append(
                    cannot_tell(f"who writes the value that {module.path}:{call.lineno} passes is not known")
                )
    confirmed = next((a for a in answers if a.verdict == "CONFIRMED"), None)
    if confirmed is not None:
        return confirmed
    if answers and all(a.verdict == "DISMISSED" for a in answers):
        return answers[0]
    return (
        answers[0]
        if len(answers) == 1
        else cannot_tell(f"who writes `{root}` is not known from the {calls} renderings in the project")
    )


def _renders(call: ast.Call, path: str) -> bool:
    """Whether a literal argument of the call names this template."""
    texts = [
        a.value
        for a in (*call.args, *(k.value for k in call.keywords))
        if isinstance(a, ast.Constant) and isinstance(a.value, str)
    ]
    return any(text and (path == text or path.endswith(f"/{text}")) for text in texts)


def _passed(call: ast.Call, name: str) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    for argument in (*call.args, *(k.value for k in call.keywords)):
        if isinstance(argument, ast.Dict):
            for key, value in zip(argument.keys, argument.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == name:
                    return value
    return None


_PROTECTS = re.compile(r"\bCSRFProtect\b|\bCsrfViewMiddleware\b|\bCSRFMiddleware\b|\bCsrfProtect\b")
_BY_SCRIPT = re.compile(r"X-CSRF|X-XSRF|csrfToken|csrf[-_]token[\"']\s*\]|htmx:configRequest|ajaxSetup", re.IGNORECASE)


def form(finding: Finding, project: Project) -> Ruling:
    """Confirms a plain form of a project that checks tokens; dismisses forms whose token comes another way."""
    page = Page(finding.path, project.text(finding.path).replace("\r\n", "\n"))
    element = next(
        (e for e in page.elements if e.tag == "form" and (e.line, e.column) == (finding.line, finding.column)), None
    )
    place = (finding.location,)
    if element is None:
        return cannot_tell("there is no form at this place")
    body = page.text[element.offset : element.end_offset]
    if re.search(r"csrf|hidden_tag", body, re.IGNORECASE):
        return falls("the form holds a token", kind="search", at=place)
    called = re.search(
        r"\{%-?\s*(?:include|call|import)|\{\{-?\s*(?:\w+\.)*\w*(?:form|field|input|token)\w*\s*[(|}]", body
    )
    if called:
        return cannot_tell("a macro, an include or a form object prints parts of the form")
    for other in project.paths("html", "javascript", "typescript", test=False):
        if _BY_SCRIPT.search(project.text(other)):
            return cannot_tell(f"{other} sends a token by script, and may do so for this form")
    for module in project.modules_matching(re.compile(rb"csrf|CSRF|Csrf|\.exempt\(")):
        text = module.text
        if "csrf_exempt" in text or ".exempt(" in text:
            return cannot_tell(f"{module.path} exempts views from the check")
        match = _PROTECTS.search(text)
        if match:
            at = Location(
                path=module.path,
                line=text.count("\n", 0, match.start()) + 1,
                end_line=text.count("\n", 0, match.start()) + 1,
            )
            return stands(f"{at} checks tokens, so posting this form is refused", kind="guard", at=(*place, at))
    return cannot_tell("whether the server checks tokens is not seen in the project")


def twice(finding: Finding, project: Project) -> Ruling:
    """Confirms two elements with no template branch between them that could leave one out."""
    page = Page(finding.path, project.text(finding.path).replace("\r\n", "\n"))
    name = finding.facts.get("id", "")
    same = [e for e in page.elements if e.attributes.get("id") == name]
    here = next((e for e in same if (e.line, e.column) == (finding.line, finding.column)), None)
    if here is None or len(same) < 2:
        return cannot_tell("the page has not two such elements")
    first = same[0]
    for tag in page.tags:
        if tag.kind == "%" and re.match(
            r"(?:if|elif|else|endif|for|endfor|block|endblock|macro|endmacro|call|switch|case)\b", tag.text
        ):
            at = Location(path=page.path, line=tag.line, end_line=tag.line, column=tag.column)
            if first.offset < tag.offset < here.offset:
                return falls(
                    f"line {tag.line} begins another branch, so a reader may get only one of the two",
                    kind="guard",
                    at=(at,),
                )
            if re.match(r"(?:macro|for)\b", tag.text):
                return cannot_tell("the page has loops or macros")
    if any(
        e.tag in {"template", "noscript", "svg"} and e.offset < o.offset < e.end_offset
        for e in page.elements
        for o in (first, here)
    ):
        return cannot_tell("one of the two is inside an element that is not shown as it is")
    both = (Location(path=page.path, line=first.line, end_line=first.line, column=first.column), finding.location)
    return stands(f"lines {first.line} and {here.line} are both always in the page", kind="syntax", at=both)


def missing(finding: Finding, project: Project) -> Ruling:
    """Dismisses look-ups that expect null; confirms when the id stands nowhere else and its result is used at once."""
    name = finding.facts.get("id", "")
    place = (finding.location,)
    lines = project.lines(finding.path)
    line = lines[finding.line - 1]
    after = line[finding.column - 1 :]
    used = re.match(r"document\.(?:getElementById|querySelector)\([^)]*\)(\?)?\.", after)
    if used and used.group(1):
        return falls("the script expects that the element may be missing", kind="guard", at=place)
    bound = re.search(r"(?:const|let|var)\s+(\w+)\s*=\s*$", line[: finding.column - 1])
    if bound and re.search(rf"if\s*\(\s*!?\s*{bound.group(1)}\b|{bound.group(1)}\s*(?:\?\.|&&)", "\n".join(lines)):
        return falls("the script asks whether the element is there", kind="guard", at=place)
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for path in project.paths("html", "javascript", "typescript", "python", "markdown", "rst", "text", "json", "css"):
        if name.encode() not in project.read_bytes(path):
            continue
        for number, text in enumerate(project.lines(path), 1):
            if (
                word.search(text)
                and (path, number) != (finding.path, finding.line)
                and not re.search(r"getElementById|querySelector", text)
            ):
                return cannot_tell(f"{path}:{number} spells the id, and may make the element")
    every = "\n".join(
        project.text(p)
        for p in project.paths("html", "python", "javascript", test=False)
        if project.entries[p].size < 300_000
    )
    if re.search(r"""id=["']?[^"'\s>]*\{[{%]|\bid_\w|auto_id|\.id\s*=|setAttribute\(["']id""", every):
        return cannot_tell("ids are put together somewhere in the project")
    if used:
        return stands(f"`{name}` stands nowhere else, and the result is used at once", kind="search", at=place)
    return cannot_tell("what the script does with the result is not followed")


def variable(finding: Finding, project: Project) -> Ruling:
    """Confirms a variable that nothing could add: no context processor, global, default or test for it."""
    name = finding.facts.get("variable", "")
    text = project.text(finding.path)
    place = (finding.location, *(r.location for r in finding.related))
    guarded = re.search(
        rf"\b{re.escape(name)}\b[^%}}]*\bis\s+(?:not\s+)?defined|\b{re.escape(name)}\b(?:\.\w+)*\s*\|\s*default|\{{%-?\s*if\s+(?:not\s+)?{re.escape(name)}\b",
        text,
    )
    if guarded:
        line = text.count("\n", 0, guarded.start()) + 1
        at = Location(path=finding.path, line=line, end_line=line)
        return falls(f"line {line} provides for its absence", kind="guard", at=(at,))
    for module in project.modules_matching(re.compile(rb"context_processor|template_global|globals|template_context")):
        if re.search(
            r"context_processor|template_global|\.globals\b|template_context_processors|add_template_global|update_template_context",
            module.text,
        ):
            return cannot_tell(f"{module.path} adds variables to every template")
    if "{% extends" in text or "{%- extends" in text:
        return cannot_tell("the template it extends may set the variable")
    if not _literal_calls(project, finding.facts.get("template", "")):
        return cannot_tell("some rendering passes variables in a way that is not followed")
    return stands(f"no rendering passes `{name}`, and nothing adds it to templates", kind="search", at=place)


def _literal_calls(project: Project, template: str) -> bool:
    """Whether every mention of the template in Python is the first argument of a rendering call with keywords only."""
    for module in project.modules_matching(re.compile(re.escape(template.encode()))):
        for node in module.nodes(ast.Constant):
            if node.value == template and not _plain(module, node):
                return False
    return True


def _plain(module: Module, node: ast.Constant) -> bool:
    call = module.parents.get(node)
    return (
        isinstance(call, ast.Call)
        and bool(call.args)
        and call.args[0] is node
        and len(call.args) == 1
        and all(k.arg for k in call.keywords)
    )
