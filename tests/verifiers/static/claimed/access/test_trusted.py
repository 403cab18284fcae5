"""Cookies and headers that are trusted; sessions; codes."""

import pytest

from harness.schema.verdict import Verdict
from tests.support.ruled import Judge, lines_of

HEAD = """\
    import hashlib, random, secrets, time
    from flask import Flask, jsonify, make_response, redirect, request, session
    from models import Member
    app = Flask(__name__)

    @app.route("/x", methods=["GET", "POST"])
    def view():
"""
MODELS = """\
    class Member(db.Model):
        name = db.Column(db.String)
        password = db.Column(db.String)
"""


def files(*body: str, after: str = "") -> dict[str, str]:
    text = HEAD + "".join(f"        {line}\n" for line in body) + after
    return {"app.py": text, "models.py": MODELS}


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        (('if request.cookies.get("is_admin") == "yes":', '    return "secret"', 'return ""'), Verdict.CONFIRMED),
        (('if request.headers.get("X-Forwarded-For") == "127.0.0.1":', '    return "secret"', 'return ""'), Verdict.CONFIRMED),
        (('m = Member.query.filter_by(id=request.cookies["uid"]).first()', "return m.name"), Verdict.CONFIRMED),
        (('if request.cookies.get("theme") == "dark":', '    return "d"', 'return ""'), Verdict.UNCERTAIN),
        (('if "bot" in request.headers["User-Agent"]:', '    return "b"', 'return ""'), Verdict.UNCERTAIN),
        (('if request.headers["Host"] == "admin.example.org":', '    return "a"', 'return ""'), Verdict.UNCERTAIN),
        (('if session.get("admin") == "yes":', '    return "secret"', 'return ""'), Verdict.DISMISSED),
        (
            ('m = Member.query.filter_by(id=request.cookies["uid"], token=request.cookies["t"]).first()', "return m.name"),
            Verdict.UNCERTAIN,
        ),
        (
            ('admin = "no"', 'if request.method == "GET":', '    admin = request.cookies["flavour"]', "else:",
             '    admin = request.form["admin"]', '    if admin == "admin":', '        return "x"', 'return ""'),
            Verdict.UNCERTAIN,
        ),
    ],
)  # fmt: skip
def test_decisions(judge: Judge, lines: tuple[str, ...], verdict: Verdict) -> None:
    ruling = judge(565, files(*lines), "app.py", "def view")
    assert ruling.verdict is verdict, ruling.reason


def test_a_decision_far_away_is_not_what_the_claim_is_about(judge: Judge) -> None:
    filler = [f"step_{n} = {n}" for n in range(30)]
    project = files('if request.cookies.get("is_admin") == "yes":', '    return "secret"', *filler, 'return "end"')
    assert judge(565, project, "app.py", 'return "secret"').verdict is Verdict.CONFIRMED
    assert judge(565, project, "app.py", 'return "end"').verdict is Verdict.UNCERTAIN


def test_a_cookie_that_names_the_user(judge: Judge) -> None:
    after = """\

    @app.route("/home")
    def home():
        name = base64.b64decode(request.cookies.get("who")).decode().split(":")[0]
        if name in MEMBERS:
            return name
        return redirect("/")
"""
    made = ("response = make_response()", 'response.set_cookie("who", base64.b64encode(name))', "return response")
    ruling = judge(287, files(*made, after=after), "app.py", "set_cookie")
    assert ruling.verdict is Verdict.CONFIRMED
    assert lines_of(ruling) == ["app.py:9", "app.py:15"]


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        (('response.set_cookie("session_id", request.args["sid"])', "return response"), Verdict.CONFIRMED),
        (('session["user_id"] = 1', 'return ""'), Verdict.DISMISSED),
        (("session.regenerate()", 'session["user_id"] = 1', 'return ""'), Verdict.DISMISSED),
        (('response.set_cookie("session_id", uuid.uuid4().hex)', "return response"), Verdict.UNCERTAIN),
        (
            (
                'sid = request.cookies["sid"]',
                'db.execute("UPDATE members SET session = ? WHERE id = 1", [sid])',
                'return ""',
            ),
            Verdict.CONFIRMED,
        ),
    ],
)
def test_fixation(judge: Judge, lines: tuple[str, ...], verdict: Verdict) -> None:
    ruling = judge(384, files(*lines), "app.py", "def view")
    assert ruling.verdict is verdict, ruling.reason


@pytest.mark.parametrize(("made", "verdict"), [("SimpleCookie()", Verdict.CONFIRMED), ("None", Verdict.UNCERTAIN)])
def test_state_that_visitors_share(judge: Judge, made: str, verdict: Verdict) -> None:
    body = f"""\
    from http.cookies import SimpleCookie
    from http.server import BaseHTTPRequestHandler

    class Handler(BaseHTTPRequestHandler):
        jar = {made}

        def do_GET(self):
            self.jar.load(self.headers["Cookie"])
    """
    assert judge(488, {"app.py": body}, "app.py", "jar =").verdict is verdict


def test_state_of_the_instance_is_not_shared(judge: Judge) -> None:
    body = """\
    class Handler(BaseHTTPRequestHandler):
        jar = SimpleCookie()

        def do_GET(self):
            self.jar = SimpleCookie()
            self.jar.load(self.headers["Cookie"])
    """
    assert judge(488, {"app.py": body}, "app.py", "jar =").verdict is Verdict.UNCERTAIN


@pytest.mark.parametrize(
    ("made", "answer", "verdict"),
    [
        ("random.randint(0, 9999)", "'sent'", Verdict.CONFIRMED),
        ("hashlib.md5(str(time.time()).encode()).hexdigest()", "'sent'", Verdict.CONFIRMED),
        ("secrets.token_urlsafe()", "jsonify(token)", Verdict.CONFIRMED),
        ("secrets.token_urlsafe()", "'sent'", Verdict.UNCERTAIN),
    ],
)
def test_recovery(judge: Judge, made: str, answer: str, verdict: Verdict) -> None:
    project = files(f"token = {made}", "TOKENS[token] = request.form['mail']", f"return {answer}")
    ruling = judge(640, project, "app.py", "def view")
    assert ruling.verdict is verdict, ruling.reason


@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        ("jwt.decode(token, KEY, algorithms=['HS256'])", Verdict.DISMISSED),
        ("jwt.decode(token, KEY, algorithms=['HS256'], options={'verify_signature': False})", Verdict.UNCERTAIN),
        ("jwt.decode(token, KEY, algorithms=['none'])", Verdict.UNCERTAIN),
    ],
)
def test_tokens(judge: Judge, call: str, verdict: Verdict) -> None:
    project = files("token = request.headers['Authorization']", f"return {call}['sub']")
    project["app.py"] = "    import jwt\n" + project["app.py"]
    ruling = judge(287, project, "app.py", "def view")
    assert ruling.verdict is verdict, ruling.reason


def test_a_cookie_that_is_read_one_call_away(judge: Judge) -> None:
    after = """\

    def who():
        return request.cookies.get("who")
"""
    assert judge(565, files("return who()", after=after), "app.py", "def view").verdict is Verdict.UNCERTAIN
    assert judge(565, files("return str(1)"), "app.py", "def view").verdict is Verdict.DISMISSED
