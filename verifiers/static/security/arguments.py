"""Which part of a call, return or assignment counts for a kind of sink, and whether the callee is what it seems."""

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifiers.static.security import operator, slow
from verifiers.static.security.danger import Answer, Outcome, judge
from verifiers.static.security.state import DictObject, Instance, ListObject, State, reachable
from verifiers.static.security.values import (
    LATER_WORDS,
    Const,
    Function,
    Global,
    Method,
    OneOf,
    Opaque,
    PathValue,
    Piece,
    Ref,
    Value,
    concat,
    ident_of,
    one_of,
    options,
    parts,
    pieces_in,
)

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Frame

_SQL = re.compile(
    r"\s*(?:\(|select|insert|update|delete|replace|create|drop|alter|with|pragma|exec|call|merge)\b", re.I
)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "/bin/sh", "/bin/bash", "cmd", "cmd.exe", "powershell"})
_RUNS_OTHERS = re.compile(
    r"(?:ba|z|da|k)?sh|cmd|powershell|python|perl|ruby|node|php|ssh|sudo|su|doas|env|xargs|find|nohup|time|nice|exec|watch",
    re.I,
)
"""Programs that run what their arguments say."""
_KEYWORDS = {
    "command": ("args", "cmd"), "path": ("file", "path"), "redirect": ("location", "url"),
    "html": ("response", "content", "text", "body"), "ssrf": ("url",), "sql": ("sql", "query"),
    "ldap": ("filterstr", "search_filter"),
}  # fmt: skip
_SECOND = frozenset({"elementpath.select", "requests.request", "httpx.request"})
_AUTHORITY = re.compile(
    r"(?:^|_|is)(?:user|uid|account|role|admin|auth|login|owner|permission|group|tenant|staff)(?:s|id|name|_|$)",
    re.IGNORECASE,
)
"""Session keys that later code reads as who the visitor is or what they may do."""


def judged(
    kind: str,
    node: ast.AST,
    frame: "Frame",
    given: Sequence[Value],
    keywords: dict[str, Value],
    callee: Value | None,
    state: State,
) -> tuple[Outcome, Value]:
    """What the arriving value does, and the value itself."""
    if isinstance(node, ast.Subscript):
        return _session(given, callee, state)
    if isinstance(node, ast.Return):
        return _body(given[0], state)
    if isinstance(callee, Function):
        return Outcome(Answer.SAFE, "the callee is a function of the project, not the library's"), Const(None)
    if isinstance(callee, OneOf):
        return _several(kind, node, frame, given, keywords, callee, state)
    name = callee.name if isinstance(callee, Global) else ""
    if kind == "pattern":
        return slow.judged(name, callee, given, frame, state)
    value = _argument(kind, name, given, keywords, callee, state)
    if value is None:
        return Outcome(Answer.SAFE, "the call has no such argument"), Const(None)
    value = _refined(kind, value, state)
    if kind == "command":
        return _command(name, value, keywords, state), value
    if kind == "xxe":
        return _xml(name, value, given, keywords, state), value
    if kind == "deserialization":
        item = state.heap.get(value.number) if isinstance(value, Ref) else None
        if isinstance(item, Instance) and item.kind == "file":
            held = operator.content(item.attributes.get("name", Const("")), getattr(node, "lineno", 1))
            value = value if held is None else held
        return _deserialised(name, value, given, keywords, frame), value
    if kind == "html" and _other_type(name, keywords):
        return Outcome(Answer.SAFE, "the response is not sent as HTML"), value
    if kind == "html":
        return _body(value, state)
    if kind in {"sql", "ldap", "xpath"} and not _looks_right(kind, callee, value):
        return Outcome(Answer.UNKNOWN, f"nothing shows that this is {kind.upper()}"), value
    if kind == "redirect" and _external(value, state):
        return Outcome(Answer.SAFE, "the host of the target is compared with the allowed ones"), value
    return judge(kind, value), value


def _other_type(name: str, keywords: dict[str, Value]) -> bool:
    """Whether the response says that it is no HTML, or says nothing where that means plain text."""
    said = [keywords[k] for k in ("content_type", "mimetype", "media_type") if k in keywords]
    texts = [str(v.value) for v in said if isinstance(v, Const)]
    if said:
        return len(texts) == len(said) and not any("html" in t or "xml" in t for t in texts)
    return name == "aiohttp.web.Response" and "headers" not in keywords


def _several(
    kind: str,
    node: ast.AST,
    frame: "Frame",
    given: Sequence[Value],
    keywords: dict[str, Value],
    callee: OneOf,
    state: State,
) -> tuple[Outcome, Value]:
    found = [judged(kind, node, frame, given, keywords, option, state) for option in callee.values]
    for wanted in (Answer.HARM, Answer.UNKNOWN):
        for outcome, value in found:
            if outcome.answer is wanted:
                return outcome, value
    return found[0]


