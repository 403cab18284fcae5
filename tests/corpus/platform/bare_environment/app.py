import os
import subprocess
import sys


def run(tool):
    subprocess.run([sys.executable, tool], env={"MODE": "fast"}, check=True)  # expect: bare-environment


def run_named(tool):
    env = {"MODE": "fast", "PATH": os.environ["PATH"]}
    subprocess.run(["git", tool], env=env, check=True)  # expect: bare-environment


def run_made(tool):
    env = {"MODE": "fast"}
    subprocess.run(["git", tool], env=env, check=True)  # expect: bare-environment


def run_kept(tool):
    subprocess.run([sys.executable, tool], env={**os.environ, "MODE": "fast"}, check=True)


def run_carried(tool):
    subprocess.run([sys.executable, tool], env={"SYSTEMROOT": "C:/Windows"}, check=True)


def run_added(tool):
    env = {"MODE": "fast"}
    env.update(os.environ)
    subprocess.run([sys.executable, tool], env=env, check=True)  # expect: bare-environment DISMISSED


def run_shell(tool):
    subprocess.run(["/bin/sh", tool], env={"MODE": "fast"}, check=True)  # expect: bare-environment DISMISSED


def run_posix(tool):
    if os.name == "nt":
        return
    subprocess.run([sys.executable, tool], env={"MODE": "fast"}, check=True)  # expect: bare-environment DISMISSED


def run_other(command):
    subprocess.run(command, env={"MODE": "fast"}, check=True)  # expect: bare-environment UNCERTAIN


def run_null(path):
    subprocess.run(["msgfmt", "-o", "/dev/null", path], env={"LANG": "C"}, check=True)  # expect: bare-environment DISMISSED


debug = 0


def run_never(tool):
    if debug:
        subprocess.run([sys.executable, tool], env={"MODE": "fast"}, check=True)  # expect: bare-environment DISMISSED
