import os
import pickle
import subprocess
import sys


def main():
    with open(sys.argv[1]) as stream:
        text = stream.read()
    subprocess.run([os.environ.get("EDITOR", "vi"), sys.argv[2]], check=True)
    subprocess.run(os.environ["PAGER"], shell=True, check=True)  # expect: command-injection UNCERTAIN
    return text


def eval_stdin():
    return eval(input("formula: "))  # expect: code-injection UNCERTAIN


def listen(connection):
    return pickle.loads(connection.recv(4096))  # expect: unsafe-deserialization
