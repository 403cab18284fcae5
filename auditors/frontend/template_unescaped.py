"""template-unescaped: a template prints a value without escaping it.

Why: when the value holds text from outside, its markup and scripts run in the browser of whoever looks at the page.

Example: `{{ comment.text|safe }}`, `{% autoescape false %}{{ name }}{% endautoescape %}`.

What it cannot see: who wrote the value; the verifier follows it into the view that renders the template.
"""

import re
from collections.abc import Iterator

from auditors.frontend.places import claim, pages
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.page import TemplateTag
from harness.source.project import Project

RULE = Rule(
    id="template-unescaped",
    group="frontend",
    title="Value printed without escaping",
    severity=Severity.MEDIUM,
    cwe=79,
    page=__doc__,
)
_SAFE = re.compile(r"\|\s*(?:safe|safeseq)\b")
_OFF = re.compile(r"^autoescape\s+(?:off|false)\b")
_HARMLESS = re.compile(
    r"\|\s*(?:tojson|json_script|escape|e|forceescape|urlencode|length|int|float|linenumbers|striptags)\b|^(?:super|caller|url_for|csrf\w*|form\b|_|gettext)\b|^[\"'\d]"
)


def check(project: Project) -> Iterator[Claim]:
    """Tags by file and place."""
    for page in pages(project):
        if not page.elements:
            continue  # a plain text, such as a mail
        off = 0
        for tag in page.tags:
            if tag.kind == "%":
                off += 1 if _OFF.match(tag.text) else 0
                off -= 1 if off and tag.text.startswith("endautoescape") else 0
                continue
            raw = bool(_SAFE.search(tag.text))
            if not raw and not off:
                continue
            if _HARMLESS.search(_value(tag)) or (off and re.search(r"\|\s*(?:e|escape|force_?escape)\b", tag.text)):
                continue
            yield claim(
                RULE,
                project,
                page.path,
                tag.line,
                tag.column,
                scenario=f"When `{_value(tag)}` holds text from outside, for instance `<script>`, it runs in the reader's browser: "
                + ("the filter switches escaping off." if raw else "escaping is switched off around it."),
                fix="Let the template escape the value; clean it in the view when it must be HTML.",
                facts={"value": _value(tag), "root": re.split(r"[^\w]", _value(tag))[0]},
            )


def _value(tag: TemplateTag) -> str:
    return _SAFE.sub("", tag.text).strip()


CHECK = Check(rules=(RULE,), project=check)
