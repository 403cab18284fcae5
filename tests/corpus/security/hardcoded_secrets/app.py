import os

import jwt
from flask import Flask, request

app = Flask(__name__)
app.secret_key = "kx81-signing"  # expect: hardcoded-secret
app.config["JWT_SECRET_KEY"] = os.environ["JWT_SECRET_KEY"]


def login(username, password):
    if username == "admin" and password == "hunter22":  # expect: hardcoded-secret
        return True
    return False


def changed(password):
    return password == "********"  # expect: hardcoded-secret UNCERTAIN


def token(payload):
    return jwt.encode(payload, "shared-key", algorithm="HS256")  # expect: hardcoded-secret


def token_safe(payload):
    return jwt.encode(payload, os.environ["KEY"], algorithm="HS256")


def known(form, stored):
    return form["password"] == stored
