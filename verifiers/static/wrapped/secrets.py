"""Secrets: is the text at this place one that somebody could use? No ruling ever repeats it."""

import ast
import base64
import binascii
import math
import re
from collections import Counter

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_PLACEHOLDER = re.compile(
    r"example|changeme|change[-_ ]?me|placeholder|dummy|sample|fake|your[-_ ]|xxx|\*\*\*|<[^>]*>|\$\{|\{\{|%\(|redacted"
    r"|^(?:dev|test|secret|password|passwd|admin|root|none|null|true|false|foo|bar|hunter2|12345\w*|abc\w*|qwerty)$|insecure",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:^|/)(?:examples?|samples?|demos?|docs?|benchmarks?|fixtures?|testdata|mocks?)/|example|\.(?:dist|template|sample)$"
)
_FORM = {
    "aws-key": re.compile(r"A(?:KIA|SIA)[A-Z2-7]{16}"),
    "github-token": re.compile(r"gh[pousr]_[A-Za-z0-9]{36}"),
    "gitlab-token": re.compile(r"glpat-[A-Za-z0-9_-]{20,}"),
    "slack-token": re.compile(r"xox[abposr]-(?:\d+-)+[A-Za-z0-9]{20,}"),
    "stripe-key": re.compile(r"[rs]k_live_[0-9a-zA-Z]{24,}"),
    "sendgrid-key": re.compile(r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    "pypi-token": re.compile(r"pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{70,}"),
    "openai-token": re.compile(r"sk-[A-Za-z0-9-_]*T3BlbkFJ[A-Za-z0-9-_]+"),
}
"""Forms that only the issuer's own generator produces."""
_PATTERN = re.compile(r"\(\?[:!=<P]|\[[^\]]+\](?:[*+?]|\{\d)|\\[wdsbWDSB]")
"""What only a regular expression is written with."""
_MIN_ENTROPY = 3.2
"""Bits for each character; words and counters stay below it."""


def known_form(finding: Finding, project: Project) -> Ruling:
    """detect-secrets: confirms a token of an issuer's exact form that is no pattern, outside examples."""
    line = project.lines(finding.path)[finding.line - 1]
    value = line[finding.column - 1 : (finding.end_column or len(line) + 1) - 1]
    kind = finding.facts.get("secret", "")
    place = (finding.location,)
    if kind == "private-key":
        return _private_key(finding, project)
    if _PLACEHOLDER.search(value):
        return falls("the text is a placeholder", kind="constant", at=place)
    if kind == "basic-auth" and _in_text(finding, project):
        return falls("the line is documentation", kind="syntax", at=place)
    if kind in {"keyword", "basic-auth"}:
        return _word(finding, line, value)
    if kind == "twilio-key" or kind not in _FORM:
        return cannot_tell("nothing but its issuer can tell whether this is a live key")
    if not _FORM[kind].search(value):
        return cannot_tell("the text has not the exact form of such a key")
    if _entropy(value) < _MIN_ENTROPY:
        return falls("the text repeats a few characters, as made-up keys do", kind="constant", at=place)
    if _ASIDE.search(finding.path):
        return cannot_tell("the file is an example")
    return stands("the text has the exact form that the issuer gives to live keys", kind="constant", at=place)


def _private_key(finding: Finding, project: Project) -> Ruling:
    lines = project.lines(finding.path)
    place = (finding.location,)
    body: list[str] = []
    for line in lines[finding.line : finding.line + 400]:
        text = line.strip().strip("\"'\\n,+ ")
        if "END" in text and "PRIVATE KEY" in text:
            break
        if re.fullmatch(r"[A-Za-z0-9+/=]{1,76}", text):
            body.append(text)
        elif ":" in text and not body:
            if "ENCRYPTED" in text:
                return cannot_tell("the key is encrypted")
            continue
        else:
            return falls("no key follows the header", kind="constant", at=place)
    else:
        return falls("the key has no end", kind="constant", at=place)
    if "ENCRYPTED" in lines[finding.line - 1]:
        return cannot_tell("the key is encrypted")
    try:
        raw = base64.b64decode("".join(body), validate=True)
    except (binascii.Error, ValueError):
        return falls("what stands between the lines is no base64", kind="constant", at=place)
    if len(raw) < 64 or not (raw[:1] == b"\x30" or raw.startswith(b"openssh-key-v1")):
        return falls("what stands between the lines is no key", kind="constant", at=place)
    if _ASIDE.search(finding.path) or re.search(
        r"test|snakeoil|localhost|dummy|(?:^|/)(?:dev|demo|local)/", finding.path, re.IGNORECASE
    ):
        return cannot_tell("by its path the key serves tests or examples")
    return stands(f"{len(raw)} bytes of an unencrypted key follow the header", kind="constant", at=place)


def _word(finding: Finding, line: str, value: str) -> Ruling:
    place = (finding.location,)
    text = re.split(r"\s#", value)[0].strip("\"'`,; ")
    if (
        re.search(r"[\s(){}\[\]$]", text)
        or re.fullmatch(r"[a-z]+(?:[._/-][a-z]+)*", text, re.IGNORECASE)
        or text.isdigit()
    ):
        return falls("the text is a name, a path, a word or an expression", kind="constant", at=place)
    if (
        len(text) < 12
        or _entropy(text) < _MIN_ENTROPY
        or not (any(c.isdigit() for c in text) and any(c.isalpha() for c in text))
    ):
        return cannot_tell("the text may be a word as well as a secret")
    if _ASIDE.search(finding.path) or re.search(
        r"hash|digest|checksum|sha(?:1|256|512)|fingerprint|public|uuid|salt|_id\b", line, re.IGNORECASE
    ):
        return cannot_tell("the line may hold something that is no secret")
    return cannot_tell("the text looks like a secret; whether it opens anything is not known")


def in_python(finding: Finding, project: Project) -> Ruling:
    """S105, S106, S107: dismisses names, prefixes, messages and placeholders; confirms random text given to a password."""
    module = module_of(finding, project)
    node = _literal(module, finding) if module else None
    if module is None or node is None:
        return cannot_tell("there is no literal at this place")
    place = (module.location(node),)
    value = node.value
    if not isinstance(value, str):
        return falls("the value is no text", kind="constant", at=place)
    if isinstance(module.parents.get(node), ast.Compare):
        return falls("the text is compared with a value, not used as one", kind="use", at=place)
    name = finding.facts.get("name0", "").lower()
    if re.search(
        r"(?:prefix|suffix|field|header|name|url|uri|path|param|label|message|reason|source|type|error|hint|regex|format|column|setting|kind)s?$",
        name,
    ):
        return falls("by its name the value is not the secret itself", kind="definition", at=place)
    if not value or _PLACEHOLDER.search(value):
        return falls("the text is a placeholder", kind="constant", at=place)
    if (
        re.search(r"\s", value.strip())
        or re.fullmatch(r"[A-Za-z]+(?:[._/:-][A-Za-z]+)*:?|[%{<$/].*|.*[%}>/]", value)
        or _PATTERN.search(value)
        or len(value) < 6
    ):
        return falls("the text is a word, a name, a path or a pattern", kind="constant", at=place)
    if _ASIDE.search(module.path):
        return cannot_tell("the file is an example")
    if (
        len(value) >= 16
        and _entropy(value) >= _MIN_ENTROPY
        and any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and "_" not in value.strip("_")
    ):
        return stands(f"{len(value)} random characters are the value of `{name}`", kind="constant", at=place)
    return cannot_tell("the text may be a word as well as a password")


def _literal(module: Module, finding: Finding) -> ast.Constant | None:
    """The first text literal at or behind the finding's column."""
    at = [n for n in module.nodes(ast.Constant) if n.lineno == finding.line and isinstance(n.value, str)]
    return next((n for n in at if module.location(n).column >= finding.column), None)


def _in_text(finding: Finding, project: Project) -> bool:
    """Whether the place is inside a docstring or a comment of a Python module."""
    module = module_of(finding, project)
    if module is None:
        return False
    texts = [n for n in module.nodes(ast.Expr) if isinstance(n.value, ast.Constant) and isinstance(n.value.value, str)]
    inside = any(n.lineno <= finding.line <= (n.end_lineno or n.lineno) for n in texts)
    return inside or module.lines[finding.line - 1].lstrip().startswith("#")


def _entropy(text: str) -> float:
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) if text else 0.0
