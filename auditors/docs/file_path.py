"""doc-path: a document names a file of the project that is not there.

Why: the command fails, or the reader looks for a file that nobody has.

Example: CONTRIBUTING says `pip install -r requirements/dev.txt` and the file is called `requirements/development.txt`.

Only paths with a folder that the project has are looked at, in code spans and shell blocks of documents at the root, of
CONTRIBUTING files and of agents' instructions.

What it cannot see: files that a build makes, unless the project's ignore rules name them.
"""

import re
from collections.abc import Iterator

from auditors.docs.cli_option import SHELL
from auditors.docs.documents import claim, documents
from harness.contracts import Check
from harness.schema.finding import AbsenceSearch, Claim, Rule, Severity
from harness.source.project import Project

RULE = Rule(id="doc-path", group="docs", title="Documented file that is not there", severity=Severity.LOW, page=__doc__)
LINE_CAP = 500
"""Characters of a line that are looked at."""
_PATH = re.compile(r"(?<![\w./~$@{<:*-])(?:\./)?((?:[\w.-]+/)+[\w.-]+\.[A-Za-z]{1,8})(?![\w/*{<$(])")


def check(project: Project) -> Iterator[Claim]:
    """Paths by document and line."""
    known = set(project.entries)
    folders = {path.rpartition("/")[0] for path in known}
    tops = {path.partition("/")[0] for path in known if "/" in path}
    for document in documents(project):
        if "/" in document.path and not re.search(r"contributing|agents|claude|develop", document.path, re.IGNORECASE):
            continue
        places = [(span.line, span.column, span.text) for span in document.spans if not span.role]
        places += [
            (n, 1, t)
            for b in document.blocks
            if b.language in SHELL - {"", "text"}
            for n, t in enumerate(b.lines, b.line)
        ]
        said: set[str] = set()
        for line, column, text in sorted(places):
            for match in _PATH.finditer(text[:LINE_CAP]):
                path = match.group(1)
                if path in known or path in said or path.split("/")[0] not in tops or path in folders:
                    continue
                said.add(path)
                yield claim(
                    RULE,
                    project,
                    document.path,
                    line,
                    column=column + match.start(1),
                    scenario=f"A reader who looks for `{path}`, as told here, does not find it.",
                    fix="Name the file as it is called now, or remove the passage.",
                    facts={"path": path},
                    absence=AbsenceSearch(pattern="", paths=(path,), expected=0),
                )


CHECK = Check(rules=(RULE,), project=check)
