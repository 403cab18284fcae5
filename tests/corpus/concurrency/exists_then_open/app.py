import os
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from flask import Flask

app = Flask(__name__)
LOCK = threading.Lock()


@app.route("/upload")
def upload():
    if not os.path.exists("uploads"):
        os.makedirs("uploads")  # expect: exists-then-open
    return "ok"


@app.route("/upload2")
def upload_right():
    if not os.path.exists("uploads"):
        os.makedirs("uploads", exist_ok=True)
    return "ok"


@app.route("/upload3")
def upload_caught():
    if not os.path.exists("uploads"):
        try:
            os.makedirs("uploads")  # expect: exists-then-open DISMISSED
        except FileExistsError:
            pass
    return "ok"


@app.route("/upload4")
def upload_locked():
    with LOCK:
        if not os.path.exists("uploads"):
            os.makedirs("uploads")  # expect: exists-then-open DISMISSED
    return "ok"


def fetch(url):
    path = Path(url)
    if path.exists():
        path.unlink()  # expect: exists-then-open
    return url


def fetch_all(urls):
    with ThreadPoolExecutor() as pool:
        return list(pool.map(fetch, urls))


def command(path):
    if os.path.exists(path):
        os.remove(path)  # expect: exists-then-open UNCERTAIN


def scratch():
    folder = tempfile.mkdtemp()
    if not os.path.exists(folder + "/a"):
        os.mkdir(folder + "/a")  # expect: exists-then-open DISMISSED


def config(path):
    if not path.exists():
        return ""
    return path.read_text(encoding="utf-8")  # expect: exists-then-open UNCERTAIN
