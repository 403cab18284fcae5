import logging
import unittest

import pytest


def total(values):
    return sum(values)


def test_total():
    assert total([1, 2]) == 3


def test_refunds():
    assert True  # expect: constant-assertion


def test_rounding():
    assert 2 + 2 == 4  # expect: constant-assertion


def test_never_allowed():
    assert not 1 > 2  # expect: constant-assertion


def test_goes_through():
    total([1])
    assert True  # expect: constant-assertion UNCERTAIN


def test_is_not_written_yet():
    assert False


def test_wrong():
    assert 1 == 2


def test_import():
    assert True  # expect: constant-assertion UNCERTAIN


def test_with_fixture(database):
    assert True  # expect: constant-assertion UNCERTAIN


def test_explained():
    # The fixtures of the module are what is tested here.
    assert True  # expect: constant-assertion UNCERTAIN


@pytest.mark.parametrize("one", [1])
def test_decorated(one):
    assert 1  # expect: constant-assertion UNCERTAIN


def test_version():
    version = (3, 11)
    assert version


class TestOrders(unittest.TestCase):
    def test_flag(self):
        self.assertTrue(True)  # expect: constant-assertion

    def test_equal(self):
        self.assertEqual(1, 1)  # expect: constant-assertion

    def test_none(self):
        self.assertIsNone(None)  # expect: constant-assertion

    def test_different(self):
        self.assertEqual(1, 2)


class TestPrepared(unittest.TestCase):
    def setUp(self):
        self.orders = total([])

    def test_flag(self):
        self.assertTrue(True)  # expect: constant-assertion UNCERTAIN


def test_hides_everything():  # expect: test-cannot-fail
    try:
        total(None)
    except Exception:
        pass


def test_hides_and_tells():  # expect: test-cannot-fail
    try:
        value = total(None)
    except Exception as error:
        logging.exception("refused: %s", error)
        print(error)


def test_hides_one_kind():
    try:
        total(None)
    except TypeError:
        pass


def test_hides_the_first():
    try:
        total(None)
    except Exception:
        pass
    total([])


def test_fails_otherwise():
    try:
        total(None)
    except Exception:
        pass
    else:
        pytest.fail("accepted")


def test_does_more_when_it_fails():
    try:
        total(None)
    except Exception:
        total([])


def test_with_a_fixture_that_looks(database):  # expect: test-cannot-fail UNCERTAIN
    try:
        database.write(1)
    except Exception:
        pass
