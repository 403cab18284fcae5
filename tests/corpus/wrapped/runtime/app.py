import logging
from collections import defaultdict
from functools import singledispatch

log = logging.getLogger(__name__)


def formats(name, n, rest):
    a = "%s has %d" % (name,)  # expect: ruff:F507
    b = "%(name)s" % (name,)  # expect: ruff:F502
    c = "%s" % {"name": name}
    d = "%(name)s %(n)d" % {"name": name}  # expect: ruff:F505
    e = "%(a)s %s" % (name,)  # expect: ruff:F506; ruff:F502
    f = "%q" % (name,)  # expect: ruff:F509; ruff:PLE1300
    g = "{} {1}".format(name, n)  # expect: ruff:F525
    h = "{} {missing}".format(name, n=n)  # expect: ruff:F524
    i = "{".format(name)  # expect: ruff:F521
    j = "{}".format(name, n)  # expect: ruff:F523
    k = "%d" % ("text",)  # expect: ruff:PLE1307
    fine = "%s and %d and {}".format(name) % (name, n) + "%(x)s" % rest + "{a.b[0]}".format(a=name)
    return a, b, c, d, e, f, g, h, i, j, k, fine


def logs(name, n):
    log.info("%s has %s", name)  # expect: ruff:PLE1206
    log.info("%s has", name, n)  # expect: ruff:PLE1205
    log.info("%s has %s", name, n)


def handlers(job):
    try:
        job()
    except ValueError or KeyError:  # expect: ruff:PLW0711; ruff:B030
        pass
    try:
        job()
    except ():  # expect: ruff:B029
        return None
    raise "broken"  # expect: ruff:B016


class Box:
    def __init__(self, size):
        self.size = size
        return 1  # expect: ruff:PLE0101

    def __len__(self):
        return -1  # expect: ruff:PLE0303

    def __str__(self):
        return 3  # expect: ruff:PLE0307

    def __eq__(self):  # expect: ruff:PLE0302
        return True

    @singledispatch  # expect: ruff:PLE1519
    def add(self, other):
        return other


class Base:
    def area(self):
        return 0


class Child(Base):
    def area(self):
        return super.area()  # expect: ruff:PLW0245


def opened(path):
    return open(path, "rwx")  # expect: ruff:PLW1501


def indexed():
    table = defaultdict(default_factory=list)  # expect: ruff:RUF026
    return table, [1, 2]["a"]  # expect: ruff:RUF016
