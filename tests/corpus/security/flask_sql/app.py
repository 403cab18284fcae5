import sqlite3

from flask import Flask, g, request

app = Flask(__name__)


def connect():
    return sqlite3.connect("shop.db")


@app.route("/user")
def user():
    cursor = connect().cursor()
    name = request.args.get("name")
    cursor.execute(f"SELECT * FROM users WHERE name = '{name}'")  # expect: sql-injection
    return "done"


@app.route("/user-parameter")
def user_parameter():
    cursor = connect().cursor()
    cursor.execute("SELECT * FROM users WHERE name = ?", (request.args.get("name"),))
    return "done"


@app.route("/user-percent")
def user_percent():
    cursor = connect().cursor()
    cursor.execute("SELECT * FROM users WHERE name = '%s'" % request.args.get("name"))  # expect: sql-injection
    return "done"


@app.route("/page")
def page():
    cursor = connect().cursor()
    offset = int(request.args.get("offset", "0"))
    cursor.execute(f"SELECT * FROM users LIMIT 10 OFFSET {offset}")
    return "done"


@app.route("/sorted")
def sorted_users():
    cursor = connect().cursor()
    column = request.args.get("by", "name")
    if column not in ("name", "age"):
        column = "name"
    cursor.execute(f"SELECT * FROM users ORDER BY {column}")  # expect: sql-injection DISMISSED
    return "done"


@app.route("/doubled")
def doubled():
    cursor = connect().cursor()
    name = request.args.get("name", "").replace("'", "")
    cursor.execute("SELECT * FROM users WHERE name = '" + name + "'")  # expect: sql-injection DISMISSED
    return "done"


def kept():
    if "db" not in g:
        g.db = connect()
    return g.db


def query_for(name):
    return "SELECT * FROM users WHERE name = '" + name + "'"


@app.route("/user-kept")
def user_kept():
    kept().execute(query_for(request.args.get("name")))  # expect: sql-injection
    return "done"
