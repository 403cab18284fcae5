"""Where untrusted data does harm, and what makes it harmless on the way."""

import ast
from typing import NamedTuple

from auditors.security.taint.patterns import slow_search
from harness.source.module import Module


class Sink(NamedTuple):
    """One dangerous use: which arguments of the call matter."""

    kind: str
    name: str
    arguments: tuple[ast.expr, ...]


_FIRST = (0,)
_CALLS: dict[str, tuple[str, tuple[int | str, ...]]] = {
    "os.system": ("command", _FIRST),
    "os.popen": ("command", _FIRST),
    "subprocess.getoutput": ("command", _FIRST),
    "subprocess.getstatusoutput": ("command", _FIRST),
    "asyncio.create_subprocess_shell": ("command", _FIRST),
    "commands.getoutput": ("command", _FIRST),
    "subprocess.run": ("command", (0, "args")),
    "subprocess.call": ("command", (0, "args")),
    "subprocess.check_call": ("command", (0, "args")),
    "subprocess.check_output": ("command", (0, "args")),
    "subprocess.Popen": ("command", (0, "args")),
    "eval": ("code", _FIRST),
    "exec": ("code", _FIRST),
    "builtins.eval": ("code", _FIRST),
    "builtins.exec": ("code", _FIRST),
    "open": ("path", (0, "file")),
    "builtins.open": ("path", (0, "file")),
    "io.open": ("path", _FIRST),
    "codecs.open": ("path", _FIRST),
    "os.open": ("path", _FIRST),
    "tarfile.open": ("path", (0, "name")),
    "tarfile.TarFile": ("path", (0, "name")),
    "tarfile.TarFile.open": ("path", (0, "name")),
    "bz2.open": ("path", _FIRST),
    "bz2.BZ2File": ("path", _FIRST),
    "gzip.open": ("path", _FIRST),
    "lzma.open": ("path", _FIRST),
    "zipfile.ZipFile": ("path", (0, "file")),
    "os.remove": ("path", _FIRST),
    "os.unlink": ("path", _FIRST),
    "os.rmdir": ("path", _FIRST),
    "os.mkdir": ("path", _FIRST),
    "os.makedirs": ("path", _FIRST),
    "os.rename": ("path", (0, 1)),
    "os.replace": ("path", (0, 1)),
    "os.listdir": ("path", _FIRST),
    "os.scandir": ("path", _FIRST),
    "os.stat": ("path", _FIRST),
    "os.path.exists": ("path", _FIRST),
    "os.path.isfile": ("path", _FIRST),
    "os.path.getsize": ("path", _FIRST),
    "shutil.rmtree": ("path", _FIRST),
    "shutil.copy": ("path", (0, 1)),
    "shutil.copyfile": ("path", (0, 1)),
    "shutil.move": ("path", (0, 1)),
    "flask.send_file": ("path", _FIRST),
    "pickle.loads": ("deserialization", _FIRST),
    "pickle.load": ("deserialization", _FIRST),
    "pickle.Unpickler": ("deserialization", _FIRST),
    "cPickle.loads": ("deserialization", _FIRST),
    "dill.loads": ("deserialization", _FIRST),
    "cloudpickle.loads": ("deserialization", _FIRST),
    "marshal.loads": ("deserialization", _FIRST),
    "jsonpickle.decode": ("deserialization", _FIRST),
    "shelve.open": ("deserialization", _FIRST),
    "yaml.load": ("deserialization", _FIRST),
    "yaml.load_all": ("deserialization", _FIRST),
    "yaml.unsafe_load": ("deserialization", _FIRST),
    "yaml.full_load": ("deserialization", _FIRST),
    "flask.render_template_string": ("template", _FIRST),
    "jinja2.Template": ("template", _FIRST),
    "mako.template.Template": ("template", _FIRST),
    "django.template.Template": ("template", _FIRST),
    "markupsafe.Markup": ("html", _FIRST),
    "flask.Markup": ("html", _FIRST),
    "flask.make_response": ("html", _FIRST),
    "flask.Response": ("html", (0, "response")),
    "django.utils.safestring.mark_safe": ("html", _FIRST),
    "django.http.HttpResponse": ("html", (0, "content")),
    "starlette.responses.HTMLResponse": ("html", (0, "content")),
    "fastapi.responses.HTMLResponse": ("html", (0, "content")),
    "aiohttp.web.Response": ("html", ("text", "body")),
    "bottle.HTTPResponse": ("html", (0, "body")),
    "sanic.response.html": ("html", (0, "body")),
    "sanic.response.redirect": ("redirect", _FIRST),
    "flask.redirect": ("redirect", (0, "location")),
    "werkzeug.utils.redirect": ("redirect", _FIRST),
    "django.shortcuts.redirect": ("redirect", _FIRST),
    "django.http.HttpResponseRedirect": ("redirect", _FIRST),
    "starlette.responses.RedirectResponse": ("redirect", (0, "url")),
    "fastapi.responses.RedirectResponse": ("redirect", (0, "url")),
    "aiohttp.web.HTTPFound": ("redirect", _FIRST),
    "bottle.redirect": ("redirect", _FIRST),
    "lxml.etree.XPath": ("xpath", _FIRST),
    "elementpath.select": ("xpath", (1,)),
    "lxml.etree.fromstring": ("xxe", _FIRST),
    "lxml.etree.parse": ("xxe", _FIRST),
    "lxml.etree.XML": ("xxe", _FIRST),
    "xml.dom.minidom.parseString": ("xxe", _FIRST),
    "xml.dom.minidom.parse": ("xxe", _FIRST),
    "xml.dom.pulldom.parseString": ("xxe", _FIRST),
    "xml.sax.parseString": ("xxe", _FIRST),
    "xml.sax.parse": ("xxe", _FIRST),
    "requests.get": ("ssrf", (0, "url")),
    "requests.post": ("ssrf", (0, "url")),
    "requests.put": ("ssrf", (0, "url")),
    "requests.head": ("ssrf", (0, "url")),
    "requests.delete": ("ssrf", (0, "url")),
    "requests.request": ("ssrf", (1, "url")),
    "httpx.get": ("ssrf", (0, "url")),
    "httpx.post": ("ssrf", (0, "url")),
    "httpx.request": ("ssrf", (1, "url")),
    "urllib.request.urlopen": ("ssrf", (0, "url")),
    "urllib.request.Request": ("ssrf", (0, "url")),
}

