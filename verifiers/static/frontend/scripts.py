"""dom-html-injection: where the value comes from, followed through the names of its own script."""

import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_OUTSIDE = re.compile(
    r"\b(?:window\.|document\.|self\.)?location\.(?:hash|search|href)\b|\bdocument\.(?:URL|documentURI|referrer|cookie)\b|\bwindow\.name\b|"
    r"\bnew URLSearchParams\(|\bevent\.data\b|\be\.data\b"
)
_CLEANS = re.compile(
    r"DOMPurify\.sanitize\(|\b\w*(?:escape|sanitiz|sanitis|encodeHTML|encodeURIComponent|stripHTML)\w*\(|\.textContent\b|\bNumber\(|\bparseInt\(|\bparseFloat\(|\.toFixed\(|\.length\b|JSON\.stringify\(",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_WORDS = frozenset(
    {
        "const",
        "let",
        "var",
        "new",
        "return",
        "function",
        "this",
        "true",
        "false",
        "null",
        "undefined",
        "document",
        "window",
        "typeof",
    }
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms a value that is read from the address, the referrer or a message; dismisses cleaned and constant ones."""
    value = finding.facts.get("value", "")
    text = "\n".join(project.lines(finding.path))
    place = (finding.location,)
    seen: set[str] = set()
    pending = [value]
    cleaned, unknown = False, False
    while pending and len(seen) < 30:
        expression = _without_texts(pending.pop())
        if _CLEANS.search(expression):
            cleaned = True
            continue
        outside = _OUTSIDE.search(expression)
        if outside:
            return stands(f"`{outside.group()}` is what somebody else can choose", kind="flow", at=place)
        for name in _NAME.findall(re.sub(r"\.\s*[A-Za-z_$][\w$]*", "", expression)):
            if name in seen or name in _WORDS:
                continue
            seen.add(name)
            bound = re.findall(
                rf"(?:const|let|var)\s+{re.escape(name)}\s*=\s*([^;\n]+)|(?<![\w.$]){re.escape(name)}\s*\+?=(?!=)\s*([^;\n]+)",
                text,
            )
            if not bound or re.search(
                rf"\bfunction\b[^(]*\([^)]*\b{re.escape(name)}\b|\(?[^()=]*\b{re.escape(name)}\b[^()=]*\)?\s*=>", text
            ):
                unknown = True
            pending += [a or b for a, b in bound]
    if not unknown and (cleaned or not pending):
        return falls("the value is made of literals and cleaned text", kind="flow", at=place)
    return cannot_tell("where the value comes from is not followed out of this script")


def _without_texts(expression: str) -> str:
    """The expression without the text of its literals; what template literals put in is kept."""
    inside = " ".join(re.findall(r"\$\{([^{}]*)\}", expression))
    return re.sub(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\])*`", " ", expression) + " " + inside
