import os
from pathlib import Path


def name(path):
    return os.path.abspath(path).split("/")[-1]  # expect: native-separator


def below(path, root):
    full = os.path.realpath(path)
    return full.startswith(root + "/")  # expect: native-separator


def turned(path):
    full = os.path.abspath(path).replace(os.sep, "/")
    return full.split("/")[-1]


def turned_later(path):
    full = os.path.abspath(path)
    parts = full.split("/")  # expect: native-separator DISMISSED
    return Path(path).as_posix(), parts


def both(path):
    full = os.path.abspath(path)
    return full.endswith("/") or full.endswith(os.sep)  # expect: native-separator DISMISSED


def joined(path):
    return os.path.join(path, "a").split("/")  # expect: native-separator UNCERTAIN


def url(text):
    return text.split("/")[-1]


def plain(path):
    return Path(path).name
