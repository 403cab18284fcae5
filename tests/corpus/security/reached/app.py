"""Lines that look unreachable to who does not follow what other code does, beside lines that are."""

import contextlib
import os

from flask import Flask, request
from elsewhere import Options, fill, listing, quietly, walk

app = Flask(__name__)
DEFAULTS = {"command": None, "other": 1}
FIXED = {"command": None, "other": 1}


def configure(given):
    DEFAULTS["command"] = given


@app.route("/mapping")
def in_the_source_of_a_mapping():
    name = request.args["name"]
    return {x: y for x, y in os.popen(name)}  # expect: command-injection


@app.route("/deferred")
def in_a_lambda():
    name = request.args["name"]
    walk(lambda: os.system(name))  # expect: command-injection
    return "done"


@app.route("/width")
def in_a_format():
    name = request.args["name"]
    return f"{1:{os.popen(name).read()}}"  # expect: command-injection


@app.route("/filled")
def filled_by_code_that_is_not_here():
    name, found = request.args["name"], []
    fill(found)
    if found:
        os.system(name)  # expect: command-injection
    return "done"


@app.route("/empty")
def filled_by_nobody():
    name, found = request.args["name"], []
    print(found)
    if found:
        os.system(name)  # expect: command-injection DISMISSED
    return "done"


@app.route("/method")
def filled_through_a_method():
    name, found = request.args["name"], []
    walk(found.append)
    if len(found):
        os.system(name)  # expect: command-injection
    return "done"


@app.route("/alias")
def filled_under_another_name():
    name, found = request.args["name"], set()
    other = found
    fill(other)
    if found:
        os.system(name)  # expect: command-injection
    return "done"


@app.route("/closure")
def filled_by_a_function_inside():
    name, found = request.args["name"], []

    def note(one):
        found.append(one)

    walk(note)
    if found:
        os.system(name)  # expect: command-injection
    return "done"


@app.route("/nonlocal")
def set_by_a_function_inside():
    name, seen = request.args["name"], False

    def note(one):
        nonlocal seen
        seen = True

    walk(note)
    if seen:
        os.system(name)  # expect: command-injection
    return "done"


@app.route("/update")
def defaults_that_are_replaced():
    name, options = request.args["name"], {"run": None}
    options.update(listing())
    if options["run"]:
        os.system(name)  # expect: command-injection
    return "done"


@app.route("/attribute")
def an_attribute_that_is_set_elsewhere():
    name, options = request.args["name"], Options()
    options.run = None
    fill(options)
    if options.run:
        os.system(name)  # expect: command-injection
    return "done"


@app.route("/module")
def a_setting_that_the_module_changes():
    if DEFAULTS["command"]:
        os.system(request.args["name"])  # expect: command-injection
    return "done"


@app.route("/fixed")
def a_setting_that_nobody_changes():
    if FIXED["command"]:
        os.system(request.args["name"])  # expect: command-injection DISMISSED
    return "done"


def refuse():
    raise ValueError


@app.route("/swallowed")
def after_a_context_that_may_swallow():
    with quietly():
        refuse()
    os.system(request.args["name"])  # expect: command-injection
    return "done"


@app.route("/raised")
def after_a_context_that_does_not():
    with open("log") as log:
        refuse()
    os.system(request.args["name"])  # expect: command-injection DISMISSED
    return "done"


@app.route("/left")
def after_a_return():
    with quietly():
        return "left"
    os.system(request.args["name"])


@app.route("/suppressed")
def after_what_is_suppressed():
    with contextlib.suppress(ValueError):
        refuse()
    os.system(request.args["name"])  # expect: command-injection
    return "done"
