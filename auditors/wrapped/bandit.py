"""bandit, for the tests that ruff has no counterpart of: https://bandit.readthedocs.io/en/latest/plugins/ describes each.

A file is handed to bandit only when it holds a word without which none of the tests can strike, because bandit reads a
file a second time and slowly. Test code is left out.

What it cannot see: files in a newer grammar than the running interpreter's; they are counted as skipped.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from auditors.wrapped.place import symbol_at
from auditors.wrapped.process import run
from auditors.wrapped.suppression import suppression_at
from auditors.wrapped.words import Words, fill, rule
from harness.contracts import Bench
from harness.errors import LaneFailed
from harness.files import displayable
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location
from harness.schema.run import Skip
from harness.source.project import Project

CHILD = Path(__file__).with_name("bandit_child.py")

TESTS: dict[str, tuple[str, Words]] = {
    "B613": (
        r"[\u202a-\u202e\u2066-\u2069]",
        Words(
            "Text that reads differently than it runs",
            "Invisible characters at `{code}` reorder the line on screen, so a reviewer approves another program than runs.",
            "Write the characters as escapes, or delete them.",
            Severity.MEDIUM,
            838,
        ),
    ),
    "B614": (
        r"\btorch\b",
        Words(
            "Model file that may run code",
            "A model file from elsewhere, loaded at `{code}` in {at}, runs whatever its author pickled into it.",
            "Pass weights_only=True, or use safetensors.",
            Severity.MEDIUM,
            502,
        ),
    ),
    "B615": (
        r"\bfrom_pretrained\b|\bload_dataset\b|\bhf_hub_download\b|\bsnapshot_download\b",
        Words(
            "Download without a pinned revision",
            "Whoever gains control of the remote repository changes what `{code}` in {at} loads at its next run.",
            "Pass revision= with a commit hash.",
            Severity.LOW,
            494,
        ),
    ),
}
"""Test -> (what a file must hold for it to strike, the test in our words)."""


class BanditAuditor(NamedTuple):
    """See `harness.contracts.Auditor`."""

    group: str = "security"
    executes: bool = False

    @property
    def id(self) -> str:
        return f"{self.group}-bandit"

    @property
    def version(self) -> str:
        return "1"

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule("bandit", code, self.group, words) for code, (_, words) in sorted(TESTS.items()))

    def wants(self, language: str) -> bool:
        return language == "python"

    def audit(self, bench: Bench) -> Iterator[Claim | Skip]:
        """Claims by path, line and test. Raises LaneFailed when bandit cannot be run."""
        project = bench.project
        needed = re.compile("|".join(f"(?:{pattern})" for pattern, _ in TESTS.values()))
        on_disk: dict[str, str] = {}
        for path in project.paths("python", test=False):
            name = str(project.disk_path(path))
            if needed.search(project.text(path)):
                if name.isprintable():
                    on_disk[name] = path
                else:
                    yield Skip(path=path, reason="bandit cannot be given a file of this name")
        if not on_disk:
            return
        answer = _bandit(sorted(on_disk))
        for name, reason in sorted(answer["skipped"]):
            if name in on_disk:
                yield Skip(path=on_disk[name], reason=f"bandit: {displayable(reason)[:200]}")
        issues = [i for i in answer["issues"] if i["filename"] in on_disk and i["test_id"] in TESTS]
        for issue in sorted(issues, key=lambda i: (i["filename"], i["line_number"], i["test_id"], i["col_offset"])):
            yield _claim(project, on_disk[issue["filename"]], issue)


def _bandit(files: list[str]) -> Any:
    request = json.dumps({"tests": sorted(TESTS), "files": files}).encode()
    ended = run([sys.executable, "-I", str(CHILD)], stdin=request)
    if ended.returncode:
        raise LaneFailed(f"bandit ended with {ended.returncode}: {displayable(ended.stderr.strip())[-400:]}")
    try:
        return json.loads(ended.stdout)
    except ValueError as error:
        raise LaneFailed(f"bandit printed no JSON: {error}") from error


def _claim(project: Project, path: str, issue: Any) -> Claim:
    code = issue["test_id"]
    words = TESTS[code][1]
    lines = project.lines(path)
    line = issue["line_number"]
    quote = lines[line - 1].strip() if line <= len(lines) else ""
    symbol = symbol_at(project, path, line)
    snippet = displayable(quote)[:120]
    text = lines[line - 1] if line <= len(lines) else ""
    column = len(text.encode("utf-8", "surrogatepass")[: max(0, issue["col_offset"])].decode("utf-8", "ignore")) + 1
    return Claim(
        rule=f"bandit:{code}",
        severity=words.severity,
        cwe=words.cwe,
        location=Location(path=path, line=line, end_line=max([line, *issue["line_range"]]), column=column),
        quote=quote,
        symbol=symbol,
        scenario=fill(words.scenario, [], at=symbol, code=snippet),
        fix=fill(words.fix, [], at=symbol, code=snippet),
        facts={"code": code},
        related=suppression_at(path, lines, line),
    )
