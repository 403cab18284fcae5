"""Ways in that let in the wrong one: CWE-287, CWE-640, CWE-345."""

import ast
import re

from harness.schema.finding import Finding
from harness.schema.verdict import Verdict
from harness.source.project import Project
from verifiers.static.claimed.access import missing, trusted
from verifiers.static.claimed.access.application import reading_of
from verifiers.static.claimed.access.reading import IDENTITY, gives_identity
from verifiers.static.claimed.access.subject import Subject, module_of, subject_at
from verifiers.static.reading import chain, words
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_CHANCE = re.compile(
    r"(?:random\.)?(?:randint|randrange|choices?|random|sample|getrandbits)|secrets\.\w+|uuid\.uuid4|hashlib\.\w+"
)
_WEAK = re.compile(r"hashlib\.(?:md5|sha\w+)|(?:datetime\.)+(?:now|utcnow)|time\.time|random\.\w+")
_CODES = re.compile(r"otp|one_?time|pin|verification|reset|code|token", re.I)


def falsify(finding: Finding, project: Project) -> Ruling:
    """CWE-287: what is trusted, a code that is handed out, a login that is missing; dismissed where the identity is verified."""
    module = module_of(finding, project)
    subject = subject_at(module, finding.line) if module is not None else None
    if module is None or subject is None:
        return cannot_tell("there is no function at this place")
    for ruling in (trusted.decision(subject, project, finding.line), _handed_out(subject, project)):
        if ruling.evidence:
            return ruling
    verified = _verified(subject, project)
    if verified is not None:
        return verified
    ruling = missing.login(finding, project)
    return (
        ruling
        if ruling.verdict is Verdict.CONFIRMED
        else cannot_tell("how it tells users apart does not show to be wrong")
    )


def recovery(finding: Finding, project: Project) -> Ruling:
    """CWE-640: the token of a reset is made from what can be guessed, or is given to whoever asks."""
    module = module_of(finding, project)
    subject = subject_at(module, finding.line) if module is not None else None
    if module is None or subject is None:
        return cannot_tell("there is no function at this place")
    ruling = _guessable(subject)
    return ruling if ruling.evidence else _handed_out(subject, project)


def genuine(finding: Finding, project: Project) -> Ruling:
    """CWE-345: data whose origin nobody checks."""
    module = module_of(finding, project)
    subject = subject_at(module, finding.line) if module is not None else None
    if module is None or subject is None:
        return cannot_tell("there is no function at this place")
    ruling = trusted.decision(subject, project, finding.line)
    return (
        ruling
        if ruling.evidence
        else _verified(subject, project) or cannot_tell("what is taken on trust does not show")
    )


def _verified(subject: Subject, project: Project) -> Ruling | None:
    """A token that is decoded with a key and named algorithms, or an identity from a session that the server keeps."""
    module = subject.module
    for call in (n for n in ast.walk(subject.node) if isinstance(n, ast.Call)):
        name = module.resolve(call.func) or chain(call.func)
        named = name == "jwt.decode" and len(call.args) > 1 and any(k.arg == "algorithms" for k in call.keywords)
        lax = any(k.arg in {"options", "verify"} for k in call.keywords) or "none" in ast.unparse(call).lower()
        if named and not lax:
            return falls(
                f"`{ast.unparse(call)[:90]}` verifies the signature", kind="operation", at=(module.location(call),)
            )
        if name.endswith("aiohttp_session.get_session") and gives_identity(subject, project):
            return falls(
                "the identity comes from the session that the server keeps or signs",
                kind="operation",
                at=(module.location(call),),
            )
    return None


def _handed_out(subject: Subject, project: Project) -> Ruling:
    """A code that is stored to be asked for later is also in the answer to who asked for it."""
    module = subject.module
    for name, call in _made_codes(subject):
        stored: ast.AST | None = None
        shown: ast.AST | None = None
        for node in ast.walk(subject.node):
            if isinstance(node, ast.Call) and node is not call:
                last = getattr(node.func, "attr", getattr(node.func, "id", ""))
                inside = any(
                    isinstance(n, ast.Name) and n.id == name
                    for a in [*node.args, *(k.value for k in node.keywords)]
                    for n in ast.walk(a)
                )
                if inside and last in {"update", "create", "save", "insert_one", "execute", "set"}:
                    stored = stored or node
                if inside and last in {"render", "render_template", "jsonify", "flash", "JsonResponse", "HttpResponse"}:
                    shown = shown or node
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(target, ast.Subscript) and any(
                isinstance(n, ast.Name) and n.id == name for n in ast.walk(target)
            ):
                stored = stored or node
        if stored is not None and shown is not None:
            reading = reading_of(subject, project)
            if not any(
                reading.says(n, IDENTITY) for n in ast.walk(subject.node) if isinstance(n, ast.Name | ast.Attribute)
            ):
                return stands(
                    f"the code `{name}` that proves who one is goes into the answer to whoever asks for it", kind="identity",
                    at=(module.location(shown), module.location(call)),
                )  # fmt: skip
    return cannot_tell("no code is handed out")


def _guessable(subject: Subject) -> Ruling:
    for name, call in _made_codes(subject):
        parts = [subject.module.resolve(n.func) or chain(n.func) for n in ast.walk(call) if isinstance(n, ast.Call)]
        if parts and all(
            _WEAK.fullmatch(p)
            or p.rpartition(".")[2] in {"encode", "hexdigest", "digest", "join", "str", "repr", "int", "format"}
            or not p
            for p in parts
        ):
            return stands(
                f"`{name}` is made from what can be guessed: `{ast.unparse(call)[:90]}`", kind="identity",
                at=(subject.module.location(call),),
            )  # fmt: skip
    return cannot_tell("how the token is made does not show to be weak")


def _made_codes(subject: Subject) -> list[tuple[str, ast.expr]]:
    """Names that hold a code made by chance or from a digest."""
    found = []
    for node in ast.walk(subject.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            makes = any(
                _CHANCE.fullmatch(subject.module.resolve(c.func) or chain(c.func))
                for c in ast.walk(node.value) if isinstance(c, ast.Call)
            )  # fmt: skip
            if (
                makes
                and not re.search("csrf|xsrf", name, re.I)
                and (_CODES.search(name) or set(words(name)) & {"otp", "code", "token"})
            ):
                found.append((name, node.value))
    return found
