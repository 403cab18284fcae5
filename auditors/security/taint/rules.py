"""The rules of the taint check: one for each kind of sink."""

from typing import NamedTuple

from harness.schema.finding import Rule, Severity


class Kind(NamedTuple):
    """What happens at a kind of sink, in words."""

    rule: Rule
    consequence: str
    """Ends a sentence that begins with "a client that sends ... can"."""
    fix: str


_LIMITS = """
What it cannot see: data that passes through a database, a queue or a template; names reached by `getattr`; objects
whose class cannot be told; sanitisers it does not know (the falsifier looks again).
"""


def _kind(
    id_: str, title: str, cwe: int, severity: Severity, why: str, bad: str, good: str, consequence: str, fix: str
) -> Kind:
    page = f"{id_}: {title}.\n\nWhy: {why}\n\nExample:\n\n    {bad}\n    {good}   # instead\n{_LIMITS}"
    rule = Rule(id=id_, group="security", title=title, severity=severity, cwe=cwe, page=page)
    return Kind(rule, consequence, fix)


KINDS: dict[str, Kind] = {
    "command": _kind(
        "command-injection", "Untrusted data in a shell command", 78, Severity.HIGH,
        "the shell reads `;`, `|`, `$( )` in the data as its own syntax and runs what follows.",
        'os.system(f"tar c {request.args[\'name\']}")', 'subprocess.run(["tar", "c", "--", name])',
        "run any command on the server", "Pass an argument list without a shell, or quote with shlex.quote.",
    ),
    "code": _kind(
        "code-injection", "Untrusted data run as Python code", 94, Severity.HIGH,
        "`eval` and `exec` give the sender the whole interpreter.",
        "eval(request.form['expr'])", "ast.literal_eval(request.form['expr'])",
        "run any Python code in the server process", "Parse with ast.literal_eval or look the value up in a table.",
    ),
    "sql": _kind(
        "sql-injection", "Untrusted data in the text of an SQL statement", 89, Severity.HIGH,
        "a quote in the data ends the literal, and the rest is read as SQL.",
        'cur.execute(f"SELECT * FROM users WHERE name = \'{name}\'")',
        'cur.execute("SELECT * FROM users WHERE name = ?", (name,))',
        "change the statement and read or write any row", "Pass the value as a parameter of the statement.",
    ),
    "path": _kind(
        "path-traversal", "Untrusted data in a file name", 22, Severity.HIGH,
        "`../` or a leading `/` in the data leaves the intended folder.",
        'open(f"files/{request.args[\'name\']}")', "flask.send_from_directory('files', name)",
        "reach files outside the intended folder", "Resolve the path and require that it lies below the folder.",
    ),
    "deserialization": _kind(
        "unsafe-deserialization", "Untrusted data given to an unsafe deserialiser", 502, Severity.HIGH,
        "the format can name any callable, which is called while loading.",
        "pickle.loads(request.data)", "json.loads(request.data)",
        "run code while the data is loaded", "Use a format that carries data only: json, yaml.safe_load.",
    ),
    "html": _kind(
        "cross-site-scripting", "Untrusted data in HTML without escaping", 79, Severity.MEDIUM,
        "markup in the data becomes part of the page and its script runs with the reader's session.",
        'return f"Hello {request.args[\'name\']}"', 'return f"Hello {markupsafe.escape(name)}"',
        "run script in the browser of whoever opens the link", "Escape with markupsafe.escape or render a template.",
    ),
    "template": _kind(
        "template-injection", "Untrusted data used as template source", 1336, Severity.HIGH,
        "template expressions in the data are evaluated on the server.",
        "render_template_string('Hi ' + name)", "render_template_string('Hi {{ name }}', name=name)",
        "evaluate template expressions on the server", "Keep the template constant and pass the value as a variable.",
    ),
    "redirect": _kind(
        "open-redirect", "Redirect to a target the client chooses", 601, Severity.MEDIUM,
        "a link to your site ends on somebody else's: phishing, and stolen tokens in the URL.",
        "return redirect(request.args['next'])", "return redirect(url_for('home'))",
        "send whoever follows the link to a foreign site", "Allow only relative targets or hosts from a list.",
    ),
    "xpath": _kind(
        "xpath-injection", "Untrusted data in an XPath expression", 643, Severity.MEDIUM,
        "a quote in the data ends the literal and the rest changes what is selected.",
        "root.xpath(f\"//user[@id='{uid}']\")", "root.xpath('//user[@id=$uid]', uid=uid)",
        "select any node of the document", "Pass the value as an XPath variable.",
    ),
    "ldap": _kind(
        "ldap-injection", "Untrusted data in an LDAP filter", 90, Severity.HIGH,
        "`*`, `(` and `)` in the data change the filter.",
        'conn.search(base, f"(uid={uid})")', 'conn.search(base, f"(uid={escape_filter_chars(uid)})")',
        "match any entry of the directory", "Escape with ldap3.utils.conv.escape_filter_chars.",
    ),
    "xxe": _kind(
        "xml-external-entity", "Untrusted XML parsed with external entities on", 611, Severity.HIGH,
        "an entity in the document reads local files or calls URLs from the server.",
        "parser.setFeature(feature_external_ges, True); parseString(body, parser)", "defusedxml.parseString(body)",
        "read files of the server through an entity", "Leave external entities off, or parse with defusedxml.",
    ),
    "ssrf": _kind(
        "server-side-request-forgery", "Request to an address the client chooses", 918, Severity.MEDIUM,
        "the server reaches hosts the client cannot: metadata services, internal tools.",
        "requests.get(request.args['url'])", "requests.get(ALLOWED[request.args['feed']])",
        "make the server call internal addresses", "Choose the host from a list of allowed ones.",
    ),
    "pattern": _kind(
        "catastrophic-pattern", "Untrusted text matched by a pattern that backtracks without end", 1333, Severity.MEDIUM,
        "a repeat inside a repeat can divide the same text in exponentially many ways; thirty characters take minutes.",
        r"re.match(r'^(\w+\s?)*$', request.args['q'])", r"re.match(r'^\w+(?:\s\w+)*\s?$', request.args['q'])",
        "keep a worker busy for minutes with a few dozen characters",
        "Rewrite the pattern so that no text can be divided in two ways, or limit the length first.",
    ),
    "session": _kind(
        "trust-boundary-violation", "Untrusted data stored in the session", 501, Severity.LOW,
        "code that reads the session trusts what it holds.",
        "session['user'] = request.form['user']", "session['user'] = authenticate(form).id",
        "choose what later code reads as trusted session data", "Validate the value, and keep keys constant.",
    ),
}  # fmt: skip
