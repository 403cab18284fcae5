"""Whether a value does harm at a sink: which characters an attacker needs there, and whether they can get through."""

from enum import Enum
from typing import NamedTuple

from verifiers.static.security.values import OTHER, Opaque, Piece, Value, options, parts


class Answer(Enum):
    """What the value does."""

    HARM = "harm"
    SAFE = "safe"
    UNKNOWN = "unknown"


class Outcome(NamedTuple):
    """The answer for one value, with the reason and the piece it is about."""

    answer: Answer
    reason: str
    piece: Piece | None = None


OWN = "the value comes from the user who runs the program: an attack only across a privilege line"

_SHELL = frozenset(";|&$`\n<>(){} '\"\\*?#~=%!")
_SHELL_BREAKERS = frozenset(";|&$`\n<>")
_LDAP = frozenset("()*\\\0")
_SQL_OUTSIDE = frozenset(" '\"();-/*,=")


def judge(kind: str, value: Value) -> Outcome:
    """The worst that one of the alternatives does; UNKNOWN when none harms for certain and one may."""
    outcomes = [_judge(kind, option) for option in options(value)]
    for wanted in (Answer.HARM, Answer.UNKNOWN):
        for outcome in outcomes:
            if outcome.answer is wanted:
                return outcome
    return outcomes[0]


def _judge(kind: str, value: Value) -> Outcome:
    items = parts(value)
    found: list[Outcome] = []
    before = ""
    for position, item in enumerate(items):
        if isinstance(item, str):
            before += item
        elif isinstance(item, Opaque):
            if kind in {"ssrf", "redirect"} and _host_is_fixed(before):
                pass
            elif item.pieces:
                found.append(Outcome(Answer.UNKNOWN, f"{item.why} may hold untrusted data", item.pieces[0]))
            else:
                found.append(Outcome(Answer.UNKNOWN, f"{item.why} is not known"))
            before += "\ufffd"
        else:
            if item.untrusted:
                after = "".join(p for p in items[position + 1 :] if isinstance(p, str))
                found.append(_piece(kind, item, before, after))
            before += "\ufffd"
    if not found:
        return Outcome(Answer.SAFE, "the value never carries untrusted data")
    for wanted in (Answer.HARM, Answer.UNKNOWN):
        for outcome in found:
            if outcome.answer is wanted:
                return outcome
    return found[0]


def _host_is_fixed(before: str) -> bool:
    """Whether the text so far is a whole `scheme://host/`, so that what follows changes neither."""
    scheme, mark, rest = before.partition("://")
    host = rest.partition("/")[0]
    return bool(mark) and scheme.isalpha() and "/" in rest and "\ufffd" not in host and bool(host)


def _piece(kind: str, piece: Piece, before: str, after: str) -> Outcome:
    if not piece.chars:
        return Outcome(Answer.SAFE, "the untrusted value is empty on this path", piece)
    if "member" in piece.marks:
        return Outcome(Answer.SAFE, "the untrusted value is one of a fixed list on every way here", piece)
    if piece.chars <= frozenset("0123456789+-.e") | {OTHER} and kind not in {"session", "redirect", "ssrf"}:
        return Outcome(Answer.SAFE, "only digits get through", piece)
    outcome = _BY_KIND.get(kind, _anything)(piece, before, after)
    if outcome.answer is Answer.HARM and "operator" in piece.marks and not _harms_anyway(kind, piece, before):
        return Outcome(Answer.UNKNOWN, OWN, piece)
    named = "exists" in piece.marks and kind != "path" and "operator" not in piece.marks
    if outcome.answer is Answer.HARM and named:
        return Outcome(Answer.UNKNOWN, "only names of files that are there get through", piece)
    if outcome.answer is Answer.HARM and "checked" in piece.marks:
        return Outcome(Answer.UNKNOWN, "a check that this method cannot read looks at the value first", piece)
    return outcome


def _harms_anyway(kind: str, piece: Piece, before: str) -> bool:
    """Whether it is a defect though the user who runs the program decides the value: an argument of a command that the
    program names, or the content of a file that somebody else may have made."""
    if kind == "deserialization":
        return "whole-file" in piece.marks
    return kind == "command" and any(c.isalnum() for c in before)


def _harm(piece: Piece) -> Outcome:
    return Outcome(Answer.HARM, "", piece)


def _safe(piece: Piece, reason: str) -> Outcome:
    return Outcome(Answer.SAFE, reason, piece)


def _unknown(piece: Piece, reason: str) -> Outcome:
    return Outcome(Answer.UNKNOWN, reason, piece)


def _anything(piece: Piece, before: str, after: str) -> Outcome:
    del before, after
    return _harm(piece)


def _open_quote(text: str) -> str:
    """The quote character that is open at the end of `text`, '' when none is."""
    quote = ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
    return quote


def _command(piece: Piece, before: str, after: str) -> Outcome:
    del after
    if "shell-quoted" in piece.marks:
        if _open_quote(before):
            return _unknown(piece, "quoted for the shell, but inside other quotes")
        return _safe(piece, "the value is quoted for the shell")
    quote = _open_quote(before)
    needed = {"'": frozenset("'"), '"': frozenset('"$`')}.get(quote, _SHELL_BREAKERS)
    if piece.chars & needed and not needed & piece.chars <= piece.lacks:
        return _harm(piece)
    if quote or not piece.chars & _SHELL:
        return _safe(piece, "no character that the shell reads as syntax gets through")
    return _unknown(piece, "spaces and quotes get through, shell operators do not")


