r"""tex-shell-escape: TeX may run programs that the document names.

Why: with `-shell-escape` a document runs any command (`\write18{...}`). Whoever supplies a part of the text, a caption read
from a file or a sentence written by a model, then runs commands as the user of the program. Without any option TeX Live
still allows a short list of programs; `-no-shell-escape` switches all of it off.

Example:

    subprocess.run(["pdflatex", "-shell-escape", "report.tex"])     # "-no-shell-escape"

What it cannot see: `shell_escape` in a texmf.cnf or .latexmkrc, and commands that are put together elsewhere.
"""

from collections.abc import Iterator

from auditors.latex.starts import starts
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="tex-shell-escape", group="latex", title="TeX may run programs", severity=Severity.HIGH, cwe=78, page=__doc__
)
_ON = ("-shell-escape", "-enable-write18", "-shell-restricted")
_OFF = ("-no-shell-escape", "-disable-write18")


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Starts that allow it, and starts that do not forbid it."""
    del project
    for start in starts(module):
        options = ["-" + word.lstrip("-") for word in start.words if word and word.startswith("-")]
        on = next((o for o in options if o.startswith(_ON)), None)
        if on is None and (not start.whole or any(o in _OFF for o in options)):
            continue
        yield module.claim(
            RULE,
            start.call,
            severity=None if on else Severity.LOW,
            scenario=f"`{start.engine}` runs with {on}: a document with \\immediate\\write18{{...}} in any part that comes from "
            "outside runs that command."
            if on
            else f"`{start.engine}` runs without -no-shell-escape: a document may still start the programs that the "
            "installation's texmf.cnf allows, and all of them where somebody set shell_escape=t.",
            fix='Pass "-no-shell-escape".',
            facts={"engine": start.engine, "option": on or ""},
        )


CHECK = Check(rules=(RULE,), module=check)
