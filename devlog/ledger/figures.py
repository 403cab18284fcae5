"""The rows of the ledger: each number with what was counted, where, at which revision."""

import datetime
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import JsonValue

from devlog.ledger.period import day_of
from devlog.ledger.record import Figure, Flow, Taken
from devlog.ledger.waivers import FILE
from harness.repo.revisions import CHECKPOINT_TRAILER
from harness.schema.waiver import WaiverKind

if TYPE_CHECKING:
    from devlog.ledger.gather import Gathered

NOT_KNOWN = "not known"
NO_RUN = "no run with counts is on record, which says nothing about the code"


def figures(g: "Gathered", flow: Flow) -> tuple[Figure, ...]:
    """All rows, in a fixed order."""
    return (
        _entries(g), *_code(g), _commits(g), _checkpoints(g), _runs(g), *_findings(g, flow), _decisions(g), _debt(g, flow),
        *_models(g), *_cost(g, flow),
    )  # fmt: skip


def missing(g: "Gathered") -> tuple[str, ...]:
    """What could not be counted, and why."""
    found = [
        f"commits and checkpoints: {g.chronicle.missing}" if g.chronicle.missing else "",
        f"modules, lines and tests: {g.trouble}" if g.trouble else "",
        f"devlog: {g.faults[0]}" + (f" and {len(g.faults) - 1} more; harness devlog check" if g.faults[1:] else "")
        if g.faults else "",
        f"runs: {g.record.missing}" if g.record.missing else "",
        f"runs: {_number(g.record.unreadable, 'line')} of runs.tsv cannot be read" if g.record.unreadable else "",
        f"runs: {_number(len(g.record.endless), 'run')} without an end on record (killed, or still at work); "
        "their findings are not counted, what their models took is"
        if g.record.endless else "",
        f"waivers: {g.decided.missing}" if g.decided.missing else "",
        f"verification debt: {_number(g.owed.untold, 'claim')} of runs whose report is gone" if g.owed.untold else "",
        f"models: usage.jsonl of {_number(g.asked.lost, 'run')} is gone; stages are not known for them" if g.asked.lost else "",
    ]  # fmt: skip
    return tuple(text for text in found if text)


def _entries(g: "Gathered") -> Figure:
    busiest = _busiest(entry.date for entry in g.entries)
    chain = "chain of hashes broken: see below" if g.faults else "chain of hashes unbroken" if g.entries else ""
    return _row("devlog_entries", "devlog entries", len(g.entries), f"{g.devlog.as_posix()}/*.md", busiest, chain)


def _code(g: "Gathered") -> list[Figure]:
    at = f"at {g.head[:12]}" if g.head else "in the folder as it is"
    if g.code is None:
        return [
            _unknown("modules", "modules / lines", g.trouble),
            _unknown("tests", "tests", g.trouble),
        ]
    code = g.code
    value: JsonValue = {"modules": code.modules, "lines": code.lines}
    unparsed = f"{_number(code.unparsed, 'file')} that this Python cannot parse left out" if code.unparsed else ""
    return [
        Figure(
            id="modules", name="modules / lines", shown=f"{code.modules:,} / {code.lines:,}", value=value,
            counted_as=f"Python files {at} but tests and what the configuration excludes; all lines, blank ones too",
        ),
        _row("tests", "tests", code.tests,
             f"`def test_` by syntax tree in {_number(code.test_modules, 'test file')} {at}, one with parameters once",
             unparsed),
    ]  # fmt: skip


def _commits(g: "Gathered") -> Figure:
    if g.chronicle.missing:
        return _unknown("commits", "commits", g.chronicle.missing)
    tip = g.chronicle.commits[0].id[:12]
    busiest = _busiest(day for c in g.commits if (day := day_of(c.at)))
    return _row("commits", "commits", len(g.commits), f"git log {tip}, merges too, by author date in UTC", busiest)


def _checkpoints(g: "Gathered") -> Figure:
    if g.chronicle.missing:
        return _unknown("checkpoints", "checkpoints", g.chronicle.missing)
    return _row("checkpoints", "checkpoints", sum(bool(c.checkpoint) for c in g.commits),
                f"of these, with a trailer {CHECKPOINT_TRAILER}")  # fmt: skip


def _runs(g: "Gathered") -> Figure:
    if g.record.missing:
        return _unknown("runs", "runs", g.record.missing)
    kinds = Counter(run.line.kind for run in g.runs)
    states = Counter(run.line.status for run in g.runs)
    said = ", ".join(f"{number} {name}" for name, number in sorted(kinds.items()))
    ended = ", ".join(f"{states[name]} {name}" for name in ("incomplete", "refused") if states[name])
    return _row("runs", "runs", len(g.runs), _source(g), said, ended)


def _source(g: "Gathered") -> str:
    old = f" and {_number(g.record.from_reports, 'report')} older than it" if g.record.from_reports else ""
    return f"runs.tsv in {g.record.place}{old}, a resumed run once"


