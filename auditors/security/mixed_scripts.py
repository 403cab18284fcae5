"""mixed-script-identifier: a name written with letters of two alphabets that look alike.

Why: `раssword` with a Cyrillic `а` is another name than `password`; a reader sees one variable and the program has two. A
reviewed check can thus be made to look at the wrong thing (CVE-2021-42694).

Example:

    if is_аdmin:        # the first "a" is Cyrillic
        grant()

What it cannot see: a name written wholly in another alphabet, look-alikes within one alphabet (`l` and `1`), and text in strings.
"""

import ast
import unicodedata
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="mixed-script-identifier",
    group="security",
    title="Name in two alphabets",
    severity=Severity.MEDIUM,
    cwe=1007,
    page=__doc__,
)


def scripts(name: str) -> set[str]:
    """Alphabets of the letters of a name, by their Unicode names: LATIN, CYRILLIC, GREEK ..."""
    return {unicodedata.name(c, "?").split(" ")[0] for c in name if c.isalpha()}


def check(module: Module, project: Project) -> Iterator[Claim]:
    """The first use of each name that has Latin letters beside Cyrillic, Greek, Armenian or Cherokee ones."""
    del project
    if module.text.isascii():
        return
    seen: set[str] = set()
    nodes = module.nodes(ast.Name, ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Attribute)
    for node in sorted(nodes, key=lambda n: (getattr(n, "lineno", 0), getattr(n, "col_offset", 0))):
        name = next(str(v) for v in (getattr(node, a, None) for a in ("id", "arg", "name", "attr")) if v)
        if name.isascii() or name in seen or not {"LATIN"} < scripts(name):
            continue
        foreign = [c for c in name if c.isalpha() and scripts(c) & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"}]
        if not foreign:
            continue
        seen.add(name)
        shown = ", ".join(f"U+{ord(c):04X} {unicodedata.name(c, '').lower()}" for c in dict.fromkeys(foreign))
        yield module.claim(
            RULE,
            node,
            scenario=f"The name `{name}` holds {shown} among Latin letters: whoever reads it takes it for another name, "
            "and a check or assignment in review looks right and is not.",
            fix="Write the name in one alphabet.",
            facts={"name": name},
        )


CHECK = Check(rules=(RULE,), module=check)
