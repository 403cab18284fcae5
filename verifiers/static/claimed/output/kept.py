"""Answers about a whole project that are worked out once, and go when the project goes."""

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from harness.source.project import Project

T = TypeVar("T")


def once(answer: Callable[[Project], T]) -> Callable[[Project], T]:
    """`answer`, asked once for each project."""
    known: WeakKeyDictionary[Project, T] = WeakKeyDictionary()

    def asked(project: Project) -> T:
        if project not in known:
            known[project] = answer(project)
        return known[project]

    return asked
