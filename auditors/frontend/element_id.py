"""duplicate-id and element-missing: ids of elements, in pages and in the scripts that look for them.

Why: of two elements with one id a script finds the first; of a missing one it finds null, and the next access ends in
TypeError, after which the rest of the script does not run.

Example: `document.getElementById("total").textContent = sum` where the page's element is called `sum`.

What it cannot see: ids that scripts or templates put together.
"""

import re
from collections.abc import Iterator

from auditors.frontend.places import claim, pages, scripts
from harness.contracts import Check
from harness.schema.finding import AbsenceSearch, Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.page import Element
from harness.source.project import Project

TWICE = Rule(id="duplicate-id", group="frontend", title="Two elements with one id", severity=Severity.LOW, page=__doc__)
MISSING = Rule(
    id="element-missing",
    group="frontend",
    title="Script that looks for an element nobody makes",
    severity=Severity.LOW,
    page=__doc__,
)


def check(project: Project) -> Iterator[Claim]:
    """Double ids by page, then missing elements by script."""
    ids: set[str] = set()
    every = list(pages(project))
    for page in every:
        first: dict[str, Element] = {}
        for element in page.elements:
            name = element.attributes.get("id", "")
            if not name or re.search(r"\{[{%]", name):
                continue
            ids.add(name)
            if name in first:
                other = first[name]
                earlier = Location(path=page.path, line=other.line, end_line=other.line, column=other.column)
                yield claim(
                    TWICE,
                    project,
                    page.path,
                    element.line,
                    element.column,
                    scenario=f"A script or label that means `#{name}` always gets the element in line {other.line}, "
                    "never this one.",
                    fix="Give one of the two another id.",
                    facts={"id": name},
                    related=(RelatedLocation(role="sibling", location=earlier, message="the same id"),),
                )
            first.setdefault(name, element)
    if not every:
        return
    for script in scripts(project):
        for call in script.nodes("call_expression"):
            function = script.text(call.child_by_field_name("function"))
            arguments = call.child_by_field_name("arguments")
            given = arguments.named_children if arguments else []
            text = script.literal(given[0]) if given else None
            if function == "document.getElementById" and text:
                name = text
            elif function == "document.querySelector" and text and re.fullmatch(r"#[\w-]+", text):
                name = text[1:]
            else:
                continue
            if name in ids:
                continue
            place = script.place(call)
            pattern = rf"""\bid\s*=\s*["']?{re.escape(name)}["'\s>]"""
            globs = ("*.html", "*.htm", "*.jinja", "*.jinja2", "*.j2")
            yield claim(
                MISSING,
                project,
                script.path,
                place.line,
                place.column,
                scenario=f"The script finds null instead of `#{name}`, because no page of the project has such an element.",
                fix="Look for the id that the page has, or drop the code.",
                facts={"id": name},
                absence=AbsenceSearch(pattern=pattern, paths=globs, expected=0)
                if not _counted(project, pattern, globs)
                else None,
            )


def _counted(project: Project, pattern: str, globs: tuple[str, ...]) -> int:
    search = re.compile(pattern)
    return sum(1 for path in project.matching(*globs) for line in project.lines(path) if search.search(line))


CHECK = Check(rules=(TWICE, MISSING), project=check)
