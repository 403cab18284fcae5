import os
import ssl
import subprocess
import tempfile

import paramiko
import requests
import yaml
from cryptography.hazmat.primitives.asymmetric import rsa

DB_PASSWORD = "q8Zr41LmX0vTb7Np"  # expect: ruff:S105
PASSWORD = r"([a-f0-9]{48}(?![a-f0-9]))"  # expect: ruff:S105 DISMISSED
PASSWORD_FIELD = "user_password"  # expect: ruff:S105 DISMISSED


def fetch(url):
    a = requests.get(url)  # expect: ruff:S113
    b = requests.get(url, verify=False, timeout=3)  # expect: ruff:S501
    c = requests.get(url, timeout=3)
    return a, b, c


def connect(host):
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())  # expect: ruff:S507
    client.connect(host, password="changeme")  # expect: ruff:S106 DISMISSED
    return client


def contexts():
    a = ssl._create_unverified_context()  # expect: ruff:S323
    b = ssl.wrap_socket(ssl_version=ssl.PROTOCOL_TLSv1)  # expect: ruff:S502
    c = ssl.create_default_context()
    return a, b, c


def keys():
    return rsa.generate_private_key(65537, 1024)  # expect: ruff:S505


def files(path):
    os.chmod(path, 0o777)  # expect: ruff:S103
    os.chmod(path, 0o755)
    return tempfile.mktemp()  # expect: ruff:S306


def shells(name):
    subprocess.run("ls -l", shell=True)  # expect: ruff:S602 DISMISSED
    subprocess.run(f"ls {name}", shell=True)  # expect: ruff:S602 UNCERTAIN
    os.system("clear")  # expect: ruff:S605 DISMISSED


def documents(stream):
    yaml.load("a: 1", Loader=yaml.Loader)  # expect: ruff:S506 DISMISSED
    yaml.load(stream, Loader=yaml.Loader)  # expect: ruff:S506 UNCERTAIN
    return yaml.safe_load(stream)


def login(user, password="hunter2hunter2"):  # expect: ruff:S107 UNCERTAIN
    return user, password


def drop(path):
    os.chmod(path, 0o777)  # expect: ruff:S103 DISMISSED
    os.remove(path)


def drop_other(path, other):
    os.chmod(path, 0o777)  # expect: ruff:S103
    os.remove(other)


def script_name():
    try:
        from tempfile import mkstemp

        return mkstemp(".py")[1]
    except ImportError:
        return tempfile.mktemp(".py")  # expect: ruff:S306 UNCERTAIN
