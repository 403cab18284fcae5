import csv
from pathlib import Path


def escape(text):
    return text.replace("\\", "\\textbackslash{}").replace("_", "\\_").replace("%", "\\%").replace("&", "\\&")


def plain(text):
    for mark in "_%&#$":
        text = text.replace(mark, "\\" + mark)
    return text


def files(folder):
    for path in Path(folder).iterdir():
        yield f"\\section{{{path.name}}}"  # expect: tex-unescaped


def files_escaped(folder):
    for path in Path(folder).iterdir():
        yield f"\\section{{{escape(path.name)}}}"


def files_made_plain(folder):
    for path in Path(folder).iterdir():
        name = plain(path.name)
        yield f"\\section{{{name}}}"  # expect: tex-unescaped DISMISSED


def rows(file):
    with open(file, newline="") as stream:
        for row in csv.reader(stream):
            label = row[0]
            yield "\\textbf{%s} & %d \\\\" % (label, int(row[1]))  # expect: tex-unescaped


def heading(title):
    return f"\\title{{{title}}}"  # expect: tex-unescaped UNCERTAIN


def part(name):
    return f"\\part{{{name}}}"  # expect: tex-unescaped DISMISSED


PARTS = [part("Measurements"), part("Results")]


def numbered(items):
    for number, item in enumerate(items):
        yield f"\\section{{Run {number}}} {escape(item)}"  # expect: tex-unescaped DISMISSED


def counted(items):
    return f"\\section{{All {len(items)} of them, {1.5:.2f}}}"


def label(path):
    return f"\\label{{sec:{path.name}}}"
