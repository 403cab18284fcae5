"""Which of our claim kinds a result of another tool is, so that what code can decide is decided by code.

By the tool's rule where the tool is known, since one CWE covers rules that claim different things (Bandit files both "shell
injection" and "partial path" under CWE-78). By CWE for all other tools, and then only where the call at the place is one
that the kind is about. A result that fits nothing keeps its own kind, and is for a verifier that argues.
"""

import re
from typing import NamedTuple


class Kind(NamedTuple):
    """A claim kind of ours and what its verifier needs to find the place."""

    name: str
    """`command-injection`, `weak-hash` ..."""
    sink: str = ""
    """Sink kind of a claim about data that arrives somewhere, '' for other claims."""
    callees: str = ""
    """Regular expression of the resolved names of calls that the kind is about."""
    says: str = ""
    """Regular expression that the text of the call must hold, for kinds whose verifier takes the switch as given."""
    statement: bool = False
    """The claim may also be about an assignment or a comparison."""


_COMMAND = Kind(
    "command-injection", "command",
    r"os\.(?:system|popen|spawn\w+|exec\w+)|subprocess\.\w+|commands\.\w+|asyncio\.create_subprocess_\w+|popen2\.\w+",
)  # fmt: skip
_CODE = Kind("code-injection", "code", r"(?:builtins\.)?(?:eval|exec|compile)")
_SQL = Kind(
    "sql-injection",
    "sql",
    r"(?:.*\.)?(?:execute|executemany|executescript|raw|extra|text|fetch(?:row|val)?|read_sql\w*)",
)
_PATH = Kind(
    "path-traversal", "path",
    r"(?:builtins\.|io\.|codecs\.)?open|os\.(?:remove|unlink|rename|replace|mkdir|makedirs|rmdir|listdir|scandir|open|stat)"
    r"|shutil\.\w+|(?:tarfile|zipfile|bz2|gzip|lzma)\.\w+(?:\.open)?|pathlib\.\w+(?:\.\w+)?|(?:.*\.)?(?:send_file|read_text|read_bytes|write_text|write_bytes)|os\.path\.(?:exists|isfile|isdir|getsize)",
)  # fmt: skip
_LOADS = Kind(
    "unsafe-deserialization", "deserialization",
    r"(?:_?c?[pP]ickle|marshal|dill|shelve|jsonpickle|cloudpickle|joblib)\.\w+|yaml\.(?:\w+_)?load(?:_all)?|pandas\.read_pickle",
)  # fmt: skip
_HTML = Kind(
    "cross-site-scripting", "html", r"(?:.*\.)?(?:make_response|Response|HttpResponse|HTMLResponse|Markup|mark_safe)"
)
_REDIRECT = Kind("open-redirect", "redirect", r"(?:.*\.)?(?:redirect|HttpResponseRedirect|RedirectResponse)")
_SSRF = Kind(
    "server-side-request-forgery",
    "ssrf",
    r"(?:requests|httpx|urllib3?|aiohttp)\.(?:\w+\.)*"
    r"(?:get|post|put|patch|delete|head|options|request|stream|urlretrieve|Request)|(?:.*\.)?urlopen",
)
_TEMPLATE = Kind("template-injection", "template", r"(?:.*\.)?(?:render_template_string|Template|from_string)")
_LDAP = Kind("ldap-injection", "ldap", r"(?:.*\.)?search(?:_s|_ext_s|_st)?")
_XPATH = Kind("xpath-injection", "xpath", r"(?:.*\.)?(?:xpath|XPath|findall|find|select)")
_XXE = Kind("xml-external-entity", "xxe", r"(?:.*\.)?(?:parseString|parse|fromstring|XML|iterparse)")
_SLOW = Kind("catastrophic-pattern", "pattern", r"re\.\w+|\?\.(?:match|search|fullmatch|findall|finditer|split|subn?)")
_HASH = Kind("weak-hash", callees=r"hashlib\.\w+|(?:.*\.)?(?:MD[245]|SHA1?)(?:\.new)?|Crypto(?:dome)?\.Hash\.\w+\.new")
_RANDOM = Kind("weak-randomness", callees=r"(?:numpy\.)?random\.\w+")
_CERTIFICATE = Kind(
    "certificate-check-off",
    callees=r"(?:requests|httpx|urllib3|aiohttp|ssl)\.(?:\w+\.)*\w+",
    says=r"\b(?:verify|verify_ssl|check_hostname|ssl)\s*=\s*False\b|CERT_NONE|_create_unverified_context",
)
_DEBUG = Kind("debug-on", callees=r"(?:.*\.)?run", says=r"\bdebug\s*=\s*True\b")

_COOKIE = Kind("insecure-cookie", callees=r"(?:.*\.)?set_cookie")
_SECRET = Kind(
    "hardcoded-secret",
    callees=r"(?:jose\.)?jwt\.(?:encode|decode)",
    says=r"(?i)secret|passw|token|key|pwd|credential|jwt",
    statement=True,
)

BY_CWE: dict[int, Kind] = {
    78: _COMMAND, 77: _COMMAND, 88: _COMMAND, 94: _CODE, 95: _CODE, 89: _SQL, 22: _PATH, 23: _PATH, 36: _PATH, 73: _PATH,
    502: _LOADS, 79: _HTML, 80: _HTML, 601: _REDIRECT, 918: _SSRF, 1336: _TEMPLATE, 90: _LDAP, 643: _XPATH,
    611: _XXE, 1333: _SLOW, 327: _HASH,
    328: _HASH, 330: _RANDOM, 338: _RANDOM, 295: _CERTIFICATE, 614: _COOKIE, 1004: _COOKIE, 798: _SECRET,
    259: _SECRET, 321: _SECRET,    916: _HASH,
}  # fmt: skip
_BANDIT: dict[str, Kind] = {
    "102": _CODE, "307": _CODE, "301": _LOADS, "302": _LOADS, "506": _LOADS, "303": _HASH, "324": _HASH, "311": _RANDOM,
    "501": _CERTIFICATE, "602": _COMMAND, "604": _COMMAND, "605": _COMMAND, "608": _SQL, "201": _DEBUG,
}  # fmt: skip
"""By the number that Bandit's tests and ruff's copies of them share."""
_OWN_TABLES = frozenset({"bandit", "ruff"})


def candidates(tool: str, rule: str, cwes: tuple[int, ...]) -> tuple[Kind, ...]:
    """Kinds that a result may be, best first."""
    if tool in _OWN_TABLES:
        found = re.fullmatch(r"[BS](\d{3})", rule)
        kind = _BANDIT.get(found[1]) if found else None
        return (kind,) if kind else ()
    return tuple(dict.fromkeys(BY_CWE[cwe] for cwe in cwes if cwe in BY_CWE))


def told(tool: str, cwes: tuple[int, ...]) -> dict[str, str]:
    """`{"told": "CWE-89"}` for a result that says what it claims by its CWE alone; {} for tools whose rules say more."""
    return {"told": f"CWE-{cwes[0]}"} if cwes and tool not in _OWN_TABLES else {}
