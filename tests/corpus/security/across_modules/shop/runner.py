import os
import shlex


def run(command):
    os.system(command)  # expect: command-injection


def run_again(command):
    os.system(command)  # expect: command-injection


def run_third(command):
    os.system(command)


def run_fourth(command):
    os.system(command)  # expect: command-injection


def run_quoted(name):
    os.system("ls " + shlex.quote(name))


def run_own(name="red"):
    os.system("ls " + name)
