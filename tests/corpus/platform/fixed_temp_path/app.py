import os
import subprocess
import tempfile

REPORT = "/tmp/report.json"  # expect: fixed-temp-path
INSIDE = "/tmp/copy"  # of the sandbox, which nobody else sees; expect: fixed-temp-path DISMISSED
SOCKET = "/tmp/app.sock"  # expect: fixed-temp-path UNCERTAIN


def report(text):
    with open(REPORT, "w", encoding="utf-8") as stream:
        stream.write(text)


def folder():
    os.makedirs("/tmp/app-work", exist_ok=True)  # expect: fixed-temp-path


def alone(text):
    with open("/tmp/app.lock", "x", encoding="utf-8") as stream:  # expect: fixed-temp-path DISMISSED
        stream.write(text)


def right(text):
    with tempfile.NamedTemporaryFile("w", delete=False, encoding="utf-8") as stream:
        stream.write(text)


def boxed(tool):
    subprocess.run(["bwrap", "--tmpfs", "/tmp", "--chdir", "/tmp/work", tool], check=True)


def told():
    print("see /tmp/report.json")


def copy(text):
    with open(INSIDE, "w", encoding="utf-8") as stream:
        stream.write(text)
