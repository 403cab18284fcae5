import os
import shlex
import subprocess

from flask import Flask, request

app = Flask(__name__)


@app.route("/pack")
def pack():
    name = request.args["name"]
    return os.popen(f"tar c {name}").read()  # expect: command-injection


@app.route("/pack-quoted")
def pack_quoted():
    name = shlex.quote(request.args["name"])
    os.system(f"tar c {name}")
    return "done"


@app.route("/list")
def list_files():
    subprocess.run(["ls", "--", request.args["name"]], check=True)  # expect: command-injection DISMISSED
    return "done"


@app.route("/shell-list", methods=["POST"])
def shell_list():
    command = ["sh", "-c"]
    command.append("echo " + request.form["text"])
    subprocess.run(command, check=True)  # expect: command-injection
    return "done"


@app.route("/in-quotes")
def in_quotes():
    text = request.args.get("text", "").replace("'", "")
    os.system(f"echo '{text}'")  # expect: command-injection DISMISSED
    return "done"


@app.route("/job/<int:number>")
def job(number):
    os.system(f"run-job {number}")  # expect: command-injection DISMISSED
    return "done"


@app.route("/evaluate", methods=["POST"])
def evaluate():
    return str(eval(request.form["formula"]))  # expect: code-injection


@app.route("/literal", methods=["POST"])
def literal():
    text = request.form["text"]
    if not text.startswith("'") or not text.endswith("'") or "'" in text[1:-1]:
        return "only plain strings", 400
    return eval(text)  # expect: code-injection DISMISSED


@app.route("/json", methods=["POST"])
def from_json():
    os.system(request.get_json()["command"])  # expect: command-injection
    os.system(request.get_data().decode())  # expect: command-injection
    return "done"
