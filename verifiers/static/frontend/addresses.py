"""endpoint-unknown, endpoint-method, endpoint-name, template-missing: could the name be served or found in a way the finder
does not see?"""

import re

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_DYNAMIC = re.compile(
    r"\bmount\(|\bStaticFiles\(|\bDispatcherMiddleware\b|\badd_url_rule\((?!\s*[\"'])|\bMethodView\b|\bas_view\(|\badd_resource\(|\bRegexConverter\b|"
    r"\bDefaultRouter\(|\bSimpleRouter\(|\binclude\(|\badd_api_route\((?!\s*[\"'])|\badd_route\((?!\s*[\"'])|\bProxyFix\b|@app\.errorhandler\(404|\bmake_handler\b"
)


def unknown(finding: Finding, project: Project) -> Ruling:
    """Confirms an address whose last literal part no Python text spells, in a project whose routes are all literals."""
    url = finding.facts.get("url", "")
    parts = [p for p in url.partition("?")[0].split("/") if p and "{}" not in p]
    if not parts:
        return cannot_tell("the address has no literal part")
    last = parts[-1]
    spelled = _spelled(project, last)
    if spelled is not None:
        return cannot_tell(f"{spelled} spells `{last}`, and may serve it")
    dynamic = _first(project, _DYNAMIC)
    if dynamic is not None:
        return cannot_tell(f"{dynamic} adds routes in a way that is not followed")
    if _proxied(project):
        return cannot_tell("a proxy or another server may serve the address")
    return stands(
        f"no Python code of the project spells `{last}`, and all its routes are literals",
        kind="search",
        at=(finding.location,),
    )


def method(finding: Finding, project: Project) -> Ruling:
    """Confirms when every line that spells the address names other methods, and no further code spells it."""
    url, verb = finding.facts.get("url", ""), finding.facts.get("method", "")
    parts = [p for p in url.partition("?")[0].split("/") if p and "{}" not in p]
    routes = {(r.location.path, r.location.line) for r in finding.related}
    if not parts or not routes:
        return cannot_tell("the address has no literal part")
    for path in project.paths("python", test=False):
        if parts[-1].encode() not in project.read_bytes(path):
            continue
        for number, line in enumerate(project.lines(path), 1):
            if parts[-1] not in line or any(p == path and 0 <= at - number <= 8 for p, at in routes):
                continue
            if re.search(rf"[\"'][^\"']*{re.escape(parts[-1])}[^\"']*[\"']", line):
                return cannot_tell(f"{path}:{number} spells the address too, and may take {verb}")
    if re.search(
        r"_method|HTTP_X_HTTP_METHOD_OVERRIDE|MethodOverride",
        "\n".join(project.text(p) for p in project.paths("python", test=False)[:400]),
    ):
        return cannot_tell("the project may override methods")
    at = tuple(r.location for r in finding.related)
    return stands(f"every route for `{url}` is declared without {verb}", kind="search", at=(finding.location, *at))


def name(finding: Finding, project: Project) -> Ruling:
    """Confirms a name that no Python text of the project spells, where no installed package adds routes."""
    full, simple = finding.facts.get("name", ""), finding.facts.get("simple", "")
    spelled = _first(project, re.compile(rf"\b{re.escape(simple)}\b"), having=simple)
    if spelled is not None:
        return cannot_tell(f"{spelled} spells `{simple}`, and may be the route")
    if ":" in full or re.match(
        r"(?:admin|account|auth|login|logout|password|static|media|debug|security|api|rest)", full
    ):
        return cannot_tell("an installed package may bring the route")
    included = _first(
        project,
        re.compile(
            r"\binclude\(\s*[\"'](?:django|allauth|rest_framework|debug_toolbar|wagtail|oauth)|register_blueprint\(\s*\w+_bp\b"
        ),
    )
    if included is not None:
        return cannot_tell(f"{included} takes in routes of another package")
    foreign = _first(project, re.compile(r"add_url_rule\((?!\s*[\"'])|endpoint\s*=\s*(?![\"'])\w"))
    if foreign is not None:
        return cannot_tell(f"{foreign} adds routes in a way that is not followed")
    return stands(f"no Python code of the project spells `{simple}`", kind="search", at=(finding.location,))


def template(finding: Finding, project: Project) -> Ruling:
    """Dismisses names that a file answers to; confirms names in a folder that holds other templates of the project."""
    wanted = finding.facts.get("template", "")
    place = (finding.location,)
    for path in project.entries:
        if path.endswith(f"/{wanted}") or path == wanted:
            return falls(f"{path} is the template", kind="search", at=(Location(path=path, line=1, end_line=1),))
    if skip := project.left_out_below(wanted, "template"):
        return cannot_tell(f"{skip.path} was left out of the audit: {skip.reason}")
    loader = _first(
        project,
        re.compile(
            r"\bDictLoader\b|\bFunctionLoader\b|\bPackageLoader\b|\bChoiceLoader\b|\bPrefixLoader\b|TemplateNotFound|TemplateDoesNotExist"
        ),
    )
    if loader is not None:
        return cannot_tell(f"{loader} loads templates in a way that is not followed, or expects them to be missing")
    folder = wanted.rpartition("/")[0]
    beside = [
        p
        for p in project.paths("html", test=False)
        if (f"/{folder}/" in f"/{p}" if folder else "/templates/" in f"/{p}")
    ]
    if not beside:
        return cannot_tell("no template of the project is in that folder, so an installed package may bring it")
    return stands(
        f"{beside[0]} is there, and nothing answers to `{wanted}`",
        kind="search",
        at=(*place, Location(path=beside[0], line=1, end_line=1)),
    )


def _spelled(project: Project, word: str) -> Location | None:
    return _first(project, re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])"), having=word)


def _first(project: Project, pattern: re.Pattern[str], *, having: str = "") -> Location | None:
    """The first line of Python code, tests left out, that matches."""
    raw = having.encode()
    for path in project.paths("python", test=False):
        if raw and raw not in project.read_bytes(path):
            continue
        text = project.text(path)
        match = pattern.search(text)
        if match:
            line = text.count("\n", 0, match.start()) + 1
            return Location(path=path, line=line, end_line=line)
    return None


def _proxied(project: Project) -> bool:
    """Whether a file of the project configures a proxy or a second server."""
    names = project.matching(
        "*nginx*", "*vite.config*", "*Caddyfile*", "*docker-compose*", "*compose.y*ml", "*package.json"
    )
    return any(re.search(r"proxy|proxy_pass|reverse_proxy", project.text(path)) for path in names)
