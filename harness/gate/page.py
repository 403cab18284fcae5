"""The verdict for people: a terminal, and the summary of a step."""

from harness.files import displayable
from harness.gate.verdict import GateVerdict

_WORDS = {"passed": "passed", "refused": "REFUSED", "incomplete": "INCOMPLETE"}
_MARKS = {"passed": "✓", "refused": "✗", "incomplete": "?"}


def text(verdict: GateVerdict) -> str:
    """One line a point, then the exit code and what to do."""
    base = verdict.base[:12] if verdict.base else "no base"
    lines = [f"gate  {base}..{verdict.ref} @ {(verdict.head or '')[:12]}"]
    lines += [f"  {point.name:<11}{_WORDS[point.state]:<12}{_safe(point.said)}" for point in verdict.points]
    return "\n".join([*lines, f"exit {verdict.exit_code}: {outcome(verdict)}"]) + "\n"


def outcome(verdict: GateVerdict) -> str:
    """The sentence behind the exit code."""
    if verdict.verdict == "pass":
        return f"may be merged; the verdict holds for {(verdict.head or '')[:12]} alone"
    if verdict.verdict == "refuse":
        stopped = ", ".join(point.name for point in verdict.points if point.state == "refused")
        return f"refused: {stopped}" + (f" · next: {verdict.next}" if verdict.next else "")
    return f"not a pass, nothing lost · continue with: {verdict.next}"


def markdown(verdict: GateVerdict) -> str:
    """A table for the summary of a step; no text of the repository can end it or link from it."""
    rows = [f"| {_MARKS[p.state]} {p.name} | {p.state} | {_cell(p.said)} |" for p in verdict.points]
    head = f"### harness gate: {verdict.verdict} (exit {verdict.exit_code})"
    return "\n".join([head, "", "| | | |", "|---|---|---|", *rows, "", _cell(outcome(verdict)), ""])


def _safe(said: str) -> str:
    return displayable(said, keep="")


def _cell(said: str) -> str:
    safe = _safe(said).replace("`", "'").replace("|", "\\|")
    return f"`{safe}`"
