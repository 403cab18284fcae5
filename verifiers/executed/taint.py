"""Untrusted data into a dangerous call: sent in at the claim's source, watched for at its sink (`inside.taint`).

Confirms only what did harm there: a command that ran, a file name outside the project, a quote that ended a literal, a
script in the page; and only when a harmless value took the same way to the same place and did none, and when the value
is somebody else's to decide: that the user of a program can make it do what he could do himself is no defect.
"""

import ast

from pydantic import JsonValue

from harness.contracts import Bench
from harness.files import sha256
from harness.sandbox.base import Sandbox
from harness.schema.finding import Finding
from harness.source.module import Module
from verifiers.executed.entry import Way, applications, around, django_settings, keys_of, leading, way_of
from verifiers.executed.interpreter import newer
from verifiers.executed.outcome import Outcome, not_reproduced, reproduced
from verifiers.executed.regression import regression_test
from verifiers.executed.trial import run_inside

_LOOKUPS = frozenset(
    {"os.path.exists", "os.path.isfile", "os.path.getsize", "os.stat", "pathlib.Path.exists", "pathlib.Path.is_file",
     "pathlib.Path.is_dir", "pathlib.Path.stat"}
)  # fmt: skip
"""That somebody may ask whether a file is there, often just before the check, is not yet a file reached."""
_KEYWORDS: dict[str, tuple[str, ...]] = {
    "command": ("args", "cmd", "command"),
    "code": ("source",),
    "deserialization": ("data",),
    "path": ("file", "path", "filename", "name"),
    "sql": ("query", "sql", "statement", "operation"),
    "xpath": ("path", "query"),
    "ldap": ("filterstr", "search_filter"),
    "html": ("response", "content"),
    "template": ("source",),
    "redirect": ("location", "url"),
    "ssrf": ("url",),
    "xxe": ("source", "string"),
}
"""Kinds of sinks that have an oracle, and the keywords under which the dangerous argument may be given."""
_SLOTS = {
    **dict.fromkeys(("os.rename", "os.replace", "shutil.copy", "shutil.copyfile", "shutil.move"), ("0", "1")),
    **dict.fromkeys(("requests.request", "httpx.request", "elementpath.select", "?.search"), ("1",)),
    **dict.fromkeys(("?.search_s", "?.search_ext_s"), ("2",)),
}


def fits(finding: Finding) -> bool:
    """A kind of sink with an oracle, and a source with a driver."""
    facts = finding.facts
    return (
        facts.get("sink_kind") in _KEYWORDS
        and facts.get("sink") not in _LOOKUPS
        and {"entry", "entry_path"} <= facts.keys()
        and way_of(finding) is not None
    )


def reproduce(finding: Finding, bench: Bench, sandbox: Sandbox) -> Outcome:
    """See `Template.reproduce`."""
    project, way = bench.project, way_of(finding)
    module = project.module(finding.path)
    span = _span(module, finding)
    if way is None or span is None:
        return not_reproduced(finding, "there is no call or return at this place to watch")
    settings = django_settings(project) if way.drive == "web" else ""
    outer = around(finding, project) if way.drive == "web" and not settings else ""
    web = applications(finding, project) if way.drive == "web" and not settings else []
    if way.drive == "web" and not (settings or outer or web):
        return not_reproduced(finding, "no application was found whose routes could be called")
    job = _job(finding, bench, way, span, settings, outer, web)
    report = run_inside(sandbox, bench, "taint", job)
    stuck = report.trouble or not report.answer.get("reached", True)
    another = newer() if stuck and bench.python is None else None
    if another is not None:  # a project for a newer Python fails in ours before it comes to the point
        second = run_inside(sandbox, bench, "taint", job, another)
        report = report if second.trouble else second
    if report.trouble:
        return not_reproduced(finding, f"the reproducer could not run: {report.trouble}")
    return _conclusion(finding, job, report.answer)


def _job(
    finding: Finding,
    bench: Bench,
    way: Way,
    span: tuple[int, int, int, int],
    settings: str,
    outer: str,
    web: list[list[str]],
) -> dict[str, JsonValue]:
    facts, sink = finding.facts, finding.facts.get("sink", "")
    entry = bench.project.module(facts["entry_path"])
    keys = keys_of(finding, bench.project, way)
    slots = ("self",) if sink.startswith("pathlib.") else _SLOTS.get(sink, ("0",))
    return {
        "path": finding.path,
        "span": list(span),
        "kind": facts["sink_kind"],
        "slots": [*slots, "return", *_KEYWORDS[facts["sink_kind"]]],
        "token": sha256(f"{bench.seed} {finding.fingerprint} {finding.path} {finding.line}")[:12],
        "drive": way.drive,
        "channel": way.channel,
        "keys": list(keys.names),
        "filler": "1" if keys.known else None,
        "functions": [list(pair) for pair in leading(finding, bench.project)],
        "entry": facts["entry"],
        "entry_path": facts["entry_path"],
        "entry_module": entry.name,
        "settings": settings,
        "around": outer,
        "applications": [list(pair) for pair in web],
    }


def _conclusion(finding: Finding, job: dict[str, JsonValue], answer: dict[str, JsonValue]) -> Outcome:
    attack, control = answer.get("attack"), answer.get("control")
    said = answer.get("tried")
    tried = [str(line) for line in said] if isinstance(said, list) else []
    if not isinstance(attack, dict) or not isinstance(control, dict):
        what = "arrived and did no harm" if answer.get("reached") else "never arrived there"
        return not_reproduced(finding, f"not reproduced: {len(tried)} attempts, what was sent {what}", tried)
    steps = [
        f"attack:  {attack['sent']}",
        f"         {attack['harm']}",
        f"control: {control['sent']}",
        f"         {'arrived at the same place, without harm' if control['reached'] else 'did not arrive'}",
    ]
    if control["harm"] or not control["reached"] or control["error"]:
        return not_reproduced(finding, "the harmless control did not behave, so the attack proves nothing", steps)
    if not _from_outside(finding):
        reason = (
            f"it happens ({attack['harm']}), but whoever runs the program decides this value, so no bound is crossed"
        )
        return not_reproduced(finding, reason, steps)
    sent, harmless = str(attack["sent"])[:160], str(control["sent"])[:160]
    reason = f"reproduced: `{sent}`: {attack['harm']}; the control `{harmless}` arrived and did no harm"
    outcome = reproduced(finding, reason, steps)
    test = regression_test(finding, finding.facts["sink_kind"], str(job["token"]), attack)
    return outcome._replace(evidence=(*outcome.evidence, *test))


def _from_outside(finding: Finding) -> bool:
    """Whether somebody else than the user of the program decides the value: a flow alone is no defect."""
    strength = finding.facts.get("source_strength", "")
    way = way_of(finding)
    return strength != "weak" if way is not None and way.drive == "web" else strength == "strong"


def _span(module: Module, finding: Finding) -> tuple[int, int, int, int] | None:
    """Place of the call or `return` that the claim points at, as `ast` counts."""
    found: list[ast.Call | ast.Return] = [*module.nodes(ast.Call), *module.nodes(ast.Return)]
    for node in found:
        at = module.location(node)
        if (at.line, at.column, at.end_line) == (finding.line, finding.column, finding.end_line) and (
            finding.end_column is None or at.end_column == finding.end_column
        ):
            return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0
    return None
