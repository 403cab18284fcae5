"""A login that is said to be missing, where a framework says which functions answer and who may call."""

import pytest

from harness.schema.verdict import Verdict
from tests.support.invoices import MODELS, files
from tests.support.ruled import Judge, lines_of


def test_routes_by_openapi(judge: Judge) -> None:
    views = """\
    from models import Invoice

    def wipe():
        Invoice.query.delete()
        return {}
    """
    document = """\
    paths:
      /wipe:
        post:
          operationId: views.wipe
          responses: {}
    """
    open_to_all = {"views.py": views, "models.py": MODELS, "api.yml": document}
    assert judge(306, open_to_all, "views.py", "def wipe").verdict is Verdict.CONFIRMED
    asks = {**open_to_all, "api.yml": document.replace("responses: {}", "security: [{key: []}]")}
    assert judge(306, asks, "views.py", "def wipe").verdict is Verdict.UNCERTAIN


def test_django_views_are_found_by_their_table(judge: Judge) -> None:
    views = """\
    from django.http import HttpResponse
    from .models import Note

    def drop(request, key):
        Note.objects.filter(id=key).delete()
        return HttpResponse("ok")



    class Guarded(LoginRequiredMixin, View):
        def post(self, request, key):
            Note.objects.filter(id=key).delete()
    """
    models = """\
    from django.db import models

    class Note(models.Model):
        text = models.TextField()

    class Reader(models.Model):
        password = models.TextField()
    """
    urls = """\
    from django.urls import path
    from site_app import views
    urlpatterns = [path("drop/<int:key>", views.drop), path("g", views.Guarded.as_view())]
    """
    project = {
        "site_app/views.py": views,
        "site_app/models.py": models,
        "site_app/urls.py": urls,
        "site_app/__init__.py": "",
    }
    ruling = judge(306, project, "site_app/views.py", "def drop")
    assert ruling.verdict is Verdict.CONFIRMED
    assert "site_app/urls.py:3" in lines_of(ruling)
    guarded = judge(306, project, "site_app/views.py", "def post")
    assert guarded.verdict is Verdict.DISMISSED
    assert "site_app/views.py:10" in lines_of(guarded)


def test_dependencies_of_fastapi(judge: Judge) -> None:
    body = """\
    from fastapi import Depends, FastAPI, HTTPException, Request
    import os
    app = FastAPI()

    class Member:
        password: str

    def known(request: Request):
        if not request.session.get("user"):
            raise HTTPException(401)

    def lax(request: Request):
        return request.session.get("theme")

    @app.delete("/a")
    def guarded(name: str, who=Depends(known)):
        os.remove(name)



    @app.delete("/b")
    def open_to_all(name: str, who=Depends(lax)):
        os.remove(name)
    """
    guarded = judge(306, {"app.py": body}, "app.py", "def guarded")
    assert guarded.verdict is Verdict.DISMISSED
    assert "app.py:16" in lines_of(guarded)
    assert judge(306, {"app.py": body}, "app.py", "def open_to_all").verdict is Verdict.CONFIRMED


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ('permission="invoices.delete"', Verdict.DISMISSED),
        ("roles=['clerk']", Verdict.DISMISSED),
        ("permission=None", Verdict.CONFIRMED),
        ("strict_slashes=False", Verdict.CONFIRMED),
    ],
)
def test_a_permission_in_the_words_of_the_route_is_a_guard(judge: Judge, words: str, verdict: Verdict) -> None:
    body = f"""\
    @app.route("/wipe", methods=["POST"], {words})
    def wipe():
        Invoice.query.delete()
        return "ok"
    """
    assert judge(306, files(body), "app.py", "def wipe").verdict is verdict


def test_a_decorator_that_asks_by_its_name_keeps_the_claim_open(judge: Judge) -> None:
    body = """\
    require_admin = make_guard("admin")

    @app.route("/wipe", methods=["POST"])
    @require_admin
    def wipe():
        Invoice.query.delete()
        return "ok"
    """
    assert judge(306, files(body), "app.py", "def wipe").verdict is Verdict.UNCERTAIN
