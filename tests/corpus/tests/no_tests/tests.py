"""Predicates of the template language; the name of this file is all it has in common with a test."""


def test_odd(value: int) -> bool:
    return value % 2 == 1


def test_divisible(value: int, by: int) -> bool:
    return value % by == 0
