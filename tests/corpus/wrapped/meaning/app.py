import contextlib
import math
import os
import re
import sys
from gettext import gettext, ngettext


def operators(n, names):
    ++n  # expect: ruff:B002
    n == 3  # expect: ruff:B015
    names.rstrip(".text")  # expect: ruff:B005
    names.rstrip("/.")
    if (n > 1, "too small"):  # expect: ruff:F634
        return 1
    if n is 3:  # expect: ruff:F632
        return 2
    if n == float("nan"):  # expect: ruff:PLW0177
        return 3
    if n == 3 or "4":  # expect: ruff:SIM222; vulture:unreachable UNCERTAIN
        return 4
    if n != n:  # expect: ruff:PLR0124 DISMISSED; vulture:unreachable UNCERTAIN
        return 5
    return 6 if n else 6  # expect: ruff:RUF034


def environment():
    os.environ = {}  # expect: ruff:B003
    with contextlib.suppress():  # expect: ruff:B022
        os.unlink("x")


def raising(n):
    if n < 0:
        ValueError("negative")  # expect: ruff:PLW0133
    with contextlib.suppress(TypeError):
        n < "a"  # expect: ruff:B015 DISMISSED
    return math.sqrt(n)


def twice(job):
    try:
        job()
    except ValueError:
        return 1
    except ValueError:  # expect: ruff:B025
        return 2


def regex(text):
    a = re.sub("a", "b", text, re.IGNORECASE)  # expect: ruff:B034
    b = re.sub("a", "b", text, 1)  # expect: ruff:B034 DISMISSED
    c = re.sub("a", "b", text, flags=re.IGNORECASE)
    return a, b, c


def tables(rows):
    fixed = {"id": row for row in rows}  # expect: ruff:B035
    by_id = {row.id: row for row in rows}
    colours = {"red": 1, "green": 2, "red": 3}  # expect: ruff:F601
    same = {"red": 1, "red": 1}  # expect: ruff:F601 DISMISSED
    groups = dict.fromkeys(rows, [])  # expect: ruff:RUF024
    for row in rows:
        groups[row].append(1)
    return fixed, by_id, colours, same, groups


def annotated(config):
    config["debug"]: True  # expect: ruff:B032


def translated(n):
    a = gettext(f"{n} files")  # expect: ruff:INT001
    b = gettext("{} files".format(n))  # expect: ruff:INT002
    c = gettext("%d files" % n)  # expect: ruff:INT003
    d = gettext("%d files") % n
    e = ngettext("%d file", "%d files", n) % n
    return a, b, c, d, e


def checked(path):
    assert (found := path.exists())  # expect: ruff:RUF018
    assert path, print("no path")  # expect: ruff:RUF030
    return found


def versions():
    if sys.version[:3] >= "3.9":  # expect: ruff:YTT101
        return True
    return sys.version_info >= (3, 9)


def modes(path):
    os.chmod(path, 644)  # expect: ruff:RUF064
    os.chmod(path, 0o644)


class Form:
    f"""A form of {math.pi}."""  # expect: ruff:B021


def library_folder(prefix):
    return prefix + "/lib-python/" + sys.version[0]  # expect: ruff:YTT301 UNCERTAIN
