import json


def read(path):
    with open(path) as stream:  # expect: locale-encoding UNCERTAIN
        return json.load(stream)


def read_more(path):
    return json.loads(path.read_text())


def read_any(path):
    return path.read_text()
