import json
import logging

log = logging.getLogger(__name__)


def load_settings(path):  # expect: implicit-none-return
    try:
        with open(path) as stream:
            return json.load(stream)
    except OSError:
        log.exception("cannot read %s", path)


def load_or_raise(path):
    try:
        with open(path) as stream:
            return json.load(stream)
    except OSError:
        log.exception("cannot read %s", path)
        raise


def find_color(name):  # expect: implicit-none-return UNCERTAIN
    if name == "red":
        return (255, 0, 0)
    elif name == "blue":
        return (0, 0, 255)


def load_maybe(path) -> "dict | None":  # expect: implicit-none-return DISMISSED
    try:
        with open(path) as stream:
            return json.load(stream)
    except OSError:
        log.exception("cannot read %s", path)


def main():
    print(load_settings("a.json")["name"])
    print(load_or_raise("a.json")["name"])
    print(find_color("red")[0])
    print(load_maybe("a.json")["name"])