_METHODS: dict[str, tuple[str, tuple[int | str, ...]]] = {
    "execute": ("sql", _FIRST),
    "executemany": ("sql", _FIRST),
    "executescript": ("sql", _FIRST),
    "raw": ("sql", _FIRST),
    "fetchrow": ("sql", _FIRST),
    "fetchval": ("sql", _FIRST),
    "search_s": ("ldap", (2, "filterstr")),
    "search_ext_s": ("ldap", (2, "filterstr")),
    "xpath": ("xpath", _FIRST),
}
"""Methods whose receiver cannot be resolved; the name alone is telling."""

_PATH_METHODS = frozenset(
    {
        "read_text", "read_bytes", "write_text", "write_bytes", "open", "unlink", "exists", "is_file", "is_dir",
        "iterdir", "mkdir", "rmdir", "touch", "stat", "rename", "replace",
    }
)  # fmt: skip
_TREE_QUERIES = frozenset({"find", "findall", "findtext", "iterfind"})

SESSIONS = frozenset({"flask.session", "request.session", "self.request.session", "session"})

ALL = frozenset(
    {
        "command", "code", "sql", "path", "deserialization", "template", "html", "redirect", "xpath", "ldap", "xxe",
        "ssrf", "session", "pattern",
    }
)  # fmt: skip

