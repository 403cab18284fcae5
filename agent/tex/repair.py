"""Repairs by rules, before any model is asked: one at a time, each judged by the next compilation, none that loses something."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from agent.records import Change, Diagnosis, Edited, TexError
from agent.tex.compile import PASS_S, WALL_S, trial
from agent.tex.preserve import losses
from agent.tex.repairs import RULES, Broken, Rule, changed_line
from harness.clock import Clock
from harness.sandbox.base import Sandbox

ROUNDS = 24
"""Repairs tried at most, the unsuccessful ones included."""
_AGAIN = 5
"""How often one rule may help against one message: after that it only moves the trouble."""
_LOOKED_AT = 6
"""Mistakes of a diagnosis for which a rule is looked for: what comes later is mostly caused by what came before."""


class Mended(NamedTuple):
    """What the rules could do."""

    text: str
    """The document after all repairs that helped."""
    changes: tuple[Change, ...]
    """Those repairs, in order."""
    diagnosis: Diagnosis
    """What is still wrong; no errors when it compiles clean."""
    stopped: str
    """Why it ended before it was clean, '' when it is clean."""


def repair(
    tex: str, diagnosis: Diagnosis, work: Path, *, main: str = "report.tex", tried: frozenset[str] = frozenset()
) -> Edited:
    """The first rule that has something to say about the first mistake for which any has, applied once.

    Rules named in `tried` are left out. Nothing is ever deleted: a rewrite that loses environments, labels, citations,
    figures, numbers or words (`agent.tex.preserve`) is refused and the next rule asked. No changes when none is left.
    """
    for rule, text in _rewrites(tex, diagnosis, work, main):
        if rule.name not in tried and not losses(tex, text):
            change = Change(rule=rule.name, line=changed_line(tex, text), what=rule.what)
            return Edited(text=text, changes=(change,))
    return Edited(text=tex)


def _rewrites(tex: str, diagnosis: Diagnosis, work: Path, main: str) -> Iterator[tuple[Rule, str]]:
    for error in _distinct(diagnosis.errors):
        broken = Broken(tex, error, work, main)
        for rule in RULES:
            if error.kind in rule.kinds:
                text = rule.rewrite(broken)
                if text is not None and text != tex:
                    yield rule, text


def _distinct(errors: tuple[TexError, ...]) -> list[TexError]:
    seen: dict[tuple[str, str, int | None], TexError] = {}
    for error in errors:
        seen.setdefault((error.kind, error.token, error.line), error)
    return list(seen.values())[:_LOOKED_AT]


def mend(
    tex: str,
    work: Path,
    *,
    sandbox: Sandbox,
    clock: Clock,
    main: str = "report.tex",
    pass_s: float = PASS_S,
    wall_s: float = WALL_S,
    rounds: int = ROUNDS,
) -> Mended:
    """Compile, diagnose, repair, compile ... until `tex` is clean, nothing helps any more, or time or rounds are used up.

    A repair after which the first mistake is the same at the same place, or which brings back a text already seen, is taken
    back and the next rule asked. Nothing in `work` is touched. Raises SandboxUnavailable.
    """
    deadline = clock.monotonic() + wall_s

    def look(text: str) -> Diagnosis:
        left = deadline - clock.monotonic()
        once = trial(text, work, sandbox=sandbox, clock=clock, once=True, pass_s=min(pass_s, left), main=main)
        left = deadline - clock.monotonic()
        return (
            once
            if once.errors or left <= 0
            else trial(text, work, sandbox=sandbox, clock=clock, pass_s=pass_s, wall_s=left, main=main)
        )

    diagnosis = look(tex)
    changes: list[Change] = []
    tried: set[str] = set()
    used: Counter[tuple[str, str]] = Counter()
    seen = {tex}
    for _ in range(rounds):
        if not diagnosis.errors:
            return Mended(tex, tuple(changes), diagnosis, "")
        if clock.monotonic() >= deadline:
            return Mended(tex, tuple(changes), diagnosis, "out of time")
        edited = repair(tex, diagnosis, work, main=main, tried=frozenset(tried))
        if not edited.changes:
            return Mended(tex, tuple(changes), diagnosis, f"no rule for: {diagnosis.fingerprint}")
        after = look(edited.text) if edited.text not in seen else diagnosis
        seen.add(edited.text)
        if _helped(diagnosis, after):
            used[edited.changes[0].rule, diagnosis.fingerprint] += 1
            tex, diagnosis = edited.text, after
            changes += edited.changes
            tried = {rule for (rule, said), n in used.items() if n >= _AGAIN and said == diagnosis.fingerprint}
        else:
            tried.add(edited.changes[0].rule)
    return Mended(tex, tuple(changes), diagnosis, f"{rounds} repairs were tried" if diagnosis.errors else "")


def _helped(before: Diagnosis, after: Diagnosis) -> bool:
    """Clean, fewer mistakes, or another first mistake that is not only further up."""
    if not after.errors:
        return True
    if not before.errors:
        return False
    old, new = before.errors[0], after.errors[0]
    if (before.fingerprint, old.line) == (after.fingerprint, new.line):
        return len(after.errors) < len(before.errors)
    return len(after.errors) <= len(before.errors) or (new.line or 0) >= (old.line or 0)
