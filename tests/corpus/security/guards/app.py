import os
import re
import uuid

from flask import Flask, abort, request
from validators_of_somebody import is_fine

app = Flask(__name__)
ALLOWED = {"red", "green"}
NAME = re.compile(r"^[a-z]+\Z")


@app.route("/allowed")
def allowed():
    colour = request.args["colour"]
    if colour not in ALLOWED:
        abort(404)
    os.system("paint " + colour)  # expect: command-injection DISMISSED
    return "done"


@app.route("/pattern")
def pattern():
    name = request.args["name"]
    if not NAME.match(name):
        abort(404)
    os.system("paint " + name)  # expect: command-injection DISMISSED
    return "done"


@app.route("/search-only")
def search_only():
    name = request.args["name"]
    if re.search("[a-z]+", name) is None:
        abort(404)
    os.system("paint " + name)  # expect: command-injection UNCERTAIN
    return "done"


@app.route("/digits")
def digits():
    number = request.args["number"]
    if number.isdigit():
        os.system("paint " + number)  # expect: command-injection DISMISSED
    return "done"


@app.route("/foreign-check")
def foreign_check():
    name = request.args["name"]
    if not is_fine(name):
        abort(404)
    os.system("paint " + name)  # expect: command-injection UNCERTAIN
    return "done"


def known(name):
    if name in ("red", "green"):
        return True
    return False


@app.route("/own-check")
def own_check():
    name = request.args["name"]
    if not known(name):
        return "no", 404
    os.system("paint " + name)  # expect: command-injection DISMISSED
    return "done"


@app.route("/flag")
def flag():
    name = request.args["name"]
    good = False
    if name in ("red", "green"):
        good = True
    if not good:
        return "no", 404
    os.system("paint " + name)  # expect: command-injection UNCERTAIN
    return "done"


@app.route("/converted")
def converted():
    number = request.args["number"]
    try:
        int(number)
    except ValueError:
        return "no", 400
    os.system("paint " + number)  # expect: command-injection DISMISSED
    return "done"


@app.route("/identifier")
def identifier():
    name = request.args["name"]
    try:
        uuid.UUID(name)
    except ValueError:
        return "no", 400
    os.system("paint " + name)  # expect: command-injection UNCERTAIN
    return "done"


@app.route("/letters")
def letters():
    name = request.args["name"]
    for c in name:
        if not c.isalpha():
            abort(400)
    os.system("paint " + name)  # expect: command-injection DISMISSED
    return "done"


@app.route("/denied")
def denied():
    name = request.args["name"]
    if name in ("red", "green"):
        return "taken", 400
    os.system("paint " + name)  # expect: command-injection
    return "done"


@app.route("/empty")
def empty():
    name = request.args.get("name")
    if not name:
        name = "red"
    os.system("paint " + name)  # expect: command-injection
    return "done"


@app.route("/logged-in")
def logged_in():
    if request.cookies.get("session") is None:
        abort(401)
    os.system("paint " + request.args["name"])  # expect: command-injection
    return "done"
