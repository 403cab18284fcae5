import re

from flask import Flask, request

app = Flask(__name__)
NAME = re.compile(r"^(\w+\s?)*$")
WORDS = re.compile(r"^(?:\w+,)*\w+$")


@app.route("/name")
def name():
    return str(bool(NAME.match(request.args["name"])))  # expect: catastrophic-pattern


@app.route("/words")
def words():
    return str(bool(WORDS.match(request.args["words"])))


@app.route("/prefix")
def prefix():
    return str(bool(re.match(r"((a)+)+", request.args["text"])))


@app.route("/whole")
def whole():
    pattern = r"((a)+)+"
    return str(bool(re.fullmatch(pattern, request.args["text"])))  # expect: catastrophic-pattern


@app.route("/short")
def short():
    text = request.args["text"]
    if len(text) > 20:
        return "too long"
    return str(bool(NAME.match(text)))  # expect: catastrophic-pattern UNCERTAIN
