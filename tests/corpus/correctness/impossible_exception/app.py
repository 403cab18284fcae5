import os


def port():
    try:
        value = os.environ.get("PORT")
    except KeyError:  # expect: impossible-exception
        value = "8080"
    return value


def name(settings: dict[str, str]):
    try:
        return settings.get("name")
    except KeyError:  # expect: impossible-exception
        return "nobody"


def unknown(settings):
    try:
        return settings.get("name")
    except KeyError:  # expect: impossible-exception UNCERTAIN
        return "nobody"


def computed(settings: dict, row):
    try:
        return settings.get(row.key)
    except KeyError:  # expect: impossible-exception UNCERTAIN
        return "nobody"


def subscript(settings: dict):
    try:
        return settings["name"]
    except KeyError:
        return "nobody"


def deeper(settings: dict):
    try:
        return settings.get("name").strip()
    except KeyError:
        return "nobody"
