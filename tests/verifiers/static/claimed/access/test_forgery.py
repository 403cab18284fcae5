"""Forged requests."""

import pytest

from harness.schema.verdict import Verdict
from tests.support.ruled import Judge, lines_of

VIEWS = """\
    from django.contrib.auth.decorators import login_required
    from django.http import HttpResponse
    from django.shortcuts import render
    from django.views.decorators.csrf import csrf_exempt
    from .models import Note

    @login_required
    def guarded(request):
        Note.objects.create(text=request.POST["text"])
        return HttpResponse("ok")

    @csrf_exempt
    @login_required
    def exempt(request):
        Note.objects.create(text=request.POST["text"])
        return HttpResponse("ok")

    @login_required
    def by_get(request):
        if request.method == "GET":
            Note.objects.filter(id=request.GET["id"]).delete()
        return HttpResponse("ok")

    @csrf_exempt
    @login_required
    def shows(request):
        return render(request, "page.html")

    @csrf_exempt
    def for_all(request):
        Note.objects.create(text=request.POST["text"])
        return HttpResponse("ok")

    @csrf_exempt
    @login_required
    def fixed(request):
        Note.objects.create(text="seen")
        return HttpResponse("ok")
"""
SETTINGS = """\
    MIDDLEWARE = [
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
    ]
"""
URLS = """\
    from django.urls import path
    from pages import views
    urlpatterns = [path("a", views.guarded), path("b", views.exempt), path("c", views.by_get), path("d", views.shows),
                   path("e", views.for_all), path("f", views.fixed)]
"""
SITE = {"pages/__init__.py": "", "pages/views.py": VIEWS, "pages/settings.py": SETTINGS, "pages/urls.py": URLS}


@pytest.mark.parametrize(
    ("view", "verdict", "at"),
    [
        ("guarded", Verdict.DISMISSED, "pages/settings.py:3"),
        ("exempt", Verdict.CONFIRMED, "pages/views.py:15"),
        ("by_get", Verdict.CONFIRMED, "pages/views.py:21"),
        ("shows", Verdict.DISMISSED, "pages/views.py:26"),
        ("for_all", Verdict.DISMISSED, "pages/views.py:30"),
        ("fixed", Verdict.UNCERTAIN, ""),
    ],
)
def test_django(judge: Judge, view: str, verdict: Verdict, at: str) -> None:
    ruling = judge(352, SITE, "pages/views.py", f"def {view}")
    assert ruling.verdict is verdict, ruling.reason
    assert not at or at in lines_of(ruling)


def test_without_the_middleware_nothing_protects(judge: Judge) -> None:
    bare = {**SITE, "pages/settings.py": "    MIDDLEWARE = []\n"}
    assert judge(352, bare, "pages/views.py", "def guarded").verdict is Verdict.CONFIRMED


HEAD = """\
    from flask import Flask, request, session
    from flask_sqlalchemy import SQLAlchemy
    app = Flask(__name__)
    {setting}

    class Member(db.Model):
        mail = db.Column(db.String)

    @app.route("/mail", methods=[{method!r}])
    def mail():
        {body}
        member = Member.query.get({who})
        member.mail = request.form["mail"]
        db.session.commit()
        return "ok"
"""


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, Verdict.CONFIRMED),
        ({"setting": "CSRFProtect(app)"}, Verdict.DISMISSED),
        ({"body": "assert request.form['csrf_token'] == session['csrf_token']"}, Verdict.DISMISSED),
        ({"setting": "app.config['SESSION_COOKIE_SAMESITE'] = 'Strict'"}, Verdict.UNCERTAIN),
        ({"method": "PUT"}, Verdict.UNCERTAIN),
        ({"who": "jwt.decode(request.headers['Authorization'], KEY)['sub']"}, Verdict.DISMISSED),
    ],
)
def test_flask(judge: Judge, change: dict[str, str], verdict: Verdict) -> None:
    text = HEAD.format(**{"setting": "pass", "method": "POST", "body": "pass", "who": 'session["user_id"]', **change})
    ruling = judge(352, {"app.py": text}, "app.py", "def mail")
    assert ruling.verdict is verdict, ruling.reason


def test_a_signed_link_needs_no_session(judge: Judge) -> None:
    views = (
        VIEWS
        + """
    @csrf_exempt
    def leave(request, signed):
        who = signing.loads(signed)
        Note.objects.filter(reader=who).delete()
        return HttpResponse("ok")
"""
    )
    urls = URLS.replace("[path", '[path("g", views.leave), path', 1)
    site = {**SITE, "pages/views.py": views, "pages/urls.py": urls}
    assert judge(352, site, "pages/views.py", "def leave").verdict is Verdict.UNCERTAIN


def test_some_other_protection_leaves_it_open(judge: Judge) -> None:
    text = HEAD.format(setting="config.set_default_csrf_options(require_csrf=True)", method="POST", body="pass",
                       who='session["user_id"]')  # fmt: skip
    assert judge(352, {"app.py": text}, "app.py", "def mail").verdict is Verdict.UNCERTAIN


def test_what_a_visit_writes_down_stays_open(judge: Judge) -> None:
    text = HEAD.format(setting="pass", method="GET", body="pass", who='session["user_id"]')
    assert judge(352, {"app.py": text}, "app.py", "def mail").verdict is Verdict.UNCERTAIN
