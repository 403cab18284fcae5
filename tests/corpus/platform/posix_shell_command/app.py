import os
import subprocess
import sys


def clean():
    os.system("rm -rf build")  # expect: posix-shell-command


def quiet(tool):
    subprocess.run(f"{tool} > /dev/null", shell=True, check=True)
    subprocess.run("git fetch > /dev/null", shell=True, check=True)  # expect: posix-shell-command


def clean_guarded():
    if sys.platform != "win32":
        os.system("rm -rf build")  # expect: posix-shell-command DISMISSED


def list_right():
    return os.listdir(".")


def git():
    subprocess.run("git status", shell=True, check=True)
