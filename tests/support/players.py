"""Models for end-to-end tests: functions that read a request as it came over the wire and answer like a model would."""

import json
import re
from typing import Any

from tests.support.model_server import Answer, Seen


def text_of(seen: Seen) -> str:
    """Everything the model would read, as one text."""
    return json.dumps(seen.body, ensure_ascii=False)


def nonce_of(seen: Seen) -> str:
    """The nonce the answer must carry: that of the last message that states one."""
    found = re.findall(r'nonce\\+": \\+"([0-9a-f]{16})', text_of(seen))
    return found[-1] if found else ""


def is_auditor(seen: Seen) -> bool:
    """Whether the request comes from a model auditor (else from a falsifier)."""
    return "You are one auditor of several" in text_of(seen)


def findings(seen: Seen, *items: dict[str, Any]) -> Answer:
    """An auditor's answer."""
    return Answer(text=json.dumps({"nonce": nonce_of(seen), "findings": list(items)}))


def vote(seen: Seen, verdict: str, reason: str, *quotes: tuple[str, int, str]) -> Answer:
    """A falsifier's answer."""
    body = {
        "nonce": nonce_of(seen),
        "verdict": verdict,
        "reason": reason,
        "quotes": [{"path": p, "line": n, "text": t} for p, n, t in quotes],
        "reproducer": None,
    }
    return Answer(text=json.dumps(body))


def finding(path: str, line: int, quote: str, **more: Any) -> dict[str, Any]:
    """One finding as a model writes it."""
    return {
        "path": path, "line": line, "end_line": line, "quote": quote, "symbol": None, "severity": "medium", "cwe": None,
        "scenario": "A user calls it with an empty list, and the division raises ZeroDivisionError.",
        "fix": "Return 0.0 for an empty list.", "missing_pattern": None, **more,
    }  # fmt: skip