def _findings(g: "Gathered", flow: Flow) -> list[Figure]:
    if g.record.missing:
        return [_unknown("findings", "raised / confirmed / overturned", g.record.missing)]
    if not flow.runs:
        return [_unknown("findings", "raised / confirmed / overturned", NO_RUN)]
    basis = f"sum over {_number(flow.runs, 'run')} with counts; what two runs found counts twice"
    value: JsonValue = flow.model_dump(mode="json")
    judged = flow.confirmed + flow.uncertain + flow.dismissed
    share = f"{100 * flow.dismissed / judged:.0f} % of {judged:,} judged were overturned" if judged else ""
    return [
        Figure(
            id="findings", name="raised / confirmed / overturned", value=value, counted_as=_said(basis, share),
            shown=f"{flow.raised:,} / {flow.confirmed:,} / {flow.dismissed:,}",
        ),
        _row("open_questions", "open questions", flow.uncertain, "verdict UNCERTAIN, in the same runs"),
    ]  # fmt: skip


def _decisions(g: "Gathered") -> Figure:
    kinds = Counter(w.kind for w in g.waivers)
    numbers = [kinds[kind] for kind in WaiverKind]
    expired = sum(w.until is not None and w.until < g.last for w in g.waivers)
    older = len(g.decided.waivers) - len(g.waivers)
    if g.decided.missing:
        return _unknown("decisions", "deferred / accepted / false positive", g.decided.missing)
    return Figure(
        id="decisions", name="deferred / accepted / false positive", shown=" / ".join(map(str, numbers)),
        value={kind.value: kinds[kind] for kind in WaiverKind},
        counted_as=_said(f"{FILE} as it is now, each with reason and author", f"{expired} expired by {g.last}" if expired else "",
                         f"{older} of other days left out" if older else ""),
    )  # fmt: skip


def _debt(g: "Gathered", flow: Flow) -> Figure:
    if not flow.runs:
        return _unknown("verification_debt", "claims never verified", g.record.missing or NO_RUN)
    claims = g.owed.claims
    oldest = f"oldest {claims[0].day}, run {claims[0].run}" if claims else ""
    return _row("verification_debt", "claims never verified", len(claims) + g.owed.untold,
                "verdict UNVERIFIED and none in any later run, by fingerprint in the reports", oldest)  # fmt: skip


def _models(g: "Gathered") -> list[Figure]:
    total = _total(g)
    basis = f"usage.jsonl of {_number(g.asked.files, 'run')}, those that broke off too"
    replayed = f"{g.asked.replayed:,} answers at hand already are no calls" if g.asked.replayed else ""
    tokens: JsonValue = {"input": total.input_tokens, "cached": total.cached_tokens, "output": total.output_tokens}
    return [
        _row("model_calls", "model calls", total.calls, basis if total.calls else f"{basis}: no model was asked", replayed),
        Figure(
            id="tokens", name="tokens in / cached / out", value=tokens,
            shown=f"{short(total.input_tokens)} / {short(total.cached_tokens)} / {short(total.output_tokens)}",
            counted_as="as the providers counted them; cached ones are among those in",
        ),
    ]  # fmt: skip


def _cost(g: "Gathered", flow: Flow) -> list[Figure]:
    total = _total(g)
    if total.unpriced:
        models = ", ".join(sorted({t.model for t in g.asked.taken if t.unpriced}))
        calls = f"that of {total.unpriced:,} of {total.calls:,} calls is not known ({models})"
        least = f"at least {dollars(total.known_cost)} for the others" if total.calls > total.unpriced else ""
        return [_dollars("cost", "cost", None, _said(calls, least)), _dollars(*_EACH, None, "the cost is unknown")]
    basis = "each call at the price of its day" if total.calls else "no model was asked"
    cost = _dollars("cost", "cost", total.known_cost, basis)
    if not flow.confirmed:
        return [cost, Figure(id=_EACH[0], name=_EACH[1], shown="none", value=None, counted_as="nothing is CONFIRMED")]
    over = f"cost of all runs over {flow.confirmed:,} CONFIRMED, those of offline runs too"
    return [cost, _dollars(*_EACH, round(total.known_cost / flow.confirmed, 6), over)]


_EACH = ("cost_per_confirmed", "cost per confirmed finding")


def _dollars(id_: str, name: str, amount: float | None, basis: str) -> Figure:
    return Figure(
        id=id_, name=name, shown="unknown" if amount is None else dollars(amount), value=amount, counted_as=basis
    )


def _total(g: "Gathered") -> Taken:
    names = ("calls", "input_tokens", "cached_tokens", "output_tokens", "unpriced")
    sums = {name: sum(getattr(t, name) for t in g.asked.taken) for name in names}
    return Taken(stage="", model="", known_cost=round(sum(t.known_cost for t in g.asked.taken), 6), **sums)


def _row(id_: str, name: str, value: int, *basis: str) -> Figure:
    return Figure(id=id_, name=name, shown=f"{value:,}", value=value, counted_as=_said(*basis))


def _unknown(id_: str, name: str, why: str) -> Figure:
    return Figure(id=id_, name=name, shown=NOT_KNOWN, value=None, counted_as=why)


def _said(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _busiest(days: Iterable[datetime.date]) -> str:
    counts = Counter(days)
    if not counts:
        return ""
    day, number = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return f"busiest day {day} with {number:,}"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def short(number: int) -> str:
    """`7.94M`: three digits are plenty for tokens."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= size:
            value = number / size
            return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}{unit}"
    return str(number)


def dollars(amount: float) -> str:
    """`1.25 usd`; small amounts keep the digits that say something."""
    return f"{amount:,.2f} usd" if amount >= 1 or not amount else f"{amount:.4f} usd"
