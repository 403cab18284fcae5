"""The pages of `harness help`."""

from collections.abc import Callable
from typing import NamedTuple

from harness.errors import ExitCode

_MEANINGS = {
    ExitCode.PASS: "Nothing stops a merge: the run is complete, and no active CONFIRMED finding reaches --fail-on and --min-tier.",
    ExitCode.FINDINGS: "At least one CONFIRMED finding at or above --fail-on and --min-tier is neither waived nor suppressed.",
    ExitCode.USAGE: "The command line, a file named on it, or the configuration is wrong. Nothing was run.",
    ExitCode.INCOMPLETE: "The run could not finish: budget, time, a broken lane, no sandbox. Never a pass. harness resume goes on.",
    ExitCode.NOTHING_IN_SCOPE: "There was nothing to audit, or next to nothing of it could be read, which is not a clean result.",
    ExitCode.BUG: "A bug of ours. A log was written, and its path printed.",
    ExitCode.INTERRUPTED: "Stopped by you. Everything found so far is kept; harness resume goes on.",
}
SUPPRESSIONS = """\
Four ways to say that a finding is not to stop a merge. None takes it out of the report.

In the code, at the place:
    os.system(command)  # harness: ignore[command-injection] the names come from our own table
  The rule and the reason are required; there is no form for all rules. A comment alone on its line speaks for the next
  line of code. Other comment styles work where the language has them. A suppression that hides nothing is reported,
  and one that was added by the change under review does not count.

For one finding, by decision:
    harness findings waive 3c1f --reason "after the release" --kind defer --until 2026-09-01
  Kept in .harness/waivers.toml, which is committed. Void after its last day, and once the code of the finding changes.

For all that was there before:
    harness baseline write
  Kept in .harness/baseline.json, one entry a finding, no line numbers. It hides nothing new.

For everything below a bar:
    harness audit --fail-on high --min-tier E3
"""


class Topic(NamedTuple):
    """One page."""

    about: str
    """One line."""
    text: Callable[[], str]
    """The page."""


def exit_codes() -> str:
    """Every exit code and what it means to the caller."""
    lines = ["Exit codes", ""]
    lines += [f"  {code:>3}  {_MEANINGS[code]}" for code in ExitCode]
    lines += [
        "",
        "harness gate also says 1 for failing tests and for a policy that the change loosens, and 3 for tests that came to no",
        "result, a lane or a changed file that nobody looked at, and a head that moved meanwhile.",
        "harness checkpoint says 1 for a failing check or a read-only path, 3 for a check that came to no result or a",
        "repository that is in use or cannot be written, and 4 for nothing to commit.",
        "",
        "A lane that failed or was cut short never ends in 0. Files that do not parse are listed under coverage; a run",
        "whose auditors could read next to nothing ends in 4. harness audit --fail-on none turns 1 into 0.",
        "harness verify --recheck ends in 1 also for what was CONFIRMED and is not shown to be fixed.",
    ]
    return "\n".join(lines) + "\n"


def formats() -> str:
    """Every output format and what it is for."""
    from harness.render.formats import FORMATS

    lines = ["Formats: --format F for standard output, --output F=FILE for files, as often as you like", ""]
    lines += [f"  {name:<9} {about}" for name, about in FORMATS.items()]
    lines += [
        "",
        "Active findings come first. --show open, dismissed or settled adds the others; json, jsonl and html hold all.",
        "After harness verify FILE, sarif is the SARIF of FILE as it was, with properties.harness at each result (verdict,",
        "tier, evidence, or why it was rejected) and an accepted suppression at each that was refuted.",
    ]
    return "\n".join(lines) + "\n"


def json_schema() -> str:
    """The JSON Schema of the JSON report."""
    from harness.render.jsontext import dumps
    from harness.render.schema import json_schema as schema

    return dumps(schema()) + "\n"


TOPICS = {
    "exit-codes": Topic("what each exit code means", exit_codes),
    "formats": Topic("output formats and what they are for", formats),
    "suppressions": Topic("how to keep a finding from stopping a merge", lambda: SUPPRESSIONS),
    "json-schema": Topic("the JSON Schema of the JSON report", json_schema),
}
"""Name -> page."""