def _argument(
    kind: str, name: str, given: Sequence[Value], keywords: dict[str, Value], callee: Value | None, state: State
) -> Value | None:
    if kind == "path" and isinstance(callee, Method) and callee.name == "save":
        uploaded = any(p.ident[:2] == ("request", "files") for p in pieces_in(callee.receiver))
        return given[0] if uploaded and given else Opaque("what `save` writes", reachable(callee, state))
    if kind == "path" and isinstance(callee, Method):
        return (
            callee.receiver if isinstance(callee.receiver, PathValue) else Opaque("receiver", reachable(callee, state))
        )
    position = 1 if name in _SECOND else 0
    if kind == "ldap":
        position = 2 if isinstance(callee, Method) and callee.name.endswith("_s") else 1
    if position < len(given):
        if name in {"os.rename", "os.replace", "shutil.copy", "shutil.copyfile", "shutil.move"}:
            return one_of(given[:2])
        return given[position]
    for keyword in _KEYWORDS.get(kind, ()):
        if keyword in keywords:
            return keywords[keyword]
    return None


def _refined(kind: str, value: Value, state: State) -> Value:
    """What conditions taught since the value was made, also about parts of it that were looked at on their own."""
    found = []
    for option in options(value):
        current = state.refined(option)
        if kind == "code" and isinstance(current, Piece) and _is_literal(current, state):
            current = replace(current, marks=current.marks | {"literal"})
        found.append(state.settled(current))
    return one_of(found)


def _is_literal(piece: Piece, state: State) -> bool:
    """Begins and ends with a quote and has none between: `'...'`."""
    for quote in "'\"":
        inside = state.facts.get((*piece.ident, ("slice", "1:-1")))
        ends = {f"prefix:{quote}", f"suffix:{quote}"} <= piece.marks
        if ends and inside is not None and quote in inside.lacks:
            return True
    return False


def _external(value: Value, state: State) -> bool:
    for option in options(value):
        if not pieces_in(option):
            continue
        looked_at = [state.facts.get((*ident_of(option), part)) for part in ("netloc", "hostname")]
        if not any(fact is not None and "member" in fact.marks for fact in looked_at):
            return False
    return bool(pieces_in(value))


def _command(name: str, value: Value, keywords: dict[str, Value], state: State) -> Outcome:
    shell = keywords.get("shell", Const(False)) != Const(False)
    if name.startswith("subprocess.") and name not in {"subprocess.getoutput", "subprocess.getstatusoutput"}:
        items = [state.heap.get(o.number) if isinstance(o, Ref) else None for o in options(value)]
        if all(isinstance(item, ListObject) for item in items):
            outcomes = [_argument_list(item, shell) for item in items if isinstance(item, ListObject)]
            order = (Answer.HARM, Answer.UNKNOWN, Answer.SAFE)
            return min(outcomes, key=lambda o: order.index(o.answer))
        if not shell:
            return Outcome(Answer.UNKNOWN, "no shell is used, and the arguments are not known one by one")
    return judge("command", value)


def _argument_list(item: ListObject, shell: bool) -> Outcome:
    items = list(item.items)
    if shell and items:
        return judge("command", items[0])
    if items and pieces_in(items[0]):
        return judge("code", items[0])
    names = {v.value for v in options(items[0]) if isinstance(v, Const)} if items else set()
    if names and all(isinstance(n, str) and n.rpartition("/")[2].lower() in _SHELLS for n in names) and len(items) > 2:
        return judge("command", concat(*items[2:3]))
    fixed = bool(names) and all(isinstance(n, str) and not _RUNS_OTHERS.match(n.rpartition("/")[2]) for n in names)
    of_nobody = item.rest == Opaque(LATER_WORDS) or (isinstance(item.rest, Piece) and not item.rest.untrusted)
    if of_nobody and fixed and not shell:
        program = " or ".join(sorted(map(str, names)))
        return Outcome(
            Answer.SAFE, f"no shell is used, the program is always {program}, and no outsider's data is seen"
        )
    if item.rest is not None:
        return Outcome(Answer.UNKNOWN, "the list of arguments is not known whole")
    return Outcome(Answer.SAFE, "an argument list without a shell: the value stays one argument")


