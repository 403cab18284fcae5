import html

from flask import Flask, Response, jsonify, make_response, render_template_string, request
from markupsafe import escape

app = Flask(__name__)


@app.route("/hello")
def hello():
    page = "<h1>Hello "
    page += request.args.get("name", "")
    page += "</h1>"
    return page  # expect: cross-site-scripting


@app.route("/hello-escaped")
def hello_escaped():
    return f"<h1>Hello {escape(request.args.get('name', ''))}</h1>"


@app.route("/hello-again")
def hello_again():
    return f"<h1>Hello {html.escape(request.args['name'])}</h1>"


@app.route("/json")
def as_json():
    return jsonify(name=request.args["name"])


@app.route("/dictionary")
def dictionary():
    return {"name": request.args["name"]}  # expect: cross-site-scripting DISMISSED


@app.route("/header")
def header():
    return make_response(("ok", {"X-Name": request.args["name"]}))  # expect: cross-site-scripting DISMISSED


@app.route("/plain")
def plain():
    return request.args["name"], 200, {"Content-Type": "text/plain"}  # expect: cross-site-scripting DISMISSED


@app.route("/template")
def template():
    return render_template_string("Hello " + request.args["name"])  # expect: template-injection


@app.route("/template-variable")
def template_variable():
    return render_template_string("Hello {{ name }}", name=request.args["name"])


def shout(text):
    cleaned = ""
    for c in text:
        if c.isalnum() or c in (" ", "."):
            cleaned += c
        else:
            cleaned += "?"
    return cleaned


@app.route("/cleaned")
def cleaned():
    return "<p>" + shout(request.args["text"]) + "</p>"  # expect: cross-site-scripting DISMISSED


@app.route("/response")
def response():
    return Response("<p>" + request.args["text"])  # expect: cross-site-scripting
