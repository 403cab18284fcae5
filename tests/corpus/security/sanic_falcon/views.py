import html as escaping
import json

import asyncpg
from sanic import Sanic
from sanic.response import html

app = Sanic("notes")


@app.route("/search")
async def search(request):
    term = request.args.get("q")
    connection = await asyncpg.connect("notes")
    rows = await connection.fetch(f"SELECT * FROM notes WHERE text LIKE '%{term}%'")  # expect: sql-injection
    return html(str(len(rows)))


@app.route("/safe")
async def safe(request):
    connection = await asyncpg.connect("notes")
    rows = await connection.fetch("SELECT * FROM notes WHERE text LIKE $1", request.args.get("q"))
    return html(str(len(rows)))


@app.route("/greet")
async def greet(request):
    name = request.args.get("name")
    return html(f"<p>{name}</p>")  # expect: cross-site-scripting


@app.route("/greet-escaped")
async def greet_escaped(request):
    return html(f"<p>{escaping.escape(request.args.get('name'))}</p>")
