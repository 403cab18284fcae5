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


def callbacks(names):
    made = []
    for name in names:
        made.append(lambda: print(name))  # expect: ruff:B023
    for call in made:
        call()


def handed_over(columns):
    for column in columns:
        compute(lambda: column)  # expect: ruff:B023 UNCERTAIN


def purge(users):
    for user in users:
        if user.old:
            users.remove(user)  # expect: ruff:B909
    return users


def purge_one(users, name):
    for user in users:
        if user.name == name:
            users.remove(user)
            break


@dataclass
class Order:
    made: datetime.datetime = datetime.datetime.now()  # expect: ruff:RUF009
    limit: float = compute(3)


def shadow(rows):
    for rows in rows:  # expect: ruff:B020 DISMISSED
        print(rows)


def started():
    return time.time(), itertools.count()
