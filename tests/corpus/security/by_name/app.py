"""A function that is looked up by a name that is put together, and functions inside functions."""

from importlib import import_module

from flask import Flask, request

app = Flask(__name__)


def action_of(kind, name):
    module = import_module("actions.{}".format(kind))
    return getattr(module, "do_" + name)


@app.route("/run/<kind>/<name>")
def run(kind, name):
    action = action_of(kind, name)
    action(request.args["text"])
    return "done"


def make_view(kind):
    def view():
        page = "<p>" + request.args["text"] + "</p>"
        return page  # expect: cross-site-scripting

    app.add_url_rule("/show/" + kind, kind, view)


def apply(function):
    function(None)
