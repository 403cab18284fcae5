import base64
import configparser
import io
import os

import config
from flask import Flask, request

app = Flask(__name__)
ENABLED = False
enabled = False


@app.route("/infeasible")
def infeasible():
    size = 40
    command = "ls" if 3 * size > 100 else request.args["command"]
    os.system(command)  # expect: command-injection DISMISSED
    return "done"


@app.route("/feasible")
def feasible():
    size = 40
    command = "ls" if 3 * size > 200 else request.args["command"]
    os.system(command)  # expect: command-injection
    return "done"


@app.route("/key")
def key():
    table = {}
    table["fixed"] = "ls"
    table["free"] = request.args["command"]
    os.system(table["fixed"])  # expect: command-injection DISMISSED
    return "done"


@app.route("/other-key")
def other_key():
    table = {"fixed": "ls", "free": request.args["command"]}
    os.system(table["free"])  # expect: command-injection
    return "done"


@app.route("/index")
def index():
    row = ["ls"]
    row.append(request.args["command"])
    row.append("pwd")
    row.pop(0)
    os.system(row[1])  # expect: command-injection DISMISSED
    return "done"


@app.route("/other-index")
def other_index():
    row = ["ls", request.args["command"], "pwd"]
    del_me = row.pop(0)
    os.system(row[0])  # expect: command-injection
    return del_me


@app.route("/match")
def matched():
    match "ABC"[1]:
        case "A":
            command = request.args["command"]
        case "B":
            command = "ls"
        case _:
            command = request.args["command"]
    os.system(command)  # expect: command-injection DISMISSED
    return "done"


@app.route("/config")
def configured():
    settings = configparser.ConfigParser()
    settings.add_section("run")
    settings.set("run", "Fixed", "ls")
    settings.set("run", "free", request.args["command"])
    os.system(settings.get("run", "fixed"))  # expect: command-injection DISMISSED
    os.system(settings.get("run", "free"))  # expect: command-injection
    return "done"


@app.route("/buffer")
def buffer():
    text = io.StringIO()
    text.write("tar c ")
    text.write(request.args["name"])
    os.system(text.getvalue())  # expect: command-injection
    return "done"


@app.route("/round-trip")
def round_trip():
    packed = base64.b64encode(request.args["name"].encode())
    os.system(base64.b64decode(packed).decode())  # expect: command-injection
    return "done"


@app.route("/overwritten")
def overwritten():
    command = request.args["command"]
    command = "ls"
    os.system(command)
    return "done"


@app.route("/dead")
def dead():
    command = request.args["command"]
    if command or not command:
        return "never further" if True else command
    return "here"


@app.route("/fixed-path")
def fixed_path():
    os.system(request.path.split("/")[1])  # expect: command-injection DISMISSED
    return "done"


@app.route("/sliced")
def sliced():
    text = "run " + request.args["command"]
    os.system(text[:3])  # expect: command-injection DISMISSED
    return "done"


@app.route("/switched-off")
def switched_off():
    if ENABLED:
        os.system(request.args["command"])  # expect: command-injection DISMISSED
    return "done"


@app.route("/switched")
def switched():
    if enabled:
        os.system(request.args["command"])  # expect: command-injection
    return "done"


@app.route("/setting")
def setting():
    if config.ENABLED:
        os.system(request.args["command"])  # expect: command-injection
    return "done"


@app.route("/match-one-of")
def match_one_of():
    match request.args["command"]:
        case "ls" | "pwd" as command:
            os.system(f"{command} -l")  # expect: command-injection DISMISSED
        case "du":
            os.system(f"{request.args['command']} -h")  # expect: command-injection DISMISSED
        case other if other in {"df", "id"}:
            os.system(f"{other} -h")  # expect: command-injection DISMISSED
        case other:
            os.system(f"{other} -h")  # expect: command-injection
    return "done"
