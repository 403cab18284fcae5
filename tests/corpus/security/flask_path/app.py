import os
import pathlib

from flask import Flask, abort, request, send_file, send_from_directory
from werkzeug.utils import safe_join, secure_filename

app = Flask(__name__)
FOLDER = "/srv/files"


@app.route("/read")
def read():
    name = request.args["name"]
    with open(f"{FOLDER}/{name}") as stream:  # expect: path-traversal
        stream.read()
    return "done"


@app.route("/join")
def join():
    name = request.args["name"]
    if ".." in name:
        abort(400)
    return send_file(os.path.join(FOLDER, name))  # expect: path-traversal


@app.route("/secure")
def secure():
    name = secure_filename(request.args["name"])
    open(os.path.join(FOLDER, name)).close()
    return "done"


@app.route("/no-climbing")
def no_climbing():
    name = request.args["name"]
    if "../" in name:
        return "no", 400
    open(f"{FOLDER}/{name}").close()  # expect: path-traversal DISMISSED
    return "done"


@app.route("/resolved")
def resolved():
    base = pathlib.Path(FOLDER)
    target = (base / request.args["name"]).resolve()
    if not str(target).startswith(FOLDER + "/"):
        abort(404)
    target.read_bytes()  # expect: path-traversal DISMISSED
    return "done"


@app.route("/safe-join")
def safe_join_():
    open(safe_join(FOLDER, request.args["name"])).close()
    return "done"


@app.route("/directory")
def directory():
    return send_from_directory(FOLDER, request.args["name"])


@app.route("/unresolved")
def unresolved():
    base = pathlib.Path(FOLDER)
    target = base / request.args["name"]
    if not str(target).startswith(FOLDER):
        abort(404)
    target.read_bytes()  # expect: path-traversal
    return "done"


@app.route("/real")
def real():
    target = os.path.realpath(os.path.join(FOLDER, request.args["name"]))
    if not target.startswith(FOLDER + os.sep):
        abort(404)
    open(target).close()  # expect: path-traversal DISMISSED
    return "done"


@app.route("/part/<name>")
def part(name):
    open(FOLDER + "/" + name).close()  # expect: path-traversal DISMISSED
    return "done"


@app.route("/whole/<path:name>")
def whole(name):
    open(FOLDER + "/" + name).close()  # expect: path-traversal
    return "done"
