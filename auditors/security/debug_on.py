"""debug-on: the interactive debugger, or debug pages, reachable in production.

Why: Flask's debugger runs any code that is typed into it; Django's debug page shows settings and source.

Example:

    app.run(host="0.0.0.0", debug=True)
    app.run(debug=os.environ.get("FLASK_DEBUG") == "1")   # instead

What it cannot see: debug switches in configuration files or in the environment.
"""

import ast
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(id="debug-on", group="security", title="Debug mode is on", severity=Severity.MEDIUM, cwe=489, page=__doc__)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`.run(debug=True)` of a web application, and `DEBUG = True` in a Django settings module."""
    del project
    if module.test:
        return
    web = any(t.partition(".")[0] in {"flask", "bottle", "quart", "dash", "connexion"} for t in module.imports.values())
    for call in module.nodes(ast.Call):
        if not web and not any(k.arg == "host" for k in call.keywords):
            continue
        debug = next((k.value for k in call.keywords if k.arg == "debug"), None)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "run" and _true(debug):
            yield _claim(
                module, call, "Everybody who reaches the port gets the interactive debugger after the next error."
            )
    if "INSTALLED_APPS" in module.definitions:
        statement = module.definitions.get("DEBUG")
        if isinstance(statement, ast.Assign) and _true(statement.value):
            yield _claim(module, statement, "An error shows settings, source and local variables to every visitor.")


def _true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _claim(module: Module, node: ast.AST, consequence: str) -> Claim:
    return module.claim(
        RULE,
        node,
        scenario=f"`{module.line_text(getattr(node, 'lineno', 1))}` switches debug mode on. {consequence}",
        fix="Take the switch from the environment, off by default.",
    )


CHECK = Check(rules=(RULE,), module=check)
