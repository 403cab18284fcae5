"""form-without-token: a form that posts, without the token that other forms of the project have.

Why: where the server checks the token, the form is refused for everybody; where it does not, any other site can send it
in the name of a user who is logged in.

Example: `<form method="post">` without `{% csrf_token %}` (Django) or `{{ form.hidden_tag() }}` (Flask-WTF).

What it cannot see: tokens that a script adds.
"""

import re
from collections.abc import Iterator

from auditors.frontend.places import claim, pages
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.page import Element, Page
from harness.source.project import Project

RULE = Rule(
    id="form-without-token",
    group="frontend",
    title="Form without its token",
    severity=Severity.MEDIUM,
    cwe=352,
    page=__doc__,
)
TOKEN = re.compile(r"csrf|hidden_tag\(|authenticity_token|xsrf|form_token", re.IGNORECASE)


def check(project: Project) -> Iterator[Claim]:
    """Forms by file and place, when at least one other form has a token."""
    without: list[tuple[Page, Element]] = []
    sibling: RelatedLocation | None = None
    for page in pages(project):
        for element in page.elements:
            if element.tag != "form" or element.attributes.get("method", "").strip().lower() != "post":
                continue
            if TOKEN.search(page.text[element.offset : element.end_offset]):
                place = Location(path=page.path, line=element.line, end_line=element.line, column=element.column)
                sibling = sibling or RelatedLocation(role="sibling", location=place, message="this form has the token")
            elif not re.match(r"\s*(?:https?:)?//", element.attributes.get("action", "")):
                without.append((page, element))
    if sibling is None:
        return
    for page, element in without:
        yield claim(
            RULE,
            project,
            page.path,
            element.line,
            element.column,
            scenario=f"A page of another site can post this form in the name of a logged-in user, or the server "
            f"refuses it: it lacks the token that the form in {sibling.location} has.",
            fix="Add the token, as in the other form.",
            facts={"action": element.attributes.get("action", "")},
            related=(sibling,),
        )


CHECK = Check(rules=(RULE,), project=check)