def _xml(name: str, value: Value, given: Sequence[Value], keywords: dict[str, Value], state: State) -> Outcome:
    parser = given[1] if len(given) > 1 else keywords.get("parser")
    item = state.heap.get(parser.number) if isinstance(parser, Ref) else None
    if parser is None:
        if name.startswith("lxml."):
            return Outcome(Answer.UNKNOWN, "whether external entities are on depends on the version of lxml")
        return Outcome(Answer.SAFE, "the parser of the standard library leaves external entities alone")
    if not isinstance(item, Instance):
        return Outcome(Answer.UNKNOWN, "the parser is not known")
    switches = {str(k): v for k, v in item.attributes.items()}
    on = any(
        v == Const(True) or v == Const(1)
        for k, v in switches.items()
        if "external_ges" in k or "external-general-entities" in k or k == "external"
    )
    if not on:
        return Outcome(Answer.SAFE, "external entities are not switched on for this parser")
    return judge("xxe", value)


def _deserialised(
    name: str, value: Value, given: Sequence[Value], keywords: dict[str, Value], frame: "Frame"
) -> Outcome:
    if name.endswith(".Unpickler") and any(
        isinstance(n, ast.Attribute) and n.attr == "find_class" for n in ast.walk(frame.function or frame.module.tree)
    ):
        return Outcome(Answer.UNKNOWN, "which classes the unpickler finds is restricted, how well is not known")
    if name.startswith("yaml.load"):
        loader = given[1] if len(given) > 1 else keywords.get("Loader")
        loader_name = loader.name.rpartition(".")[2] if isinstance(loader, Global) else ""
        if loader_name in {"SafeLoader", "CSafeLoader", "BaseLoader"}:
            return Outcome(Answer.SAFE, "a safe loader makes plain data only")
        if loader_name not in {"Loader", "UnsafeLoader", "CLoader", "FullLoader"}:
            return Outcome(Answer.UNKNOWN, "the loader is not known")
    return judge("deserialization", value)


def _looks_right(kind: str, callee: Value | None, value: Value) -> bool:
    if isinstance(callee, Global) and not callee.name.startswith(("flask.g.", "flask.current_app.", "flask.globals.")):
        return callee.name.partition(".")[0] in {"lxml", "elementpath", "ldap", "sqlalchemy", "django"}
    for option in options(value):
        first = parts(option)[0]
        text = "".join(p if isinstance(p, str) else "?" for p in parts(option))
        if kind == "sql" and isinstance(first, str) and _SQL.match(first):
            return True
        if kind == "ldap" and "(" in text and "=" in text:
            return True
        if kind == "xpath" and isinstance(callee, Method) and callee.name == "xpath":
            return True
        if kind == "xpath" and ("/" in text or "[" in text):
            return True
    return False


def _body(value: Value, state: State) -> tuple[Outcome, Value]:
    """What is sent as HTML: a text, a response object, or `(body, status, headers)`."""
    outcomes: list[tuple[Outcome, Value]] = []
    for option in options(value):
        item = state.heap.get(option.number) if isinstance(option, Ref) else None
        if isinstance(item, ListObject) and item.items:
            if _plain(item, state):
                outcomes.append((Outcome(Answer.SAFE, "the response is not sent as HTML"), option))
                continue
            option = state.refined(item.items[0])
        elif isinstance(item, Instance) and item.kind == "response":
            option = state.refined(item.attributes["body"])
        elif isinstance(item, DictObject | Instance):
            outcomes.append((Outcome(Answer.SAFE, "the response is not sent as HTML"), option))
            continue
        outcomes += [(judge("html", o), o) for o in options(state.refined(option))]
    for wanted in (Answer.HARM, Answer.UNKNOWN):
        for outcome, shown in outcomes:
            if outcome.answer is wanted:
                return outcome, shown
    return outcomes[0]


def _plain(item: ListObject, state: State) -> bool:
    for extra in item.items[1:]:
        headers = state.heap.get(extra.number) if isinstance(extra, Ref) else None
        if isinstance(headers, DictObject):
            for key, value in headers.items.items():
                if str(key).lower() == "content-type":
                    return not (isinstance(value, Const) and "html" in str(value.value))
    return False


def _session(given: Sequence[Value], owner: Value | None, state: State) -> tuple[Outcome, Value]:
    """A key that a client chooses, or a value under a key that later code reads as authority."""
    key, value = (state.refined(v) for v in given)
    if not (isinstance(owner, Global) and owner.name.rpartition(".")[2] == "session") and not (
        isinstance(owner, Method) and owner.name == "session"
    ):
        return Outcome(Answer.UNKNOWN, "whether this is a session is not known"), value
    if pieces_in(key):
        return judge("session", key), key
    named = isinstance(key, Const) and _AUTHORITY.search(str(key.value))
    outcome = judge("session", value)
    if outcome.answer is Answer.HARM and not named:
        return Outcome(Answer.UNKNOWN, "what the key means to later code is not known", outcome.piece), value
    return outcome, value
