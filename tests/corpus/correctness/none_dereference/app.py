import re


def falls_through(users, key, log):
    user = users.get(key)
    if user is None:
        log.warning("no user %s", key)
    return user.name  # expect: none-dereference


def default_none(path=None):
    if path is None:
        print("no path")
    return path.suffix  # expect: none-dereference


def returns_first(users, key):
    user = users.get(key)
    if user is None:
        return ""
    return user.name


def bound_anew(users, key):
    user = users.get(key)
    if user is None:
        user = users.add(key)
    return user.name


def tested_by_a_flag(text):
    found = re.match("a", text)
    if found is None:
        ok = False
    else:
        ok = True
    if ok:
        return found.group()  # expect: none-dereference UNCERTAIN
    return ""


def leaves_by_calling(users, key, parser):
    user = users.get(key)
    if user is None:
        parser.error("no such user")
    return user.name  # expect: none-dereference DISMISSED


def forgiven(users, key):
    user = users.get(key)
    if user is None:
        print("no user")
    try:
        return user.name  # expect: none-dereference DISMISSED
    except AttributeError:
        return ""
