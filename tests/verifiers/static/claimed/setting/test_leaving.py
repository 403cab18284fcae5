"""Claims about what leaves a program or is kept: stored passwords, logs, logins, answers, errors."""

from pathlib import Path

import pytest

from tests.support.told import line_of, places, ruled

STORED = "def sign_up(request):\n    word = request.POST['pass']\n    return Person.objects.create(name='n', password=word)\n"
HELPER = "import hashlib\n\n\ndef hash_password(p):\n    return hashlib.scrypt(p)\n\n\n"
KEPT = (
    "from flask import request\n\nPEOPLE = {}\n\n\ndef sign_up(name):\n    password = request.form['password']\n"
    "    PEOPLE[name] = {'password': password}\n"
)
DOCUMENT = (
    "from hashlib import scrypt\n\n\ndef sign_up(person, people):\n    person.password = scrypt(person.password)\n"
    "    people.insert_one({'password': person.password})\n"
)
LOG = "import logging\n\nlog = logging.getLogger(__name__)\n\n\ndef login(name, password):\n    log.info(f'{name} {password}')\n"
LOGIN = (
    "def login(name, password):\n    person = find(name)\n    if person is None:\n        return 'Unknown user'\n"
    "    if person.password != password:\n        return 'Wrong password'\n    return 'ok'\n"
)
TOGETHER = (
    "def login(name, password):\n    person = find(name)\n    if person is None or not person.check_password(password):\n"
    "        return 'Wrong name or password'\n    return 'ok'\n"
)
ANSWER = (
    "from django.http import JsonResponse\n\n\ndef view(request):\n    person = Person.objects.get(name='ann')\n"
    "    data = {'name': person.name, 'password': person.password}\n    return JsonResponse(data)\n"
)
MODEL = (
    "class Person:\n    def short(self):\n        return {'title': self.title}\n\n    def full(self):\n"
    "        return {'title': self.title, 'password': self.password}\n\n    @staticmethod\n    def everybody():\n"
    "        return [Person.full(p) for p in Person.query.all()]\n"
)
ROUTE = (
    "from flask import jsonify\n\nfrom people import Person\n\n\ndef debug_view():\n"
    "    return jsonify({'all': Person.everybody()})\n"
)
RESET = (
    "import secrets\n\nfrom flask import flash\n\nRESET_TOKENS = {}\n\n\ndef forgot(name):\n    token = secrets.token_hex()\n"
    "    RESET_TOKENS[token] = name\n    flash(f'/reset/{token}')\n    return 'sent'\n"
)
ERROR = (
    "from flask import jsonify\n\n\ndef view():\n    try:\n        return jsonify(work())\n    except Exception as e:\n"
    "        return jsonify({'message': str(e)}), 500\n"
)
LATER = (
    "def answer(self):\n    try:\n        text = work()\n    except Exception as e:\n        text = str(e)\n"
    "    self.send_error(500, text)\n"
)
REGISTERED = "@app.errorhandler(Exception)\ndef failed(error):\n    return str(error), 500\n"
PLAIN = "def total(items):\n    return 3\n"

