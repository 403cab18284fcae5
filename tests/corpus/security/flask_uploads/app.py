import os

from flask import Flask, request
from werkzeug.utils import secure_filename

app = Flask(__name__)
app.config["UPLOADS"] = "uploads"


def allowed(name):
    return "." in name and name.rsplit(".", 1)[1].lower() in {"txt", "pdf"}


@app.post("/upload")
def upload():
    file = request.files["file"]
    if not allowed(file.filename):
        return "no"
    file.save(os.path.join(app.config["UPLOADS"], file.filename))  # expect: path-traversal
    return "ok"


@app.post("/upload-safe")
def upload_safe():
    file = request.files["file"]
    file.save(os.path.join(app.config["UPLOADS"], secure_filename(file.filename)))
    return "ok"


@app.post("/export")
def export():
    kind = request.form["kind"]
    with open(f"/var/exports/report.{kind}", "w") as stream:  # expect: path-traversal UNCERTAIN
        stream.write("x")
    return "ok"
