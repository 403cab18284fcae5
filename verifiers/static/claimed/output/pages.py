"""What a template does with what it is given: claims at templates, at engines, and at the views that render them."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.page import Page
from harness.source.project import Project
from verifiers.static.claimed.output import databases, renderings, scripts
from verifiers.static.claimed.output.kept import once
from verifiers.static.claimed.output.origin import FIXED, OUTSIDER, STORED, Origin
from verifiers.static.claimed.output.prints import ESCAPED, LINK, SCRIPT, Printed, printed
from verifiers.static.claimed.output.renderings import Rendering
from verifiers.static.claimed.output.spot import CLOSE
from verifiers.static.claimed.output.trace import Trace
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


class Shown(NamedTuple):
    """A variable, the template that prints it, and the rendering that fills it."""

    path: str
    printed: Printed
    rendering: Rendering

    @property
    def at(self) -> Location:
        return Location(path=self.path, line=self.printed.line, end_line=self.printed.line)


def falsify(finding: Finding, project: Project) -> Ruling:
    """A claim at a template: by what is printed on its line, and where that is nothing, by what is printed beside it."""
    page = Page(finding.path, project.text(finding.path).replace("\r\n", "\n"))
    trace = Trace(project)
    shown = _shown_in(trace, page)
    near = [s for s in shown if abs(s.printed.line - finding.line) <= CLOSE]
    near.sort(key=lambda s: (abs(s.printed.line - finding.line), s.printed.line))
    on_line = [s for s in near if s.printed.line == finding.line]
    rulings = [(s, r) for s in near if (r := ruling(trace, s)) is not None]
    if near and not rulings:
        return cannot_tell(f"what `{near[0].printed.root}` is is not found in the code that renders this template")
    roots = {s.printed.root for s in on_line}
    confirmed = next(
        (r for s, r in rulings if r.verdict == "CONFIRMED" and (not roots or s.printed.root in roots)), None
    )  # what another line prints is meant only where this one prints nothing else
    script = scripts.falsify_page(finding, project, page)
    if confirmed is not None or script.verdict == "CONFIRMED":
        return confirmed or script
    own = [r for s, r in rulings if s in on_line] or [r for _, r in rulings]
    open_ = next((r for r in own if r.verdict == "UNCERTAIN"), None)
    if open_ is not None:
        return open_
    if own:
        return own[0]
    if not any(abs(t.line - finding.line) <= CLOSE for t in page.tags if t.kind == "{"):
        if script.verdict == "UNCERTAIN":
            return script
        if _prints_otherwise(page, finding.line):
            return cannot_tell("what is printed here is not written as a variable of Jinja or Django")
        return falls(
            "nothing is printed here: this part of the template is constant", kind="search", at=(finding.location,)
        )
    return cannot_tell("no rendering of this template is found in the project")


_OTHER_WRITINGS = re.compile(r"\$\{|<%|\{!!|#\{|v-html|ng-bind|innerHTML|th:utext|dangerouslySet")
_SILENT = re.compile(
    r"(?:if|elif|else|endif|for|endfor|empty|block|endblock|extends|load|static|url|csrf_token|comment|endcomment|with|endwith|set|"
    r"macro|endmacro|autoescape|endautoescape|raw|endraw|verbatim|endverbatim|trans|blocktrans\w*|endblocktrans\w*|import|from|spaceless|"
    r"endspaceless|now)\b"
)
"""Tags that print nothing, or nothing but the program's own."""


def _prints_otherwise(page: Page, line: int) -> bool:
    """Whether something near the line may print in a way that is not read here: a tag of the project, another engine."""
    near = page.text.split("\n")[max(0, line - 1 - CLOSE) : line + CLOSE]
    if any(_OTHER_WRITINGS.search(text) for text in near):
        return True
    return any(t.kind == "%" and abs(t.line - line) <= CLOSE and not _SILENT.match(t.text) for t in page.tags)


def _shown_in(trace: Trace, page: Page) -> list[Shown]:
    """What a page prints, for each rendering that sends it, itself or as part of another."""
    found: list[Shown] = []
    for rendering in renderings.renderings(trace.project):
        if page.path in _family(trace.project, rendering.template):  # it is sent as part of that one
            escapes = rendering.autoescape is not False
            found += [Shown(page.path, p, rendering) for p in printed(page, autoescape=escapes)]
    return found[:400]


@once
def _families(project: Project) -> dict[str, list[str]]:
    """Answers of `_family` about one project."""
    del project
    return {}


