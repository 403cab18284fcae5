"""A login or permission that is said to be missing."""

import pytest

from harness.schema.verdict import Verdict
from tests.support.invoices import files
from tests.support.ruled import Judge, lines_of


def test_deleting_for_everybody_is_confirmed(judge: Judge) -> None:
    body = """\
    @app.route("/invoices/<int:key>/drop", methods=["POST"])
    def drop(key):
        Invoice.query.filter_by(id=key).delete()
        return "ok"
    """
    ruling = judge(306, files(body), "app.py", "def drop")
    assert ruling.verdict is Verdict.CONFIRMED
    assert lines_of(ruling) == ["app.py:7", "app.py:9", "models.py:5"]


def test_the_same_one_call_away_is_confirmed(judge: Judge) -> None:
    store = """\
    from models import Invoice

    def forget(key):
        Invoice.query.filter_by(id=key).delete()
    """
    body = """\
    import store

    @app.route("/drop/<int:key>", methods=["POST"])
    def drop(key):
        store.forget(key)
        return "ok"
    """
    ruling = judge(862, files(body, store=store), "app.py", "store.forget")
    assert ruling.verdict is Verdict.CONFIRMED
    assert "store.py:4" in lines_of(ruling)


def test_without_accounts_it_stays_open(judge: Judge) -> None:
    body = """\
    from flask import Flask
    app = Flask(__name__)

    @app.route("/put", methods=["POST"])
    def put():
        open("state", "w").close()
        return "ok"
    """
    assert judge(306, {"app.py": body}, "app.py", "def put").verdict is Verdict.UNCERTAIN


GUARDED = {
    "in the body": ("""\
    @app.route("/drop/<int:key>", methods=["POST"])
    def drop(key):
        if not session.get("user_id"):
            return redirect("/login")
        Invoice.query.filter_by(id=key).delete()
        return "ok"
    """, "app.py:9"),
    "one call away": ("""\
    def who():
        if "user_id" not in session:
            abort(401)

    @app.route("/drop/<int:key>", methods=["POST"])
    def drop(key):
        who()
        Invoice.query.filter_by(id=key).delete()
        return "ok"
    """, "app.py:13"),
    "a decorator of the project": ("""\
    def members(f):
        @wraps(f)
        def inner(*args, **kwargs):
            if g.user is None:
                return redirect("/login")
            return f(*args, **kwargs)
        return inner

    @app.route("/drop/<int:key>", methods=["POST"])
    @members
    def drop(key):
        Invoice.query.filter_by(id=key).delete()
        return "ok"
    """, "app.py:16"),
    "a decorator of a library": ("""\
    from flask_login import login_required

    @app.route("/drop/<int:key>", methods=["POST"])
    @login_required
    def drop(key):
        Invoice.query.filter_by(id=key).delete()
        return "ok"
    """, "app.py:10"),
    "around the change": ("""\
    @app.route("/drop/<int:key>", methods=["POST"])
    def drop(key):
        answer = "no"
        if session.get("user_id"):
            Invoice.query.filter_by(id=key).delete()
            answer = "ok"
        return answer
    """, "app.py:10"),
}  # fmt: skip


@pytest.mark.parametrize("case", GUARDED)
def test_a_guard_dismisses(judge: Judge, case: str) -> None:
    body, at = GUARDED[case]
    ruling = judge(306, files(body), "app.py", "def drop")
    assert ruling.verdict is Verdict.DISMISSED, ruling.reason
    assert at in lines_of(ruling)


NO_GUARDS = {
    "a decorator that lets all through": """\
    def members(f):
        @wraps(f)
        def inner(*args, **kwargs):
            if g.user is None:
                print("a stranger")
            return f(*args, **kwargs)
        return inner

    @app.route("/drop/<int:key>", methods=["POST"])
    @members
    def drop(key):
        Invoice.query.filter_by(id=key).delete()
        return "ok"
    """,
    "a decorator with the name of a library's": """\
    def login_required(f):
        return f

    @app.route("/drop/<int:key>", methods=["POST"])
    @login_required
    def drop(key):
        Invoice.query.filter_by(id=key).delete()
        return "ok"
    """,
}