CASES = {
    "stored as typed": (256, STORED, "def sign_up", "CONFIRMED", "objects.create"),
    "stored as typed, in clear text": (312, STORED, "def sign_up", "CONFIRMED", "objects.create"),
    "hashed when stored": (256, STORED.replace("=word", "=make_password(word)"), "create", "DISMISSED", "create"),
    "hashed before": (
        256,
        STORED.replace("    return", "    word = make_password(word)\n    return"),
        "create",
        "DISMISSED",
        "create",
    ),
    "hashed in a branch": (
        256,
        STORED.replace("    return", "    if OLD:\n        word = make_password(word)\n    return"),
        "create",
        "UNCERTAIN",
        None,
    ),
    "hashed by a helper": (
        256,
        HELPER + STORED.replace("=word", "=hash_password(word)"),
        "objects.create",
        "DISMISSED",
        "objects.create",
    ),
    "not hashed by a helper of that name": (
        256,
        "def hash_password(p):\n    return p\n\n\n" + STORED.replace("=word", "=hash_password(word)"),
        "objects.create",
        "UNCERTAIN",
        None,
    ),
    "hashed by a framework": (
        256,
        STORED.replace("create(", "create_user("),
        "create_user",
        "DISMISSED",
        "create_user",
    ),
    "kept in a table of the module": (256, KEPT, "PEOPLE[name]", "CONFIRMED", "PEOPLE[name]"),
    "hash in a document": (312, DOCUMENT, "insert_one", "DISMISSED", "insert_one"),
    "column": (
        256,
        "from django.db import models\n\n\nclass P(models.Model):\n    password = models.CharField()\n",
        "password",
        "UNCERTAIN",
        None,
    ),
    "comparison": (256, LOGIN, "person.password", "UNCERTAIN", None),
    "no password": (256, PLAIN, "def total", "DISMISSED", "def total"),
    "other secrets in clear": (312, PLAIN, "def total", "UNCERTAIN", None),
    "password in a log": (532, LOG, "def login", "CONFIRMED", "log.info"),
    "name in a log": (532, LOG.replace(" {password}", ""), "log.info", "DISMISSED", "log.info"),
    "request in a log": (532, LOG.replace("{password}", "{request}"), "log.info", "UNCERTAIN", None),
    "length in a log": (532, LOG.replace("{password}", "{len(password)}"), "log.info", "UNCERTAIN", None),
    "no log": (532, PLAIN, "def total", "DISMISSED", "def total"),
    "log behind a return": (
        532,
        LOG.replace("    log.info", "    return\n    log.info"),
        "log.info",
        "DISMISSED",
        "return",
    ),
    "login tells which": (204, LOGIN, "def login", "CONFIRMED", "Wrong password"),
    "login tells nothing": (203, TOGETHER, "def login", "DISMISSED", "check_password"),
    "login tells only in the log": (
        203,
        LOGIN.replace("return 'Unknown user'", "log.info('Unknown user')"),
        "def login",
        "UNCERTAIN",
        None,
    ),
    "no login": (203, PLAIN, "def total", "UNCERTAIN", None),
    "same time for all": (
        208,
        "import hmac\n\n\ndef same(a, b):\n    return hmac.compare_digest(a, b)\n",
        "compare_digest",
        "DISMISSED",
        "compare_digest",
    ),
    "password in an answer": (200, ANSWER, "def view", "CONFIRMED", "'password'"),
    "cut number in an answer": (
        200,
        ANSWER.replace("'password': person.password", "'iban': person.iban[-4:]").replace("'name': person.name, ", ""),
        "def view",
        "DISMISSED",
        "def view",
    ),
    "mail in an answer": (200, ANSWER.replace("password", "mail"), "def view", "UNCERTAIN", None),
    "password given back": (
        200,
        "from flask import jsonify, request\n\n\ndef view():\n    data = request.form\n    word = request.form['password']\n"
        "    return jsonify({'password': word})\n",
        "def view",
        "UNCERTAIN",
        None,
    ),
    "fixed answer": (200, PLAIN, "def total", "DISMISSED", "def total"),
    "something is sent": (
        200,
        PLAIN.replace("    return", "    post(items)\n    return"),
        "def total",
        "UNCERTAIN",
        None,
    ),
    "method that is given to somebody": (200, MODEL, "def full", "UNCERTAIN", None),
    "token of a reset": (200, RESET, "def forgot", "CONFIRMED", "flash(f"),
    "error in an answer": (209, ERROR, "except", "CONFIRMED", "str(e)"),
    "error in an answer behind the handler": (209, LATER, "except", "CONFIRMED", "send_error"),
    "error in a log alone": (
        209,
        LATER.replace("text = str(e)", "text = 'sorry'\n        log(e)"),
        "except",
        "UNCERTAIN",
        None,
    ),
    "text of its own": (209, ERROR.replace("str(e)", "'sorry'"), "except", "DISMISSED", "except"),
    "error that is meant": (209, ERROR.replace("Exception", "ValidationError"), "except", "UNCERTAIN", None),
    "error on request": (
        209,
        ERROR.replace("str(e)", "str(e) if settings.DEBUG else 'sorry'"),
        "except",
        "UNCERTAIN",
        None,
    ),
    "every error": (209, REGISTERED, "def failed", "CONFIRMED", "str(error)"),
    "one error": (209, REGISTERED.replace("Exception", "404"), "def failed", "UNCERTAIN", None),
    "terminal": (
        209,
        LATER.replace("self.send_error(500, text)", "self.stdout.write(text)"),
        "except",
        "UNCERTAIN",
        None,
    ),
    "no error": (209, PLAIN, "def total", "DISMISSED", "def total"),
}


@pytest.mark.parametrize(("cwe", "code", "place", "verdict", "decides"), CASES.values(), ids=CASES.keys())
def test_ruling(tmp_path: Path, cwe: int, code: str, place: str, verdict: str, decides: str | None) -> None:
    ruling = ruled(tmp_path, {"shop.py": code}, cwe, f"shop.py:{place}")
    assert ruling.verdict == verdict, ruling.reason
    if decides is not None:
        assert f"shop.py:{line_of(code, decides)}" in places(ruling)


def test_an_answer_is_followed_into_the_methods_that_make_it(tmp_path: Path) -> None:
    ruling = ruled(tmp_path, {"people.py": MODEL, "views.py": ROUTE}, 200, "views.py:def debug_view")
    assert ruling.verdict == "CONFIRMED"
    assert f"people.py:{line_of(MODEL, 'self.password')}" in places(ruling)


PAGE = "\n".join(f"<p>line {n}</p>" for n in range(80))


@pytest.mark.parametrize(
    ("cwe", "shown", "verdict"),
    [
        (200, "<p>{{ person.credit_card }}</p>", "CONFIRMED"),
        (200, "<p>{{ person.credit_card|slice:'-4:' }}</p>", "UNCERTAIN"),
        (200, "<p>{{ person.bio }}</p>", "UNCERTAIN"),
        (200, "<p>welcome</p>", "DISMISSED"),
        (200, "{% include 'card.html' %}", "UNCERTAIN"),
        (209, "<pre>{{ error.__dict__ }}</pre>", "CONFIRMED"),
        (209, "<p>sorry</p>", "DISMISSED"),
    ],
)
def test_pages(tmp_path: Path, cwe: int, shown: str, verdict: str) -> None:
    text = f"{PAGE}\n<h1>here</h1>\n{shown}\n{PAGE}\n"
    ruling = ruled(tmp_path, {"page.html": text}, cwe, "page.html:here")
    assert ruling.verdict == verdict
    if verdict == "CONFIRMED":
        assert places(ruling) == {f"page.html:{line_of(text, shown)}"}


def test_code_of_tests_stays_open(tmp_path: Path) -> None:
    assert ruled(tmp_path, {"tests/test_a.py": ERROR}, 209, "tests/test_a.py:except").verdict == "UNCERTAIN"
