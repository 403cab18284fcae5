from flask import Flask
from roles import admin_required, deny_strangers

app = Flask(__name__)


@app.before_request
def everybody():
    deny_strangers()


@app.route("/a", methods=["POST"])
@admin_required
def first():
    return "a"


@app.route("/b", methods=["POST"])
@admin_required
def second():
    return "b"


@app.route("/c", methods=["POST"])
def third():  # expect: unguarded-route DISMISSED
    return "c"
