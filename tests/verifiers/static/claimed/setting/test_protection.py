"""Claims about ciphers, randomness, switches, headers and cookies."""

from pathlib import Path

import pytest

from tests.support.told import line_of, places, ruled

LOGIN = "from hashlib import md5\n\n\ndef login(password):\n    return md5(password.encode()).hexdigest()\n"
TLS = "import ssl\n\n\ndef serve():\n    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\n    ctx.options &= ~ssl.OP_NO_SSLv3\n"
PLAIN = "def total(items):\n    return sum(items)\n"
TOKEN = "import random\nimport string\n\n\ndef reset_token():\n    return ''.join(random.choices(string.digits, k=9))\n"
CALLS = "from tokens import reset_token\n\n\ndef start(user):\n    mail(user, reset_token())\n"
CLOCK = (
    "import hashlib\nimport time\n\n\ndef start(user):\n    token = hashlib.sha256(f'{user}{time.time()}'.encode())\n"
    "    return token\n"
)
SERVER = "from flask import Flask\n\napp = Flask(__name__)\n\nif __name__ == '__main__':\n    app.run(host='0.0.0.0', debug=True)\n"
FACTORY = "from aiohttp.web import Application\n\n\ndef make():\n    return Application(\n        debug=True,\n    )\n"
BY_ENVIRONMENT = (
    "import os\n\nfrom fastapi import FastAPI\n\nDEBUG = os.getenv('DEBUG', 'no') in ('yes', '1')\n"
    "app = FastAPI(debug=DEBUG)\n"
)
WSGI = "import os\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'site.settings')\n"
SETTINGS = "INSTALLED_APPS = []\nDEBUG = True\n"
COOKIE = "def login(response, value):\n    response.set_cookie('session', value)\n    return response\n"
WRITTEN = (
    "class Server:\n    def answer(self, token):\n        self.send_header('Set-Cookie', 'session=' + token)\n"
    "        self.end_headers()\n"
)
STORAGE = (
    "from aiohttp_session.redis_storage import RedisStorage\n\n\ndef setup(app):\n    return RedisStorage(app.redis)\n"
)
HSTS = "def view(start, environ):\n    start('200 OK', [('Strict-Transport-Security', 'max-age=0')])\n"
CSP = "def view(response):\n    response.headers['Content-Security-Policy'] = \"default-src * 'unsafe-inline'\"\n"
PUBLIC = (
    "def view(request, response):\n    response.headers['Cache-Control'] = 'public'\n    response.text = request.user\n"
)

