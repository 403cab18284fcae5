"""An audit opens no socket: the kernel kills whatever process of it tries, analysers and sandboxes included."""

import json
import subprocess
import sys

import pytest

from harness import registry
from tests.support.audits import project

GUARD = """
import errno, os, socket, sys
import pyseccomp
guard = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_PACKET):
    guard.add_rule(pyseccomp.KILL_PROCESS, "socket", pyseccomp.Arg(0, pyseccomp.EQ, family))
guard.load()
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
EVERYTHING = {
    "app.py": "import time\nimport subprocess\n\n\nasync def f():\n    time.sleep(1)\n    subprocess.run('x', shell=True)\n",
    "tests/test_app.py": "import app\n\n\ndef test_f():\n    assert app\n",
    "README.md": "# x\n\nRun `python app.py --fast`. See https://example.com/.\n",
    "templates/a.html": "<form method=post>{{ x|safe }}</form>\n",
    "requirements.txt": "flask==1.0\n",
}


def guarded(*arguments):
    return subprocess.run([sys.executable, "-c", GUARD, *arguments], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module", autouse=True)
def _needs_seccomp():
    if sys.platform != "linux":
        pytest.skip("the guard is a Linux one")


def test_the_guard_bites():
    assert guarded("-c", "import socket; socket.socket()").returncode == -31
    assert guarded("-c", "import socket; socket.socketpair()").returncode == 0


def test_an_audit_of_every_dimension_opens_no_socket(tmp_path):
    done = guarded("-m", "harness.cli.main", "audit", str(project(tmp_path, EVERYTHING)), "--format", "json")
    report = json.loads(done.stdout)
    assert {lane["status"] for lane in report["coverage"]["lanes"]} <= {"done", "skipped"}, done.stderr
    assert report["run"]["status"] == "complete", report["run"]["reason"]
    served = {auditor.group for auditor in registry.auditors() if auditor.rules}
    wanted = {d.id for d in registry.dimensions().values() if "full" in d.profiles and served.intersection(d.groups)}
    assert {lane["dimension"] for lane in report["coverage"]["lanes"]} == wanted
