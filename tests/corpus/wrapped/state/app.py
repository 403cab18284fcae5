import datetime
import itertools
import time
from dataclasses import dataclass


def add(item, items=[]):  # expect: ruff:B006
    items.append(item)
    return items


def total(items=[]):  # expect: ruff:B006 DISMISSED
    return sum(items) + len(items)


def remembered(key, cache={}):  # expect: ruff:B006
    if key not in cache:
        cache[key] = compute(key)
    return cache[key]


def passed_on(items=[]):  # expect: ruff:B006 UNCERTAIN
    return compute(items)


def compute(value):
    return value


@dataclass
class Order:
    made: datetime.datetime = datetime.datetime.now()  # expect: ruff:RUF009
    limit: float = compute(3)


def started():
    return time.time(), itertools.count()
