import urllib.parse

import requests
from flask import Flask, redirect, request, session, url_for

app = Flask(__name__)


@app.route("/go")
def go():
    return redirect(request.args["next"])  # expect: open-redirect


@app.route("/go-fixed")
def go_fixed():
    return redirect("/page?from=" + request.args["next"])  # expect: open-redirect DISMISSED


@app.route("/go-home")
def go_home():
    return redirect(url_for("go", next=request.args["next"]))


@app.route("/go-allowed")
def go_allowed():
    target = request.args["next"]
    parsed = urllib.parse.urlparse(target)
    if parsed.scheme != "https" or parsed.netloc not in ["example.org"]:
        return "no", 400
    return redirect(target)  # expect: open-redirect DISMISSED


def is_ours(target):
    parsed = urllib.parse.urlsplit(target)
    if parsed.scheme or parsed.netloc:
        return False
    return not target.startswith("//")


def ours_or_home(target):
    if not target:
        return ""
    if is_ours(target):
        return target
    return "/"


@app.route("/go-ours")
def go_ours():
    return redirect(ours_or_home(request.args["next"]) or "/home")  # expect: open-redirect UNCERTAIN


def same_host(target):
    if not target or "\\" in target:
        return False
    joined = urllib.parse.urlparse(urllib.parse.urljoin(request.host_url, target))
    return joined.scheme in ("http", "https") and joined.netloc == urllib.parse.urlparse(request.host_url).netloc


@app.route("/go-joined")
def go_joined():
    target = request.args.get("next", None)
    if target is None or not same_host(target):
        target = url_for("go")
    return redirect(target)  # expect: open-redirect UNCERTAIN


@app.route("/go-slash")
def go_slash():
    return redirect("/" + request.args["next"])  # expect: open-redirect


@app.route("/fetch")
def fetch():
    requests.get(request.args["url"], timeout=5)  # expect: server-side-request-forgery
    return "done"


@app.route("/fetch-pinned")
def fetch_pinned():
    requests.get("https://api.example.org/items/" + request.args["item"], timeout=5)  # expect: server-side-request-forgery DISMISSED
    return "done"


@app.route("/login", methods=["POST"])
def login():
    session["user_id"] = request.form["user"]  # expect: trust-boundary-violation
    return "done"


@app.route("/remember", methods=["POST"])
def remember():
    session["last_search"] = request.form["q"]  # expect: trust-boundary-violation UNCERTAIN
    return "done"


@app.route("/provider", methods=["POST"])
def provider():
    session["oauth2_client"] = request.form["client"]  # expect: trust-boundary-violation UNCERTAIN
    return "done"


@app.route("/set", methods=["POST"])
def set_key():
    session[request.form["key"]] = "1"  # expect: trust-boundary-violation
    return "done"