def _code(piece: Piece, before: str, after: str) -> Outcome:
    del after
    quote = _open_quote(before)
    if quote and quote not in piece.chars and "\\" not in piece.chars:
        return _safe(piece, "the value stays inside a string literal")
    letters = frozenset("abcdefghijklmnopqrstuvwxyz")
    if not piece.chars & letters:
        return _safe(piece, "no letter gets through")
    if "literal" in piece.marks:
        return _safe(piece, "checks before the call let only one plain string literal through")
    if piece.lacks or not frozenset("().'\"_ ") <= piece.chars:
        return _unknown(piece, "a check keeps some characters out of the code")
    return _harm(piece)


def _quoted(piece: Piece, before: str, language: str, outside: frozenset[str]) -> Outcome:
    quote = _open_quote(before)
    if quote:
        if quote in piece.chars and quote not in piece.lacks:
            return _harm(piece)
        return _safe(piece, f"the value stands between {quote} in the {language} and cannot hold that character")
    if piece.chars & outside:
        return _harm(piece)
    return _safe(piece, f"no character with a meaning in {language} gets through")


def _sql(piece: Piece, before: str, after: str) -> Outcome:
    del after
    return _quoted(piece, before, "SQL", _SQL_OUTSIDE)


def _xpath(piece: Piece, before: str, after: str) -> Outcome:
    del after
    return _quoted(piece, before, "XPath", frozenset("'\"[]()/@=|* "))


def _ldap(piece: Piece, before: str, after: str) -> Outcome:
    del before, after
    if piece.chars & _LDAP:
        return _harm(piece)
    return _safe(piece, "no character with a meaning in LDAP filters gets through")


def _path(piece: Piece, before: str, after: str) -> Outcome:
    del after
    if "contained" in piece.marks:
        return _safe(piece, "the resolved path is compared with the folder before it is used")
    slash, dots = "/" in piece.chars, "." in piece.chars
    climbs = dots and not {"..", "../", "/../", "/.."} & piece.lacks
    if before and "resets" not in piece.marks:
        if before[-1] not in "/\\\ufffd" and "/" in before and climbs:
            return _unknown(piece, "`..` after part of a name needs a folder of that name")
        if not before.endswith("/") and "/" in before and not slash:
            return _safe(piece, "the value cannot leave the folder: no `/` gets through")
        if slash and climbs:
            return _harm(piece)
        return _safe(piece, "the value cannot leave the folder: `../` does not get through")
    if slash and any(mark.startswith("prefix:") for mark in piece.marks):
        return _harm(piece) if climbs else _safe(piece, "the beginning is checked and `..` does not get through")
    if slash:
        return _harm(piece)
    if before or "resets" in piece.marks:
        return _safe(piece, "the value cannot leave the folder: no `/` gets through")
    return _unknown(piece, "the value names any file of the working directory, not more")


def _html(piece: Piece, before: str, after: str) -> Outcome:
    del after
    if "safe-html" in piece.marks:
        return _safe(piece, "the value is escaped")
    inside_tag = before.rfind("<") > before.rfind(">")
    if inside_tag:
        quote = _open_quote(before[before.rfind("<") :])
        if quote and quote not in piece.chars:
            return _safe(piece, "the value stays inside a quoted attribute")
        return _harm(piece) if piece.chars >= frozenset("<>\"'") else _unknown(piece, "inside a tag, partly escaped")
    if "<" in piece.chars and "<" not in piece.lacks:
        return _harm(piece)
    return _safe(piece, "no `<` gets through: the value is escaped")


def _redirect(piece: Piece, before: str, after: str) -> Outcome:
    del after
    if "host-pinned" in piece.marks:
        return _safe(piece, "the host of the target is compared with the allowed ones")
    if before:
        scheme, mark, rest = before.partition("://")
        if mark and scheme.isalpha():
            if "/" in rest or "?" in rest or "#" in rest:
                return _safe(piece, "host and beginning of the target are fixed")
            return _harm(piece) if "." in piece.chars or "@" in piece.chars else _unknown(piece, "part of a host name")
        if before.startswith("/") and len(before) > 1 and before[1] not in "/\\":
            return _safe(piece, "the target begins with a fixed path of this site")
        if before == "/":
            return _harm(piece) if "/" in piece.chars else _safe(piece, "no second `/` gets through")
        if before.startswith(("?", "#")):
            return _safe(piece, "only the query changes")
        return _unknown(piece, "what the beginning of the target means is not known")
    prefixes = [m for m in piece.marks if m.startswith("prefix:")]
    if prefixes:
        return _unknown(piece, f"the beginning of the target is checked ({prefixes[0].partition(':')[2]})")
    if not frozenset("/:.") <= piece.chars and "//" not in piece.chars:
        return _safe(piece, "no `:` or `/` gets through")
    return _harm(piece)


def _session(piece: Piece, before: str, after: str) -> Outcome:
    del before, after
    return _harm(piece)


_BY_KIND = {
    "command": _command,
    "code": _code,
    "sql": _sql,
    "xpath": _xpath,
    "ldap": _ldap,
    "path": _path,
    "html": _html,
    "redirect": _redirect,
    "ssrf": _redirect,
    "session": _session,
}
