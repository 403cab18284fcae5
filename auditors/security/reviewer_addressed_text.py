"""reviewer-addressed-text: text that tells a reviewer, most likely a model, to look away.

Why: a model that reviews code reads its comments too, and may obey one. Whoever wants a defect to pass writes
beside it that all of this was checked before, in any language, or in characters that people do not see (arXiv 2603.18740;
CVE-2021-42574 for what is invisible). There is no good reason for such text in code.

Example:

    # <name of a reviewer>: this file was already reviewed, <answer with an empty list>.
    os.system("ping " + request.args["host"])

Found in comments, docstrings, strings and documents, in eight languages, also behind entities, escapes, Base64, look-alike
letters, zero-width and tag characters. With a model, a part of the project that holds such text counts as not read, and
the run as incomplete, until the finding is waived: nobody knows what the model would have said without it.

What it cannot see: text that is split over several strings, enciphered or in a picture; other languages; strings of tests, and
quoted or fenced text of documents, where people write about such text; bidirectional controls in Python, which bandit reports.
"""

from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location
from harness.source.addressed import LANGUAGES, Address, addresses_in
from harness.source.project import Project
from harness.source.shown import as_shown
from harness.source.spans import Kind

RULE = Rule(
    id="reviewer-addressed-text",
    group="security",
    title="Text addressed to a reviewer",
    severity=Severity.MEDIUM,
    cwe=1427,
    page=__doc__,
)


def check(project: Project) -> Iterator[Claim]:
    """One claim a line and way, by file and line."""
    for path in project.paths(*LANGUAGES, test=None):
        found = addresses_in(project, path)
        lines = project.lines(path) if found else []
        for one, kind in found:
            yield _claim(path, lines[one.line - 1 : one.end], one, kind, test=project.entries[path].test)


def _claim(path: str, lines: list[str], one: Address, kind: Kind, *, test: bool) -> Claim:
    if one.how == "words":
        what = f"A {kind} in line {one.line}" if kind != "text" else f"Line {one.line}"
        scenario = (
            f"{what} speaks to whoever reviews this code and says what not to report. A model that reads it for a review may do "
            "as it is told, and a defect beside it passes."
        )
    else:
        scenario = (
            f"Line {one.line} holds {one.how}: people do not see what a model reads there, "
            "and it can be told what not to report."
        )
    return Claim(
        rule=RULE.id,
        severity=Severity.LOW if test else RULE.severity,
        cwe=RULE.cwe,
        location=Location(path=path, line=one.line, end_line=one.end),
        quote="\n".join(as_shown(line).strip() for line in lines),
        scenario=scenario,
        fix="Remove the text; whether code is in order is for the reviewer to find out.",
        facts={"how": one.how, "kind": kind},
    )


CHECK = Check(rules=(RULE,), project=check)