def _family(project: Project, path: str) -> list[str]:
    known = _families(project)
    if path not in known:
        known[path] = renderings.family(project, path)
    return known[path]


def rendered(trace: Trace, made: Iterable[Rendering]) -> list[Shown]:
    """What templates print of what renderings give them."""
    found: list[Shown] = []
    for rendering in made:
        passed = {name for name, _ in rendering.values}
        for path in _family(trace.project, rendering.template):
            page = Page(path, trace.project.text(path).replace("\r\n", "\n"))
            prints = printed(page, autoescape=rendering.autoescape is not False)
            found += [Shown(path, p, rendering) for p in prints if path == rendering.template or p.root in passed]
    return found[:400]


def ruling(trace: Trace, shown: Shown) -> Ruling | None:
    """Whether what is printed is a client's, and not escaped; None when the rendering does not pass it."""
    origins = [_column(o, shown.printed) for o in renderings.values(trace, shown.rendering, shown.printed.root)]
    rendering, text = shown.rendering, shown.printed.text
    where = Location(path=rendering.path, line=rendering.line, end_line=rendering.line)
    if not origins:
        return None
    if shown.printed.state == ESCAPED and rendering.autoescape is not None:
        return falls(f"`{text}` is escaped when it is printed", kind="guard", at=(shown.at,))
    unsafe = (
        "escaping does not help inside a script" if shown.printed.state == SCRIPT else "it is printed without escaping"
    )
    unknown: str | None = None
    for origin in origins:
        source = hostile(trace, origin)
        if source is not None and shown.printed.state not in {LINK, ESCAPED}:
            places = [source.at, where, shown.at, *([rendering.switch] if rendering.switch is not None else [])]
            how = "is stored and shown to others" if origin.kind == STORED else f"reaches `{shown.printed.root}`"
            return stands(
                f"{source.what} {how} in `{{{{ {text} }}}}` of {shown.path}, and {unsafe}",
                kind="flow",
                at=tuple(dict.fromkeys(places)),
            )
        if source is None and not harmless(trace, origin):
            unknown = unknown or origin.what
        if source is not None:
            unknown = f"an address that {source.what} decides whole"
    if unknown is not None:
        return cannot_tell(f"who writes {unknown} is not known")
    stored = next((o for o in origins if o.kind == STORED), None)
    if stored is not None:
        return falls(
            f"`{text}` is read from `{stored.what}`, into which the project writes nothing of a client", kind="search",
            at=(stored.at, where, shown.at),
        )  # fmt: skip
    return falls(f"no client decides what `{text}` prints", kind="constant", at=(where, shown.at))


def _column(origin: Origin, one: Printed) -> Origin:
    if origin.kind != STORED or origin.column:
        return origin
    if one.field:
        return replace(origin, column=one.field)
    if one.position is not None and one.position < len(origin.columns):
        return replace(origin, column=origin.columns[one.position])
    return origin


def hostile(trace: Trace, origin: Origin) -> Origin | None:
    """The client's value behind an origin: itself, or what is written into the column it is read from."""
    if origin.kind == STORED and not origin.marks & {"escaped", "number"}:
        return next((o for o in databases.writers(trace, origin)[0] if markup(o)), None)
    return origin if markup(origin) and "header" not in origin.marks else None  # no other site sets a visitor's headers


def markup(origin: Origin) -> bool:
    """Whether a client gets a tag through."""
    return origin.hostile and not origin.marks & {"escaped", "quoted", "encoded"}


def harmless(trace: Trace, origin: Origin) -> bool:
    """Whether no client gets a tag through, for sure."""
    if origin.kind == FIXED or origin.marks & {"escaped", "number"}:
        return True
    if origin.kind == OUTSIDER:
        return bool(origin.marks & {"quoted"})
    if origin.kind == STORED:
        origins, places = databases.writers(trace, origin)
        if not places:
            return bool(databases.written(trace.project)) and not _written_otherwise(trace, origin)
        return all(harmless(trace, o) for o in origins if o.kind != STORED)
    return False


def _written_otherwise(trace: Trace, origin: Origin) -> bool:
    """Whether the project writes the table at all, in a way that was not read column by column."""
    return any(w.table == origin.what or "." in w.table for w in databases.written(trace.project)) or "." in origin.what


TEMPLATES = re.compile(r"\.(?:html?|jinja2?|j2|tpl|xhtml|mako)$")