@pytest.mark.parametrize("case", NO_GUARDS)
def test_what_only_looks_like_a_guard_is_none(judge: Judge, case: str) -> None:
    assert judge(306, files(NO_GUARDS[case]), "app.py", "def drop").verdict is Verdict.CONFIRMED


NOT_DISMISSED = {
    "after the change": """\
    @app.route("/drop/<int:key>", methods=["POST"])
    def drop(key):
        Invoice.query.filter_by(id=key).delete()
        if not session.get("user_id"):
            return redirect("/login")
        return "ok"
    """,
    "about something else in the session": """\
    @app.route("/drop/<int:key>", methods=["POST"])
    def drop(key):
        if not session.get("cart"):
            return redirect("/shop")
        Invoice.query.filter_by(id=key).delete()
        return "ok"
    """,
    "before all requests": """\
    @app.before_request
    def first():
        if not session.get("user_id"):
            return redirect("/login")

    @app.route("/drop/<int:key>", methods=["POST"])
    def drop(key):
        Invoice.query.filter_by(id=key).delete()
        return "ok"
    """,
}


@pytest.mark.parametrize("case", NOT_DISMISSED)
def test_a_guard_that_does_not_stand_before_it_does_not_dismiss(judge: Judge, case: str) -> None:
    verdict = judge(306, files(NOT_DISMISSED[case]), "app.py", "def drop").verdict
    expected = {"about something else in the session": {Verdict.CONFIRMED, Verdict.UNCERTAIN}}
    assert verdict in expected.get(case, {Verdict.UNCERTAIN})


def test_logging_in_has_to_answer_strangers(judge: Judge) -> None:
    body = """\
    @app.route("/enter", methods=["POST"])
    def enter():
        member = Member.query.filter_by(name=request.form["name"]).first()
        if member.password == request.form["password"]:
            session["user_id"] = member.id
            member.seen = True
            db.session.commit()
        return redirect("/")
    """
    ruling = judge(306, files(body), "app.py", "def enter")
    assert ruling.verdict is Verdict.DISMISSED
    assert lines_of(ruling)[0] == "app.py:10"


def test_an_administrator_who_makes_accounts_is_no_registration(judge: Judge) -> None:
    body = """\
    @app.route("/staff/new", methods=["POST"])
    def admin_new_member():
        db.session.add(Member(name=request.form["name"], password=request.form["password"]))
        return "ok"
    """
    assert judge(306, files(body), "app.py", "def admin_new_member").verdict is Verdict.CONFIRMED


def test_a_page_that_is_the_same_for_everybody_is_dismissed(judge: Judge) -> None:
    body = """\
    @app.route("/about")
    def about():
        return render_template("about.html")
    """
    assert judge(306, files(body), "app.py", "def about").verdict is Verdict.DISMISSED


def test_reading_records_stays_open(judge: Judge) -> None:
    body = """\
    @app.route("/invoices")
    def invoices():
        return render_template("invoices.html", all=Invoice.query.all())
    """
    assert judge(306, files(body), "app.py", "def invoices").verdict is Verdict.UNCERTAIN


def test_handing_out_secrets_of_records_is_confirmed(judge: Judge) -> None:
    body = """\
    @app.route("/members")
    def members():
        found = []
        for member in Member.query.all():
            found.append({"name": member.name, "password": member.password})
        return {"members": found}
    """
    ruling = judge(862, files(body), "app.py", "def members")
    assert ruling.verdict is Verdict.CONFIRMED
    assert "app.py:11" in lines_of(ruling)


