from flask import Flask, abort, request
from flask_login import current_user, login_required

app = Flask(__name__)


@app.route("/items", methods=["POST"])
@login_required
def create_item():
    return "created"


@app.route("/items/<int:number>", methods=["DELETE"])
@login_required
def delete_item(number):
    return "deleted"


@app.route("/items/<int:number>/move", methods=["POST"])
@login_required
def move_item(number):
    return "moved"


@app.route("/items/<int:number>/copy", methods=["POST"])
@login_required
def copy_item(number):
    return "copied"


@app.route("/items/<int:number>", methods=["PUT"])
def update_item(number):  # expect: unguarded-route
    return "updated"


@app.route("/items/<int:number>/sold", methods=["POST"])
def sell_item(number):  # expect: unguarded-route UNCERTAIN
    if not current_user.is_authenticated:
        abort(401)
    return "sold"


@app.route("/login", methods=["POST"])
def login():
    return request.form["user"]  # expect: cross-site-scripting
