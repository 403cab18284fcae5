from pathlib import Path

LONG = open("README.md").read()  # expect: locale-encoding


def note(path):
    path.write_text("naïve")  # expect: locale-encoding


def note_named(path):
    path.write_text("naïve", encoding="utf-8")


def plain(path):
    (path / "index.html").write_text("plain")  # expect: locale-encoding DISMISSED


def stream(path):
    with open(path, "w") as out:  # expect: locale-encoding
        out.write("größer\n")


def raw(path):
    return Path(path).read_bytes(), open(path, "rb").read()
