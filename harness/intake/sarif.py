"""SARIF 2.1.0 as tools write it: rules in the driver or in extensions, messages by id, bases of URIs, flows."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import JsonValue

from harness.intake.loose import at, items, number, table, text
from harness.intake.result import Region, Result
from harness.schema.finding import Severity

STEPS = 60
"""Places of a code flow that are kept."""
OURS = "harness"
"""Our own name as a tool."""
_LEVELS = {"error": Severity.HIGH, "warning": Severity.MEDIUM, "note": Severity.LOW, "none": Severity.LOW}
_WORDS = {"critical": Severity.HIGH, "high": Severity.HIGH, "medium": Severity.MEDIUM, "low": Severity.LOW}
_CWE = re.compile(r"(?i)\bcwe[-_:/ ]*0*([1-9]\d{0,4})\b")
_SLOT = re.compile(r"\{(\d+)\}")
_LINK = re.compile(r"(?<!\\)\[([^\[\]]*)\]\((?:\d+|[^()\s]*)\)")


class _Run(NamedTuple):
    number: int
    tool: str
    components: list[JsonValue]
    """The driver, then the extensions."""
    artifacts: list[JsonValue]
    bases: dict[str, JsonValue]
    utf16: bool


def results(log: dict[str, JsonValue]) -> Iterator[Result]:
    """Every result of every run, in order."""
    for n, run in enumerate(items(log, "runs")):
        driver = table(run, "tool", "driver")
        context = _Run(
            n, slug(text(driver, "name")), [driver, *items(run, "tool", "extensions")], items(run, "artifacts"),
            table(run, "originalUriBaseIds"), text(run, "columnKind") != "unicodeCodePoints",
        )  # fmt: skip
        for m, result in enumerate(items(run, "results")):
            yield _result(context, m, result)


def slug(name: str) -> str:
    """A tool's name as the id of a dimension: `Semgrep OSS` is `semgrep-oss`."""
    found = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-")
    return found if found[:1].isalpha() else f"tool-{found}".strip("-")


def _result(run: _Run, position: int, result: JsonValue) -> Result:
    rule = _rule(run, result)
    rule_id = text(result, "ruleId") or text(result, "rule", "id") or text(rule, "id")
    locations = items(result, "locations")
    flows = items(at(items(at(items(result, "codeFlows"), 0), "threadFlows"), 0), "locations")
    kept = flows if len(flows) <= STEPS else [*flows[: STEPS - 1], flows[-1]]
    return Result(
        origin=f"{run.number}/{position}",
        tool=run.tool,
        rule=rule_id,
        cwes=_cwes(rule, result),
        severity=_severity(run.tool, rule, result),
        message=_message(run, rule, result),
        fix=_fix(rule, result),
        place=_region(run, locations[0]) if locations else None,
        flow=tuple(_region(run, table(step, "location")) for step in kept),
        related=tuple(_region(run, one) for one in items(result, "relatedLocations")[:STEPS]),
        utf16=run.utf16,
        aside=_aside(result),
        verdict=text(result, "properties", "harness", "verdict") or text(result, "properties", "harness/verdict"),
        claim=table(result, "properties").get("harness/claim") if run.tool == OURS else None,
    )


def _rule(run: _Run, result: JsonValue) -> JsonValue:
    """The rule by index, else by id in any component."""
    reference = table(result, "rule")
    component = number(reference, "toolComponent", "index")
    of = run.components[component + 1] if component is not None and 0 <= component < len(run.components) - 1 else None
    index = number(result, "ruleIndex") if number(reference, "index") is None else number(reference, "index")
    wanted = text(result, "ruleId") or text(reference, "id")
    indexed = at(items(of if of is not None else at(run.components, 0), "rules"), index)
    if isinstance(indexed, dict) and (not wanted or _is(wanted, indexed)):
        return indexed
    rules = (rule for one in run.components for rule in items(one, "rules"))
    return next((rule for rule in rules if wanted and _is(wanted, rule)), None)


def _is(wanted: str, rule: JsonValue) -> bool:
    """A result may name a part of a rule: `CA1000/1` is one of `CA1000`."""
    known = text(rule, "id")
    return wanted == known or bool(known and wanted.startswith(f"{known}/"))


