"""The auditor that runs our own checks of one group over the project, file by file, then as a whole."""

from collections.abc import Iterator
from typing import NamedTuple

from harness.contracts import Bench, Check
from harness.errors import LaneFailed
from harness.schema.finding import Claim, Rule
from harness.schema.run import Skip

VERSION = "1"


class CheckAuditor(NamedTuple):
    """All checks of one group as one auditor; see `harness.contracts.Auditor`."""

    group: str
    checks: tuple[Check, ...]
    languages: frozenset[str] = frozenset({"python"})
    executes: bool = False

    @property
    def id(self) -> str:
        return f"{self.group}-checks"

    @property
    def version(self) -> str:
        return VERSION

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule for check in self.checks for rule in check.rules)

    def wants(self, language: str) -> bool:
        return language in self.languages

    def audit(self, bench: Bench) -> Iterator[Claim | Skip]:
        """Claims in order of file, then check; project-wide checks after. Raises LaneFailed naming check and file."""
        project = bench.project
        module_checks = [(c, c.module) for c in self.checks if c.module is not None]
        if module_checks:
            for module in project.modules(test=None):
                for check, look in module_checks:
                    try:
                        yield from look(module, project)
                    except RecursionError:
                        yield Skip(path=module.path, reason=f"nested too deeply for {check.rules[0].id}")
                    except Exception as error:
                        raise LaneFailed(f"check {check.rules[0].id} failed on {module.path}: {error!r}") from error
            for path, reason in sorted(project.failures.items()):
                yield Skip(path=path, reason=f"does not parse: {reason}")
        for check in self.checks:
            if check.project is None:
                continue
            try:
                yield from check.project(project)
            except Exception as error:
                raise LaneFailed(f"check {check.rules[0].id} failed: {error!r}") from error