CASES = {
    "broken hash of a password": (327, LOGIN, "def login", "CONFIRMED", "md5(password"),
    "no salt": (759, LOGIN, "def login", "CONFIRMED", "md5(password"),
    "cache key": (328, LOGIN.replace("password", "etag_source"), "def login", "DISMISSED", "md5(etag"),
    "declared harmless": (
        327,
        LOGIN.replace("()).hex", "(), usedforsecurity=False).hex"),
        "md5(pass",
        "DISMISSED",
        "md5(pass",
    ),
    "unknown purpose": (327, LOGIN.replace("password", "data"), "def login", "UNCERTAIN", None),
    "strong hash is not broken": (
        327,
        LOGIN.replace("md5", "sha256").replace("password", "d"),
        "def login",
        "DISMISSED",
        "sha256(d",
    ),
    "strong hash of a password": (327, LOGIN.replace("md5", "sha256"), "def login", "UNCERTAIN", None),
    "fast hash of a password": (916, LOGIN.replace("md5", "sha256"), "def login", "CONFIRMED", "sha256(password"),
    "slow hash of a password": (
        916,
        "import bcrypt\n\n\ndef store(password):\n    return bcrypt.hashpw(password, bcrypt.gensalt())\n",
        "hashpw",
        "DISMISSED",
        "hashpw",
    ),
    "salted": (759, LOGIN.replace(".encode()", ".encode() + salt"), "def login", "DISMISSED", "md5(password"),
    "no hash at all": (327, PLAIN, "def total", "DISMISSED", "def total"),
    "import alone": (327, "from hashlib import md5\n", "import md5", "DISMISSED", "import md5"),
    "home-made hash": (327, "def my_hash(text):\n    return text[::-1]\n", "def my_hash", "UNCERTAIN", None),
    "old protocol": (326, TLS, "ctx =", "CONFIRMED", "OP_NO_SSLv3"),
    "old protocol as a mechanism": (693, TLS, "ctx =", "CONFIRMED", "OP_NO_SSLv3"),
    "key may be too short": (326, "app.secret_key = 'ab'\n", "secret_key", "UNCERTAIN", None),
    "blocks": (327, "from Crypto.Cipher import AES\nc = AES.new(key, AES.MODE_ECB)\n", "c =", "CONFIRMED", "MODE_ECB"),
    "sound cipher beside a broken one": (
        327,
        "from Crypto.Cipher import AES, ARC4\nold = ARC4.new(key)\nnew = AES.new(key, AES.MODE_GCM)\n",
        "new =",
        "UNCERTAIN",
        None,
    ),
    "token by no algorithm": (
        327,
        "import jwt\nt = jwt.encode({}, None, algorithm='none')\n",
        "t =",
        "CONFIRMED",
        "jwt.encode",
    ),
    "token by a sound algorithm": (327, "import jwt\nt = jwt.encode({}, k, 'HS256')\n", "t =", "UNCERTAIN", None),
    "something that hashes by its name": (327, "ids = Hashids(salt=key)\n", "ids =", "UNCERTAIN", None),
    "current protocol": (
        326,
        "import ssl\ns = ssl.wrap_socket(ssl_version=ssl.PROTOCOL_TLSv1_2)\n",
        "s =",
        "DISMISSED",
        "s =",
    ),
    "predictable token": (338, TOKEN, "def reset", "CONFIRMED", "random.choices"),
    "predictable colour": (338, TOKEN.replace("reset_token", "colour"), "def colour", "UNCERTAIN", None),
    "secure token": (338, "import secrets\ntoken = secrets.token_hex()\n", "token =", "DISMISSED", "token ="),
    "nothing random": (330, PLAIN, "def total", "DISMISSED", "def total"),
    "token of the time": (330, CLOCK, "def start", "CONFIRMED", "token ="),
    "token of the time and a secret": (
        330,
        CLOCK.replace("{time.time()}", "{time.time()}{os.urandom(9)}").replace("import time", "import os, time"),
        "def start",
        "UNCERTAIN",
        None,
    ),
    "generator nobody knows": (330, "def pick(rng):\n    return rng.choice('ab')\n", "def pick", "UNCERTAIN", None),
    "debug for everybody": (489, SERVER, "app.run", "CONFIRMED", "app.run"),
    "debug for this machine": (489, SERVER.replace("0.0.0.0", "127.0.0.1"), "app.run", "UNCERTAIN", None),
    "debug of a factory": (489, FACTORY, "debug=True", "CONFIRMED", "debug=True"),
    "debug by the environment": (489, BY_ENVIRONMENT, "app =", "DISMISSED", "app ="),
    "debug under a shadowing name": (
        489,
        BY_ENVIRONMENT.replace("app =", "DEBUG = True\napp ="),
        "app =",
        "UNCERTAIN",
        None,
    ),
    "debugger": (489, "def view():\n    breakpoint()\n", "def view", "CONFIRMED", "breakpoint"),
    "debug behind a constant": (
        489,
        f"if False:\n    {SERVER.splitlines()[-1].strip()}\n",
        "app.run",
        "DISMISSED",
        "if False",
    ),
    "no debug": (489, PLAIN, "def total", "DISMISSED", "def total"),
    "any host": (16, "ALLOWED_HOSTS = ['*']\n", "ALLOWED", "CONFIRMED", "ALLOWED"),
    "no escaping": (16, "import jinja2\ne = jinja2.Environment(autoescape=False)\n", "e =", "CONFIRMED", "autoescape"),
    "nothing configured": (16, PLAIN, "def total", "DISMISSED", "def total"),
    "something else configured": (16, "app = make(title='Shop')\n", "app =", "UNCERTAIN", None),
    "no transport security": (16, HSTS, "def view", "CONFIRMED", "max-age"),
    "transport security": (16, HSTS.replace("max-age=0", "max-age=9999"), "max-age", "DISMISSED", "max-age"),
    "open policy": (693, CSP, "def view", "CONFIRMED", "default-src"),
    "narrow policy": (693, CSP.replace("* 'unsafe-inline'", "'self'"), "default-src", "DISMISSED", "default-src"),
    "a mechanism may be lacking": (693, PLAIN, "def total", "UNCERTAIN", None),
    "kept for others": (525, PUBLIC, "def view", "CONFIRMED", "'public'"),
    "kept by nobody": (525, PUBLIC.replace("'public'", "'no-store'"), "no-store", "DISMISSED", "no-store"),
    "kept, the same for all": (525, PUBLIC.replace("request.user", "'hello'"), "def view", "UNCERTAIN", None),
    "framed by nobody": (
        1021,
        "def view(response):\n    response['X-Frame-Options'] = 'DENY'\n",
        "DENY",
        "DISMISSED",
        "DENY",
    ),
    "framing may be lacking": (1021, PLAIN, "def total", "UNCERTAIN", None),
    "cookie over HTTP": (614, COOKIE, "def login", "CONFIRMED", "set_cookie"),
    "cookie for scripts": (1004, COOKIE, "def login", "CONFIRMED", "set_cookie"),
    "safe cookie": (
        614,
        COOKIE.replace("value)\n    return", "value, secure=True)\n    return"),
        "set_cookie",
        "DISMISSED",
        "set_cookie",
    ),
    "cookie for a theme": (1004, COOKIE.replace("session", "theme"), "def login", "UNCERTAIN", None),
    "no cookie": (1004, PLAIN, "def total", "DISMISSED", "def total"),
    "cookie by other means": (1004, "def view(jar):\n    jar.add_cookie(1)\n", "def view", "UNCERTAIN", None),
    "cookie that is read": (
        1004,
        "def view(request):\n    return request.cookies.get('a')\n",
        "def view",
        "DISMISSED",
        "def view",
    ),
    "cookie written by hand": (614, WRITTEN, "end_headers", "CONFIRMED", "Set-Cookie"),
    "cookie written by hand with it": (
        614,
        WRITTEN.replace("+ token", "+ token + '; Secure'"),
        "Set-Cookie",
        "UNCERTAIN",
        None,
    ),
    "storage over HTTP": (614, STORAGE, "def setup", "CONFIRMED", "RedisStorage(app"),
    "storage for scripts by default": (1004, STORAGE, "RedisStorage(app", "DISMISSED", "RedisStorage(app"),
    "storage for scripts": (
        1004,
        STORAGE.replace("redis)", "redis, httponly=False)"),
        "def setup",
        "CONFIRMED",
        "httponly",
    ),
    "session of a framework": (1004, "from flask import Flask\napp = Flask(__name__)\n", "app =", "DISMISSED", "app ="),
    "session of a framework, told otherwise": (
        1004,
        "from flask import Flask\napp = Flask(__name__)\napp.config['SESSION_COOKIE_HTTPONLY'] = False\n",
        "HTTPONLY",
        "CONFIRMED",
        "HTTPONLY",
    ),
    "setting by a table": (
        614,
        "app.config.update({'SESSION_COOKIE_SECURE': False})\n",
        "SECURE",
        "CONFIRMED",
        "SECURE",
    ),
    "defaults of a framework": (614, "DEFAULTS = {'SESSION_COOKIE_SECURE': False}\n", "SECURE", "UNCERTAIN", None),
}


