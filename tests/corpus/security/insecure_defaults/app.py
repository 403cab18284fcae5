import os
import ssl

import requests
from fastapi.middleware.cors import CORSMiddleware
from flask import Flask

app = Flask(__name__)

SECRET_KEY = os.environ.get("SECRET_KEY", "change-me")  # expect: default-secret
API_TOKEN = os.getenv("API_TOKEN", "")
JWT_SECRET = os.environ["JWT_SECRET"]
REFUSED_SECRET = os.environ.get("REFUSED_SECRET", "insecure")  # expect: default-secret DISMISSED
if REFUSED_SECRET == "insecure":
    raise SystemExit("set REFUSED_SECRET")
SESSION_KEY = os.environ.get("SESSION_KEY", "k1")  # expect: default-secret
SECRETS_TEAM_ROOM = os.environ.get("SECRETS_TEAM_ROOM", "#security")  # expect: default-secret UNCERTAIN
SECRET_HINT = os.environ.get("SECRET", "ask in the team room")  # expect: default-secret UNCERTAIN
TOKEN_URL = os.environ.get("TOKEN_URL", "https://login.example.org")  # expect: default-secret UNCERTAIN
TOKEN_LOGIN_ENABLED = os.environ.get("TOKEN_LOGIN_ENABLED", "true")
REGION = os.environ.get("REGION", "eu")


def fetch(url):
    return requests.get(url, verify=False, timeout=5)  # expect: certificate-check-off


def fetch_checked(url):
    return requests.get(url, verify="/etc/ssl/ca.pem", timeout=5)


def fetch_if_asked(url, insecure):
    if insecure:
        return requests.get(url, verify=False, timeout=5)  # expect: certificate-check-off DISMISSED
    return requests.get(url, timeout=5)


def ping():
    return requests.get("https://localhost:8443/health", verify=False, timeout=5)  # expect: certificate-check-off UNCERTAIN


def context():
    made = ssl.create_default_context()
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE  # expect: certificate-check-off
    return made


class Settings:
    def __init__(self):
        self.verify_mode = ssl.CERT_NONE  # expect: certificate-check-off UNCERTAIN


def serve():
    app.run(host="0.0.0.0", debug=True)  # expect: debug-on


def serve_here():
    app.run(debug=True)  # expect: debug-on UNCERTAIN


def serve_plain():
    app.run(host="0.0.0.0")


def cross_origin(application):
    application.add_middleware(CORSMiddleware, allow_origins=["*"], allow_credentials=True)  # expect: cors-any-origin


def cross_origin_listed(application):
    application.add_middleware(CORSMiddleware, allow_origins=["https://app.example"], allow_credentials=True)
    application.add_middleware(CORSMiddleware, allow_origins=["*"], allow_credentials=False)
