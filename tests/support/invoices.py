"""A small application with accounts and records, for claims about who may do what."""

MODELS = """\
    from app import db

    class Member(db.Model):
        name = db.Column(db.String)
        password = db.Column(db.String)

    class Invoice(db.Model):
        title = db.Column(db.String)
        member_id = db.Column(db.Integer)
"""
HEAD = """\
    import subprocess
    from functools import wraps
    from flask import Flask, abort, g, redirect, render_template, request, session
    from models import Invoice, Member
    app = Flask(__name__)

"""


def files(body: str, **more: str) -> dict[str, str]:
    """The application with `body` as its views, and further modules by name."""
    return {"app.py": HEAD + body, "models.py": MODELS, **{f"{k}.py": v for k, v in more.items()}}
