from flask import Flask, request

from shop import runner
from shop.wrapper import Wrapped

app = Flask(__name__)


def wanted(source, name):
    return source.args.get(name) or source.form.get(name)


@app.route("/direct")
def direct():
    runner.run("tar c " + wanted(request, "name"))
    return "done"


@app.route("/wrapped")
def wrapped():
    around = Wrapped(request)
    runner.run_again(around.parameter("name"))
    runner.run_third(around.fixed("name"))
    return "done"


@app.route("/quoted")
def quoted():
    runner.run_quoted(request.args["name"])
    return "done"


def register(application):
    @application.route("/nested", methods=["POST"])
    def nested():
        runner.run_fourth(request.form["name"])
        return "done"
