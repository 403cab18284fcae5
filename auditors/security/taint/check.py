"""Source-to-sink chains as claims: one a sink, for the strongest source that reaches it."""

from collections.abc import Iterator

from auditors.security.taint.flow import read_module
from auditors.security.taint.notes import FunctionNotes, Place
from auditors.security.taint.rules import KINDS
from auditors.security.taint.summaries import Chain, Summaries
from harness.contracts import Check
from harness.schema.finding import Claim, Severity
from harness.schema.location import RelatedLocation
from harness.source.project import Project

_FROM_OWN_USER = frozenset({"command", "code", "deserialization"})
"""Kinds worth a claim when the value comes from the user who runs the program: naming one's own file or URL is not."""

_FROM_A_PEER = _FROM_OWN_USER | {"template", "xxe"}
"""Kinds worth a claim when the value is the answer of a server the program asked: to follow its links is not."""

_PUT_TOGETHER = frozenset({"sql"})
"""Kinds where the fix is made where the text is put together."""

MOST_ENTRIES = 8
"""Other functions where data enters that reaches the same place, for whoever looks again."""

_ARGUMENT_LISTS = frozenset(f"subprocess.{f}" for f in ("run", "call", "check_call", "check_output", "Popen"))
"""Without a shell, an argument stays an argument."""


def check(project: Project) -> Iterator[Claim]:
    """Chains that begin and end in code that is no test, in order of the sink."""
    index = project.index
    notes: dict[str, FunctionNotes] = {}
    for module in project.modules(test=False):
        for function in read_module(module, index):
            notes[function.name] = function
    best: dict[tuple[str, int, int, str], Chain] = {}
    entries: dict[tuple[str, int, int, str], dict[str, bool]] = {}
    for chain in Summaries(notes).chains():
        if not _worth_raising(chain):
            continue
        at = _where(chain).location
        key = (at.path, at.line, at.column, chain.sink.sink.kind)
        if chain.source.source.origin.strong:
            entries.setdefault(key, {})[chain.entry] = True
        if key not in best or _rank(chain) < _rank(best[key]):
            best[key] = chain
    for key in sorted(best):
        entered = [*entries.get(key, {}), best[key].entry]
        others = [e for e in entered[:-1] if not any(o == entered[-1] == e or o.startswith(f"{e}.") for o in entered)]
        yield _claim(best[key], notes, others)


def _worth_raising(chain: Chain) -> bool:
    kind = chain.sink.sink.kind
    if kind == "session" and chain.source.source.origin.name.endswith("request"):
        return False  # what a function makes of the whole request is mostly its own: a user, a profile
    if kind == "html" and chain.source.routed and chain.sink.sink.name == "response body":
        return False
    if chain.source.source.origin.name == "network answer":
        return kind in _FROM_A_PEER
    if chain.source.source.origin.strong:
        return True
    return kind in _FROM_OWN_USER and chain.sink.sink.name not in _ARGUMENT_LISTS


def _where(chain: Chain) -> Place:
    """Where the defect is: at the sink, or where the text is handed to a function that runs whatever it is given."""
    sink = chain.sink.sink
    handed = sink.direct and sink.kind in _PUT_TOGETHER and chain.sink.steps
    return chain.sink.steps[-1] if handed else sink.place


def _for_show(path: str) -> bool:
    """Examples and benchmarks, which nobody deploys."""
    return not {"example", "examples", "sample", "samples", "demo", "demos", "benchmarks"}.isdisjoint(
        path.split("/")[:-1]
    )


def _rank(chain: Chain) -> tuple[bool, bool, int, str, int]:
    place = chain.source.source.place.location
    steps = len(chain.source.steps) + len(chain.sink.steps)
    ends = [] if chain.source.steps else [chain.source.source.place]
    ends += [] if chain.sink.steps else [chain.sink.sink.place]
    inside_another = any(not chain.entry.endswith(end.symbol or "") for end in ends)
    return (not chain.source.source.origin.strong, inside_another, steps, place.path, place.line)


def _claim(chain: Chain, notes: dict[str, FunctionNotes], others: list[str]) -> Claim:
    source, sink = chain.source.source, chain.sink.sink
    entry = notes[chain.entry]
    kind = KINDS[sink.kind]
    place = _where(chain)
    through = [p for p in (*chain.source.steps, *chain.sink.steps) if p.location != place.location]
    related = (
        RelatedLocation(role="source", location=source.place.location, message=f"`{source.origin.name}` enters here"),
        *(RelatedLocation(role="step", location=p.location, message="passes through this call") for p in through),
        RelatedLocation(role="sink", location=sink.place.location, message=f"and reaches `{sink.name}`"),
    )
    facts = {
        "sink": sink.name,
        "sink_kind": sink.kind,
        "source": source.origin.name,
        "source_strength": "strong" if source.origin.strong else "weak",
        "cwe": str(kind.rule.cwe),
        "entry": entry.qualname,
        "entry_path": entry.path,
        "function": place.symbol or "",
    }
    if place is not sink.place:
        ran = sink.place.location
        facts["sink_path"] = ran.path
        facts["sink_at"] = f"{ran.line}:{ran.column}:{ran.end_line}:{ran.end_column}"
    if others:
        facts["entries"] = "\n".join(f"{notes[o].path}|{notes[o].qualname}" for o in others[:MOST_ENTRIES])
    if source.parameter:
        facts["parameter"] = source.parameter
    if entry.route is not None:
        facts |= {"route": entry.route.rule, "methods": entry.route.methods}
    who = f"A client of `{entry.route.rule}`" if entry.route else "Whoever controls the value"
    if not source.origin.strong:
        who = "Whoever sets the value"
    scenario = (
        f"{who} decides `{source.origin.name}` ({source.place.location}); it reaches `{sink.name}` in "
        f"`{place.quote}` and lets them {kind.consequence}."
    )
    return Claim(
        rule=kind.rule.id,
        severity=kind.rule.severity if source.origin.strong and not _for_show(place.location.path) else Severity.LOW,
        cwe=kind.rule.cwe,
        location=place.location,
        quote=place.quote,
        symbol=place.symbol,
        scenario=scenario,
        fix=kind.fix,
        facts=facts,
        related=related,
    )


CHECK = Check(rules=tuple(kind.rule for kind in KINDS.values()), project=check)
