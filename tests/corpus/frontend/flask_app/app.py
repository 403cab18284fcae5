from flask import Blueprint, Flask, redirect, render_template, request, url_for
from flask_wtf import CSRFProtect
from markupsafe import Markup, escape

app = Flask(__name__)
CSRFProtect(app)
orders = Blueprint("orders", __name__, url_prefix="/orders")


@app.route("/")
def index():
    query = request.args.get("q", "")
    return render_template("index.html", query=query, title="Shop", body=escape(query), rows=load())


@app.route("/search", methods=["GET", "POST"])
def search():
    return render_template("serch.html")  # expect: template-missing


@orders.post("/<int:number>/pay")
def pay(number):
    return redirect(url_for("index"))


@orders.get("/<int:number>")
def show(number):
    name = request.args["name"]
    greeting = Markup(f"<b>{name}</b>")  # expect: markup-from-parts
    safe = Markup(f"<b>{escape(name)}</b>")  # expect: markup-from-parts DISMISSED
    other = Markup("<b>%s</b>" % load())  # expect: markup-from-parts UNCERTAIN
    plain = Markup("<b>%s</b>") % name
    return render_template("order.html", order=number, greeting=greeting, safe=safe, other=other, plain=plain)


def load():
    return []


app.register_blueprint(orders)
