"""vulture: private code that nothing uses, and statements that no run reaches.

Only private functions, methods and classes are reported, because what is public may be used by anybody, and statements
after a return, raise, break or continue. vulture is used as a library on text that is already read; it looks for no
configuration and no whitelist of the project.

What it cannot see: uses from templates, from entry points and by names that are put together while running.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from auditors.wrapped.place import symbol_at
from auditors.wrapped.suppression import suppression_at
from auditors.wrapped.words import Words, fill, rule
from harness.contracts import Bench
from harness.files import displayable
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location
from harness.schema.run import Skip
from harness.source.project import Project

KINDS: dict[str, Words] = {
    "unused-private": Words(
        "Private code that nothing uses",
        "`{0}` is never called: whoever changes it, to change what the program does, changes nothing.",
        "Delete `{0}`, or call it where it was meant to be called.",
        Severity.LOW,
        561,
    ),
    "unreachable": Words(
        "Statement that no run reaches",
        "`{code}` in {at} never runs, so what it was written for does not happen.",
        "Delete it, or move it before the statement that leaves the block.",
        Severity.LOW,
        561,
    ),
}
_PRIVATE = frozenset({"function", "method", "class"})


class VultureAuditor(NamedTuple):
    """See `harness.contracts.Auditor`."""

    group: str = "correctness"
    executes: bool = False

    @property
    def id(self) -> str:
        return f"{self.group}-vulture"

    @property
    def version(self) -> str:
        return "1"

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule("vulture", kind, self.group, words) for kind, words in sorted(KINDS.items()))

    def wants(self, language: str) -> bool:
        return language == "python"

    def audit(self, bench: Bench) -> Iterator[Claim | Skip]:
        """Claims by path and line, from code that is no test; whether a test uses the name is the verifier's to find out."""
        from vulture import Vulture  # a tool of one lane is loaded in that lane

        project = bench.project
        scan = Vulture()
        for module in project.modules(test=False):
            # What `Vulture.scan` does after parsing, on the tree we have, which may be of a newer grammar; no `noqa` counts.
            scan.filename, scan.code, scan.noqa_lines = Path(module.path), module.lines, defaultdict(set)
            try:
                scan.visit(module.tree)
            except RecursionError:
                yield Skip(path=module.path, reason="vulture: nested too deeply")
            scan.reachability.reset()
        for path, reason in sorted(project.failures.items()):
            if not project.entries[path].test:
                yield Skip(path=path, reason=f"does not parse: {reason}")
        items = scan.get_unused_code()
        found = []
        for item in items:
            kind = _kind(item.typ, item.name)
            path = item.filename.as_posix()
            if kind and path in project.entries and not project.entries[path].test:
                found.append((path, item.first_lineno, kind, item.name, item.last_lineno))
        for path, line, kind, name, last in sorted(found):
            yield _claim(project, path, line, last, kind, name)


def _claim(project: Project, path: str, line: int, last: int, kind: str, name: str) -> Claim:
    words = KINDS[kind]
    lines = project.lines(path)
    text = lines[line - 1]
    symbol = symbol_at(project, path, line)
    snippet = displayable(text.strip())[:120]
    return Claim(
        rule=f"vulture:{kind}",
        severity=words.severity,
        cwe=words.cwe,
        location=Location(path=path, line=line, end_line=last, column=len(text) - len(text.lstrip()) + 1),
        quote=text.strip(),
        symbol=symbol,
        scenario=fill(words.scenario, [name], at=symbol, code=snippet),
        fix=fill(words.fix, [name], at=symbol, code=snippet),
        facts={"name": name},
        related=suppression_at(path, lines, line),
    )


def _kind(typ: str, name: str) -> str | None:
    if typ == "unreachable_code":
        return "unreachable"
    if typ in _PRIVATE and name.startswith("_") and not name.startswith("__"):
        return "unused-private"
    return None