def test_a_contact_form_stays_open(judge: Judge) -> None:
    body = """\
    @app.route("/contact", methods=["POST"])
    def contact():
        db.session.add(Invoice(title=request.form["text"]))
        return "thanks"
    """
    assert judge(306, files(body), "app.py", "def contact").verdict is Verdict.UNCERTAIN


def test_a_command_without_data_of_the_client_is_not_grave(judge: Judge) -> None:
    body = """\
    @app.route("/version")
    def version():
        return subprocess.check_output(["git", "describe"])
    """
    assert judge(306, files(body), "app.py", "def version").verdict is Verdict.UNCERTAIN


def test_a_function_that_answers_no_request_is_dismissed_with_its_caller(judge: Judge) -> None:
    body = """\
    def forget(key):
        Invoice.query.filter_by(id=key).delete()



    @app.route("/drop/<int:key>", methods=["POST"])
    def drop(key):
        forget(key)
        return "ok"
    """
    ruling = judge(306, files(body), "app.py", "def forget")
    assert ruling.verdict is Verdict.DISMISSED
    assert lines_of(ruling) == ["app.py:14"]


def test_a_function_that_is_handed_on_may_answer_requests(judge: Judge) -> None:
    body = """\
    def forget(key):
        Invoice.query.filter_by(id=key).delete()

    forget(0)
    server.on("drop", forget)
    """
    assert judge(306, files(body), "app.py", "def forget").verdict is Verdict.UNCERTAIN


def test_an_import_answers_no_request(judge: Judge) -> None:
    assert judge(306, files(""), "app.py", "import subprocess").verdict is Verdict.DISMISSED


def test_a_redirect_that_is_not_returned_guards_nothing(judge: Judge) -> None:
    body = """\
    @app.route("/drop/<int:key>", methods=["POST"])
    def drop(key):
        if not session.get("user_id"):
            redirect("/login")
        Invoice.query.filter_by(id=key).delete()
        return "ok"
    """
    ruling = judge(306, files(body), "app.py", "def drop")
    assert ruling.verdict is Verdict.CONFIRMED
    assert lines_of(ruling) == ["app.py:9"]


def test_permission_is_open_where_only_the_login_is_asked_for(judge: Judge) -> None:
    body = """\
    @app.route("/wipe", methods=["POST"])
    def wipe():
        if not session.get("user_id"):
            return redirect("/login")
        Invoice.query.delete()
        return "ok"
    """
    assert judge(862, files(body), "app.py", "def wipe").verdict is Verdict.UNCERTAIN
    assert judge(306, files(body), "app.py", "def wipe").verdict is Verdict.DISMISSED


def test_a_claim_at_the_edge_is_not_dismissed_while_it_holds_beside(judge: Judge) -> None:
    body = """\
    @app.route("/about")
    def about():
        return render_template("about.html")
    # what follows
    @app.route("/drop/<int:key>", methods=["POST"])
    def drop(key):
        Invoice.query.filter_by(id=key).delete()
        return "ok"
    """
    assert judge(306, files(body), "app.py", "render_template(").verdict is Verdict.UNCERTAIN


@pytest.mark.parametrize("asks", ["verify_signature(request)", "service.verify_jwt(request.json)", "ensure_admin(g)"])
def test_a_call_that_asks_by_its_name_keeps_the_claim_open(judge: Judge, asks: str) -> None:
    body = f"""\
    from outside import ensure_admin, service, verify_signature

    @app.route("/wipe", methods=["POST"])
    def wipe():
        {asks}
        Invoice.query.delete()
        return "ok"
    """
    assert judge(306, files(body), "app.py", "def wipe").verdict is Verdict.UNCERTAIN


@pytest.mark.parametrize("cwe", [266, 269, 698])
def test_a_missing_login_is_no_other_defect(judge: Judge, cwe: int) -> None:
    body = """\
    @app.route("/wipe", methods=["POST"])
    def wipe():
        Invoice.query.delete()
        return "ok"
    """
    assert judge(cwe, files(body), "app.py", "def wipe").verdict is Verdict.UNCERTAIN