def _cwes(rule: JsonValue, result: JsonValue) -> tuple[int, ...]:
    """From tags (CodeQL, Bandit, Semgrep), from `properties.cwe` (Snyk), from taxa and relationships (the standard)."""
    words: list[str] = []
    for one in (result, rule):
        properties = table(one, "properties")
        for key in ("tags", "cwe", "cwes"):
            words += [w for w in items(properties, key) if isinstance(w, str)]
            words.append(text(properties, key))
    targets = [table(r, "target") for r in items(rule, "relationships")]
    for target in [*items(result, "taxa"), *targets]:
        name, taxon = text(target, "toolComponent", "name"), text(target, "id")
        words.append(f"CWE-{taxon}" if name.upper() == "CWE" and taxon.isdigit() else taxon)
    found = [int(n) for word in words for n in _CWE.findall(word)]
    return tuple(dict.fromkeys(found))[:8]


def _severity(tool: str, rule: JsonValue, result: JsonValue) -> Severity:
    for one in (result, rule):
        properties = table(one, "properties")
        score = text(properties, "security-severity")
        if re.fullmatch(r"\d{1,2}(?:\.\d+)?", score):
            return Severity.HIGH if float(score) >= 7 else Severity.MEDIUM if float(score) >= 4 else Severity.LOW
        for key in ("issue_severity", "severity"):
            if text(properties, key).lower() in _WORDS:
                return _WORDS[text(properties, key).lower()]
    if tool == "ruff":  # it writes `error` at everything
        return Severity.MEDIUM
    level = text(result, "level") or text(rule, "defaultConfiguration", "level")
    return _LEVELS.get(level, Severity.MEDIUM)


def _message(run: _Run, rule: JsonValue, result: JsonValue) -> str:
    message = table(result, "message")
    said = text(message, "text") or text(message, "markdown")
    if not said:
        name = text(message, "id")
        places = [rule, *run.components]
        keys = ("messageStrings", "globalMessageStrings")
        said = next((t for p in places for k in keys if (t := text(p, k, name, "text"))), "")
    given = items(message, "arguments")

    def argument(slot: re.Match[str]) -> str:
        value = at(given, int(slot[1])) if len(slot[1]) < 4 else None
        return value if isinstance(value, str) else slot[0]

    filled = _SLOT.sub(argument, said) if given else said
    return _LINK.sub(r"\1", filled).strip() or text(rule, "shortDescription", "text").strip()


def _fix(rule: JsonValue, result: JsonValue) -> str:
    offered = (text(fix, "description", "text") for fix in items(result, "fixes"))
    return next((one.strip() for one in offered if one.strip()), "") or _advice(rule)


def _advice(rule: JsonValue) -> str:
    help_uri = text(rule, "helpUri")
    return f"See {help_uri}" if help_uri else "As the rule advises."


def _aside(result: JsonValue) -> str:
    kind = text(result, "kind")
    if kind in ("pass", "notApplicable", "informational"):
        return f"it is of kind {kind}, no claim of a defect"
    if text(result, "baselineState") == "absent":
        return "it is marked as absent: its tool no longer found it"
    for one in items(result, "suppressions"):
        if text(one, "status") in ("", "accepted"):
            why = text(one, "justification").strip()
            return f"it was suppressed before ({text(one, 'kind') or 'no kind'}{': ' + why if why else ''})"
    return ""


def _region(run: _Run, location: JsonValue) -> Region:
    physical = table(location, "physicalLocation")
    artifact, region = table(physical, "artifactLocation"), table(physical, "region")
    known = table(at(run.artifacts, number(artifact, "index")), "location")
    reference = artifact if text(artifact, "uri") else known
    return Region(
        uri=_resolved(run, text(reference, "uri"), text(reference, "uriBaseId"), 0),
        line=number(region, "startLine"),
        end_line=number(region, "endLine"),
        column=number(region, "startColumn"),
        end_column=number(region, "endColumn"),
        snippet=text(region, "snippet", "text"),
        message=text(location, "message", "text"),
        offset=number(region, "charOffset"),
    )


def _resolved(run: _Run, uri: str, base: str, depth: int) -> str:
    """Joined with its base where the log says where that is; the root of the source has no place of its own."""
    if not base or ":" in uri.split("/")[0] or depth > 8:
        return uri
    known = table(run.bases, base)
    before = _resolved(run, text(known, "uri"), text(known, "uriBaseId"), depth + 1)
    if not before:
        return uri
    return before + uri if before.endswith("/") else f"{before}/{uri}"