@pytest.mark.parametrize(("cwe", "code", "place", "verdict", "decides"), CASES.values(), ids=CASES.keys())
def test_ruling(tmp_path: Path, cwe: int, code: str, place: str, verdict: str, decides: str | None) -> None:
    ruling = ruled(tmp_path, {"shop.py": code}, cwe, f"shop.py:{place}")
    assert ruling.verdict == verdict, ruling.reason
    if decides is not None:
        assert f"shop.py:{line_of(code, decides)}" in places(ruling)


def test_a_function_that_is_called_near_the_place_is_looked_into(tmp_path: Path) -> None:
    ruling = ruled(tmp_path, {"tokens.py": TOKEN, "shop.py": CALLS}, 330, "shop.py:mail")
    assert ruling.verdict == "CONFIRMED"
    assert {"tokens.py:6", "shop.py:5"} <= places(ruling)


def test_a_module_that_takes_the_name_of_the_generator_is_another(tmp_path: Path) -> None:
    files = {"random.py": "def choices(a, k):\n    return a\n", "shop.py": TOKEN}
    assert ruled(tmp_path, files, 338, "shop.py:def reset").verdict == "DISMISSED"


def test_settings_that_are_served_decide_and_others_do_not(tmp_path: Path) -> None:
    served = {"site/settings.py": SETTINGS, "site/wsgi.py": WSGI}
    assert ruled(tmp_path / "a", served, 489, "site/settings.py:DEBUG").verdict == "CONFIRMED"
    assert ruled(tmp_path / "b", {"site/settings.py": SETTINGS}, 489, "site/settings.py:DEBUG").verdict == "UNCERTAIN"
    replaced = served | {"site/settings.py": SETTINGS + "from .local import *\n"}
    assert ruled(tmp_path / "c", replaced, 489, "site/settings.py:DEBUG").verdict == "UNCERTAIN"


def test_the_middleware_of_a_framework_keeps_pages_from_being_framed(tmp_path: Path) -> None:
    view = "from django.shortcuts import render\n\n\ndef page(request):\n    return render(request, 'page.html')\n"
    settings = "MIDDLEWARE = ['django.middleware.clickjacking.XFrameOptionsMiddleware']\n"
    ruling = ruled(tmp_path / "a", {"views.py": view, "settings.py": settings}, 1021, "views.py:def page")
    assert ruling.verdict == "DISMISSED"
    assert "settings.py:1" in places(ruling)
    exempt = view.replace("def page", "@xframe_options_exempt\ndef page")
    files = {"views.py": exempt, "settings.py": settings}
    assert ruled(tmp_path / "b", files, 1021, "views.py:def page").verdict == "UNCERTAIN"


def test_a_directive_of_a_server_stands(tmp_path: Path) -> None:
    text = "waf {\n    SecRuleEngine Off\n    SecRequestBodyAccess On\n}\n"
    ruling = ruled(tmp_path, {"Caddyfile": text}, 16, "Caddyfile:waf")
    assert ruling.verdict == "CONFIRMED"
    assert places(ruling) == {"Caddyfile:2"}
    on = text.replace("Off", "On")
    assert ruled(tmp_path, {"Caddyfile": on}, 16, "Caddyfile:waf").verdict == "UNCERTAIN"
