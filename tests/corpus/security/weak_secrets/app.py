import hashlib
import random
import secrets
import string

from faker import Faker
from flask import Flask, make_response, request

app = Flask(__name__)
fake = Faker()


def store_password(user, password):
    user.password_hash = hashlib.md5(password.encode()).hexdigest()  # expect: weak-hash


def store_password_new(user, password):
    digest = hashlib.new("sha1")  # expect: weak-hash
    digest.update(password.encode())
    user.password_hash = digest.hexdigest()


def store_password_well(user, password):
    algorithm = "sha512"
    digest = hashlib.new(algorithm)  # expect: weak-hash DISMISSED
    digest.update(password.encode())
    user.password_hash = digest.hexdigest()


def cache_key(text):
    return hashlib.md5(text.encode()).hexdigest()


def password_color(password):
    return hashlib.md5(password.encode(), usedforsecurity=False).hexdigest()[:6]


def session_cache_key(session):
    return hashlib.sha1(session.encode()).hexdigest()  # expect: weak-hash UNCERTAIN


def allow_password_attempt(email, buckets, pepper):
    key = hashlib.sha1((email + pepper).encode()).hexdigest()  # expect: weak-hash UNCERTAIN
    return buckets.authorize(f"pw-{key}", 20)


class OldHasher:
    """The hash of version 1. Insecure; only for tests and for old accounts."""

    def encode(self, password):
        return hashlib.md5(password.encode()).hexdigest()  # expect: weak-hash UNCERTAIN


def reset_token():
    token = "".join(random.choice(string.ascii_letters) for _ in range(32))  # expect: weak-randomness
    return token


def session_id():
    value = str(random.getrandbits(64))  # expect: weak-randomness
    return value


def good_token():
    return secrets.token_urlsafe(32)


def good_session_id():
    generator = random.SystemRandom()
    return str(generator.getrandbits(64))


def pick_session(sessions):
    return random.choice(sessions)  # expect: weak-randomness UNCERTAIN


def device_cookie():
    cookie = {"device": str(random.getrandbits(64)), "version": "8"}  # expect: weak-randomness UNCERTAIN
    return cookie


def little_cookie():
    cookie = random.randint(11, 19)  # expect: weak-randomness UNCERTAIN
    return cookie


def one_time_code():
    token = str(random.randint(100000, 999999))  # expect: weak-randomness
    return token


def jitter():
    return random.random() * 3


@app.route("/login", methods=["POST"])
def login():
    response = make_response("ok")
    response.set_cookie("session", "1", secure=False)  # expect: insecure-cookie
    response.set_cookie("auth_token", "1")  # expect: insecure-cookie
    response.set_cookie("auth_token", "1", secure=True)
    response.set_cookie("theme", request.form["theme"], secure=False)  # expect: insecure-cookie UNCERTAIN
    response.set_cookie("csrf_token", "1")  # expect: insecure-cookie UNCERTAIN
    response.set_cookie("session", "", max_age=0)  # expect: insecure-cookie DISMISSED
    response.set_cookie("session", "1", secure=app.config["SECURE"])  # expect: insecure-cookie UNCERTAIN
    on = True
    response.set_cookie("session", "1", secure=on)  # expect: insecure-cookie DISMISSED
    return response


def joined_reset_token():
    return "".join(random.choice("abcdefgh0123456789") for _ in range(32))  # expect: weak-randomness


def joined_session_color():
    return "-".join(random.choice(["red", "green"]) for _ in range(2))  # expect: weak-randomness UNCERTAIN


def check(row, password):
    return row.digest == hashlib.md5(password.encode()).hexdigest()  # expect: weak-hash


def example_row():
    return (fake.name(), hashlib.md5(fake.password().encode()).hexdigest())  # expect: weak-hash DISMISSED


def api_key():
    return "".join(random.choices(string.ascii_letters, k=32))  # expect: weak-randomness
