from __future__ import annotations

import builtins
import json
import os
import sys

try:
    unicode
except NameError:
    unicode = str

__all__ = ["load", "missing"]  # expect: ruff:F822


def load(path):
    with open(path) as stream:
        return json.load(stream)


def save(path, data):
    with open(pth, "w") as stream:  # expect: ruff:F821
        json.dump(data, stream)


def parse(text):
    try:
        return int(text)
    except ValueError as error:
        pass
    return error  # expect: ruff:F821


def optional():
    try:
        return orjson.loads
    except NameError:
        return json.loads


def typed(path: PathLike) -> None:  # expect: ruff:F821 UNCERTAIN
    return None


def twice(path):
    return os.stat(path)


def twice(path):  # expect: ruff:F811
    return os.lstat(path)


def once(path):
    return path


first = once


def once(path):
    return first(path)


def counted(items):
    if total > 3:  # expect: ruff:F823
        return items
    total = len(items)
    return total


total = 0


class Model:
    @property
    def size(self):
        return 1

    @size.setter
    def size(self, value):
        self.value = value


def shell():
    try:
        get_shell
    except NameError:
        return None
    return get_shell()  # expect: ruff:F821 UNCERTAIN


def frozen(value):
    if sys.version_info >= (3, 15):
        return frozendict(value)  # expect: ruff:F821 UNCERTAIN
    return dict(value)


def probed():
    if hasattr(builtins, "profile"):
        return profile  # expect: ruff:F821 UNCERTAIN
    return None


if __name__ == "__remote__":
    load(remote)  # expect: ruff:F821 UNCERTAIN
