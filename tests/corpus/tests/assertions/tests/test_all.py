import sys
import unittest
from unittest import mock
from unittest.mock import patch

import pytest

CASES = []
FILLED = []
FILLED.append(1)


def convert(text):
    return int(text)


class ConvertTests(unittest.TestCase):
    def test_length(self):
        self.assertTrue(len("abc"), 3)  # expect: constant-assertion
        self.assertTrue(len("abc"), "must not be empty")
        self.assertTrue(convert("1") == 1 or 2)  # expect: constant-assertion
        self.assertTrue(convert("1") or True)  # expect: constant-assertion DISMISSED

    def test_status(self):
        reply = convert("1")
        self.assertEqual(reply.status, reply.status)  # expect: self-comparison
        self.assertEqual(reply, reply)  # expect: self-comparison DISMISSED
        self.assertEqual(convert("1"), convert("1"))  # expect: self-comparison DISMISSED

    async def test_async(self):  # expect: async-test-not-awaited
        self.assertEqual(convert("1"), 2)


class AwaitedTests(unittest.IsolatedAsyncioTestCase):
    async def test_async(self):
        self.assertEqual(convert("1"), 1)


class OwnRunner(unittest.TestCase):
    def run(self, result=None):
        return result

    async def test_async(self):  # expect: async-test-not-awaited UNCERTAIN
        self.assertEqual(convert("1"), 1)


def test_swallows():
    try:
        assert convert("x") == 1  # expect: swallowed-assertion
    except Exception:
        pass


def test_fails_in_handler():
    try:
        assert convert("1") == 1  # expect: swallowed-assertion DISMISSED
    except Exception:
        sys.exit(1)


def test_tries_several():
    for text in ("1", "x"):
        try:
            assert convert(text) == 1  # expect: swallowed-assertion UNCERTAIN
        except Exception:
            continue


def test_narrow():
    try:
        assert convert("x") == 1
    except ValueError:
        pass


def test_mocks():
    send = mock.Mock()
    send(1)
    send.assert_called_once  # expect: mock-assertion-not-made
    send.assert_called_once()
    send.called_once_with(2)  # expect: mock-assertion-not-made


@patch("os.getcwd")
def test_patched(getcwd):
    assert getcwd.called_with(1)  # expect: mock-assertion-not-made


def test_not_a_mock(recorder):
    recorder.called_with(1)  # expect: mock-assertion-not-made UNCERTAIN


@pytest.mark.parametrize("case", CASES)  # expect: empty-parametrize
def test_cases(case):
    assert case


@pytest.mark.parametrize("case", FILLED)  # expect: empty-parametrize DISMISSED
def test_filled(case):
    assert case


def test_raises():
    with pytest.raises(ValueError) as caught:
        convert("x")
        assert "x" in str(caught.value)  # expect: assertion-never-reached


def test_raises_in_assertion():
    with pytest.raises(ValueError):
        text = "x"
        assert convert(text) == 1  # expect: assertion-never-reached UNCERTAIN


def test_expects_assertion():
    with pytest.raises(AssertionError):
        value = convert("1")
        assert value == 2  # expect: assertion-never-reached DISMISSED


def test_anything_goes():
    with pytest.raises(Exception):  # expect: raises-too-broad
        value = convert("1")
        convert(value)


def test_looked_at():
    with pytest.raises(Exception) as caught:  # expect: raises-too-broad DISMISSED
        value = convert("1")
        convert(value)
    assert caught.type is TypeError


def test_twice():  # expect: test-overwritten
    assert convert("1") == 1


def test_twice():
    assert convert("2") == 2


def test_kept():  # expect: test-overwritten DISMISSED
    assert convert("1") == 1


KEPT = test_kept


def test_kept():
    assert convert("2") == 2
