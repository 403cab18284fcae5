"""Records found by an id of the client's choice, and fields that the client sets."""

import pytest

from harness.schema.verdict import Verdict
from tests.support.ruled import Judge, lines_of

MODELS = """\
    from app import db

    class Letter(db.Model):
        text = db.Column(db.String)
        author_id = db.Column(db.Integer)

    class City(db.Model):
        name = db.Column(db.String)
"""
HEAD = """\
    from flask import Flask, abort, redirect, request, session
    from flask_login import current_user, login_required
    from models import City, Letter
    app = Flask(__name__)

"""


def files(body: str) -> dict[str, str]:
    return {"app.py": HEAD + body, "models.py": MODELS}


def test_a_record_of_somebody_is_confirmed(judge: Judge) -> None:
    body = """\
    @app.route("/letters/<int:key>")
    @login_required
    def letter(key):
        return Letter.query.filter_by(id=key).first().text
    """
    ruling = judge(639, files(body), "app.py", "def letter")
    assert ruling.verdict is Verdict.CONFIRMED
    assert lines_of(ruling) == ["app.py:9", "models.py:5", "app.py:7"]
    assert judge(862, files(body), "app.py", "def letter").verdict is Verdict.CONFIRMED


DISMISSED = {
    "found by the owner too": "return Letter.query.filter_by(id=key, author_id=current_user.id).first().text",
    "compared after": """one = Letter.query.filter_by(id=key).first()
        if one.author_id != current_user.id:
            abort(403)
        return one.text""",
    "nobody's": "return City.query.filter_by(id=key).first().name",
    "no look-up": "return str(key)",
}


@pytest.mark.parametrize("case", DISMISSED)
def test_owned_or_unowned_is_dismissed(judge: Judge, case: str) -> None:
    body = f"""\
    @app.route("/letters/<int:key>")
    @login_required
    def letter(key):
        {DISMISSED[case]}
    """
    ruling = judge(639, files(body), "app.py", "def letter")
    assert ruling.verdict is Verdict.DISMISSED, ruling.reason


def test_a_comparison_with_the_clients_own_word_is_none(judge: Judge) -> None:
    body = """\
    @app.route("/letters/<int:key>")
    @login_required
    def letter(key):
        one = Letter.query.filter_by(id=key).first()
        if one.author_id != request.args["me"]:
            abort(403)
        return one.text
    """
    assert judge(639, files(body), "app.py", "def letter").verdict is Verdict.CONFIRMED


def test_an_unknown_look_up_stays_open(judge: Judge) -> None:
    body = """\
    @app.route("/letters/<int:key>")
    @login_required
    def letter(key):
        return archive.fetch(key)
    """
    assert judge(639, files(body), "app.py", "def letter").verdict is Verdict.UNCERTAIN


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Letter(**request.json)", Verdict.CONFIRMED),
        ("Letter(text=request.json['text'], author_id=1)", Verdict.UNCERTAIN),
        ("Letter(text='x', role=request.json['role'])", Verdict.CONFIRMED),
        ("Letter.query.filter_by(role=request.json['role']).first()", Verdict.DISMISSED),
    ],
)
def test_mass_assignment(judge: Judge, text: str, verdict: Verdict) -> None:
    body = f"""\
    @app.route("/letters", methods=["POST"])
    def write():
        one = {text}
        return "ok"
    """
    assert judge(915, files(body), "app.py", "def write").verdict is verdict


@pytest.mark.parametrize(
    ("test", "verdict"), [("True", Verdict.CONFIRMED), ('name in {"text", "title"}', Verdict.UNCERTAIN)]
)
def test_attributes_by_name(judge: Judge, test: str, verdict: Verdict) -> None:
    body = f"""\
    @app.route("/letters/<int:key>", methods=["POST"])
    def write(key):
        one = Letter.query.get(key)
        for name, value in request.form.items():
            if {test}:
                setattr(one, name, value)
        return "ok"
    """
    assert judge(915, files(body), "app.py", "setattr").verdict is verdict


def test_a_method_of_a_record_takes_nothing_from_a_client_by_itself(judge: Judge) -> None:
    body = """\
    class Project(db.Model):
        def invite(self, user, role):
            Letter.objects.create(user=user, role=role)
    """
    assert judge(915, files(body), "app.py", "def invite").verdict is Verdict.UNCERTAIN


def test_a_token_in_the_address_is_no_id(judge: Judge) -> None:
    body = """\
    @app.route("/letters/<token>")
    def letter(token):
        one = Letter.query.filter_by(token=token).first()
        return one.text
    """
    assert judge(639, files(body), "app.py", "def letter").verdict is not Verdict.CONFIRMED


def test_fields_by_name_are_no_missing_permission(judge: Judge) -> None:
    body = """\
    @app.route("/letters", methods=["POST"])
    @login_required
    def write():
        Letter(**request.json)
        return "ok"
    """
    assert judge(915, files(body), "app.py", "def write").verdict is Verdict.CONFIRMED
    assert judge(862, files(body), "app.py", "def write").verdict is not Verdict.CONFIRMED


def test_an_object_that_nothing_is_known_of_may_look_up(judge: Judge) -> None:
    body = """\
    @app.route("/letters/<int:key>")
    @login_required
    def letter(key):
        return app.archive.load(key)
    """
    assert judge(639, files(body), "app.py", "def letter").verdict is Verdict.UNCERTAIN
    assert judge(915, files(body), "app.py", "def letter").verdict is Verdict.UNCERTAIN


OTHERS_ALLOWED = {
    "a role before it": ("@admins_only", "return Letter.query.filter_by(id=key).first().text", Verdict.DISMISSED),
    "a guard that may ask for more": ("@visible_to_them", "return Letter.query.filter_by(id=key).first().text", Verdict.UNCERTAIN),
    "a role asked in the body": (
        "@login_required", "return Letter.query.filter_by(id=key, hidden=is_admin()).first().text", Verdict.UNCERTAIN,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERS_ALLOWED)
def test_who_may_see_what_is_others_is_no_missing_owner(judge: Judge, case: str) -> None:
    decorator, answer, verdict = OTHERS_ALLOWED[case]
    body = f"""\
    def visible_to_them(f):
        def inner(*a):
            if not session.get("user_id"):
                abort(403)
            return f(*a)
        return inner

    def admins_only(f):
        def inner(*a):
            if not current_user.is_admin:
                abort(403)
            return f(*a)
        return inner

    @app.route("/letters/<int:key>")
    {decorator}
    def letter(key):
        {answer}
    """
    assert judge(639, files(body), "app.py", "def letter").verdict is verdict


@pytest.mark.parametrize("fields", ["form.data", "form.cleaned_data", "serializer.validated_data"])
def test_the_fields_of_a_form_are_those_that_it_declares(judge: Judge, fields: str) -> None:
    body = f"""\
    class LetterForm:
        pass

    @app.route("/letters", methods=["POST"])
    @login_required
    def write():
        form = serializer = LetterForm(request.form)
        db.session.add(Letter(**{fields}))
        return "done"
    """
    assert judge(915, files(body), "app.py", "def write").verdict is not Verdict.CONFIRMED


def test_a_dictionary_that_is_updated_is_no_record(judge: Judge) -> None:
    body = """\
    @app.route("/letters", methods=["POST"])
    def write():
        shown = {}
        shown.update(**request.json)
        return shown
    """
    assert judge(915, files(body), "app.py", "def write").verdict is not Verdict.CONFIRMED
