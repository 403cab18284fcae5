"""Answers about a whole project or module that are worked out once, and go when it goes."""

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

K = TypeVar("K")
T = TypeVar("T")


def once(answer: Callable[[K], T]) -> Callable[[K], T]:
    """`answer`, asked once for each project or module."""
    known: WeakKeyDictionary[K, T] = WeakKeyDictionary()

    def asked(subject: K) -> T:
        if subject not in known:
            known[subject] = answer(subject)
        return known[subject]

    return asked