_SANITISERS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("int", "float", "bool", "len", "abs", "round", "hash", "id", "uuid.UUID", "ord"), ALL),
    **dict.fromkeys(("isinstance", "callable", "hasattr", "any", "all", "secrets.compare_digest"), ALL),
    **dict.fromkeys(("hmac.compare_digest", "flask.url_for", "django.urls.reverse"), ALL),
    **dict.fromkeys(
        ("html.escape", "markupsafe.escape", "flask.escape", "django.utils.html.escape", "cgi.escape", "bleach.clean"),
        frozenset({"html"}),
    ),
    **dict.fromkeys(("shlex.quote", "pipes.quote"), frozenset({"command"})),
    **dict.fromkeys(("werkzeug.utils.secure_filename", "os.path.basename"), frozenset({"path"})),
    "ldap3.utils.conv.escape_filter_chars": frozenset({"ldap"}),
    "ldap.filter.escape_filter_chars": frozenset({"ldap"}),
    "flask.jsonify": frozenset({"html"}),
    "json.dumps": frozenset({"xpath"}),
    "flask.render_template": ALL,
    "flask.send_from_directory": ALL,
    "werkzeug.utils.safe_join": frozenset({"path"}),
    "flask.safe_join": frozenset({"path"}),
    "django.shortcuts.render": ALL,
    "hashlib.sha256": ALL,
    "hashlib.md5": ALL,
    "hashlib.sha1": ALL,
}


def cleared_by(name: str | None) -> frozenset[str]:
    """Sink kinds for which the result of this call is harmless whatever went in."""
    return _SANITISERS.get(name or "", frozenset())


def sink_at(module: Module, call: ast.Call, path_like: bool) -> Sink | None:
    """The sink that `call` is, None for every other call. `path_like`: the receiver is or may be a pathlib path."""
    name = module.resolve(call.func)
    if name in _CALLS:
        kind, where = _CALLS[name]
        if name.startswith("subprocess.") and _shell(call):
            name += "(shell=True)"
        return Sink(kind, name, _pick(call, where))
    search = slow_search(module, call)
    if search is not None:
        return Sink("pattern", f"?{search.name}", (search.text,))
    if not isinstance(call.func, ast.Attribute) or (name or "").partition(".")[0] in {"re", "regex"}:
        return None
    method = call.func.attr
    if method in _METHODS:
        kind, where = _METHODS[method]
        return Sink(kind, f"?.{method}", _pick(call, where))
    if method == "from_string" and _imports(module, "jinja2"):
        return Sink("template", "?.from_string", _pick(call, _FIRST))
    if method == "fetch" and _imports(module, "asyncpg"):
        return Sink("sql", "?.fetch", _pick(call, _FIRST))
    if method == "save" and len(call.args) == 1 and _imports(module, "flask"):
        return Sink("path", "?.save", _pick(call, _FIRST))
    if method == "search" and len(call.args) >= 2 and _imports(module, "ldap"):
        return Sink("ldap", "?.search", _pick(call, (1, "search_filter")))
    if method in _TREE_QUERIES and len(call.args) == 1 and _imports(module, "xml"):
        return Sink("xpath", f"?.{method}", _pick(call, _FIRST))
    if path_like and method in _PATH_METHODS:
        return Sink("path", f"pathlib.Path.{method}", (call.func.value,))
    return None


def _imports(module: Module, word: str) -> bool:
    return any(word in target for target in module.imports.values())


def _shell(call: ast.Call) -> bool:
    return any(
        k.arg == "shell" and not (isinstance(k.value, ast.Constant) and not k.value.value) for k in call.keywords
    )


def _pick(call: ast.Call, where: tuple[int | str, ...]) -> tuple[ast.expr, ...]:
    found = [call.args[i] for i in where if isinstance(i, int) and i < len(call.args)]
    found += [k.value for k in call.keywords if k.arg in where]
    return tuple(found)
