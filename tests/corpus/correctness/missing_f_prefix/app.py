import logging

log = logging.getLogger(__name__)


def read(path):
    if not path.exists():
        raise ValueError("cannot read {path}")  # expect: missing-f-prefix
    log.info("reading {path}")  # expect: missing-f-prefix
    return path.read_text()


def formatted(path):
    print("reading {path}".format(path=path))
    print(f"reading {path}")
    text = "reading {path}"  # expect: missing-f-prefix UNCERTAIN
    return text.format(path=path)


def handed_on(app, name):
    app.register("/{name}", name)  # expect: missing-f-prefix UNCERTAIN


def filled_later(path, Problem):
    raise Problem("unreadable", "cannot read {path}", {"path": path})  # expect: missing-f-prefix DISMISSED


def routed(app, name):
    app.add_url_rule("/{name}", name)  # expect: missing-f-prefix DISMISSED
    app.path("/{name}")  # expect: missing-f-prefix DISMISSED


def other_braces(path):
    raise ValueError("use {key} to name it, not " + path)


def filled_by_the_error(unit, least):
    if not unit:
        raise CodedError("unit", "no such unit: {unit}", {"unit": unit})  # expect: missing-f-prefix DISMISSED
    raise CodedError(
        "at least {least}",  # expect: missing-f-prefix DISMISSED
        least,
    )


class CodedError(Exception):
    def __str__(self):
        return self.args[1].format(**self.args[2])
