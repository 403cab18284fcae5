"""The defect is where the statement is put together, not in the function that runs what it is given."""

import sqlite3

from fastapi import FastAPI
from jinja2 import Environment
from pydantic import BaseModel

app = FastAPI()


def run_statement(statement, values=()):
    connection = sqlite3.connect("app.db")
    return connection.execute(statement, values).fetchall()


@app.get("/find")
def find(name: str):
    return run_statement(f"SELECT * FROM users WHERE name = '{name}'")  # expect: sql-injection


@app.get("/find-safe")
def find_safe(name: str):
    return run_statement("SELECT * FROM users WHERE name = ?", (name,))


@app.delete("/user")
def delete(name: str, number: int):
    run_statement(f"DELETE FROM users WHERE id = {number}")
    run_statement(f"DELETE FROM notes WHERE name = '{name}'")  # expect: sql-injection


@app.get("/hello")
def hello(name=None):
    name = name or "guest"
    return Environment().from_string("Hello " + name).render()  # expect: template-injection


@app.get("/hello-safe")
def hello_safe(name=None):
    return Environment().from_string("Hello {{ name }}").render(name=name)


class User(BaseModel):
    name: str
    age: int


@app.put("/user")
def put(user: User):
    run_statement(f"INSERT INTO users VALUES ('{user.name}', {user.age})")  # expect: sql-injection


@app.put("/age")
def put_age(user: User):
    run_statement(f"UPDATE users SET age = {user.age} WHERE name = ?", (user.name,))
