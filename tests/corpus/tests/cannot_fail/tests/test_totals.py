def total(values):
    return sum(values)


def test_one():
    assert total([1]) == 1


def test_two():
    assert total([1, 2]) == 3


def test_none():  # expect: test-cannot-fail
    expected = 0


def test_runs():
    total([])


def test_outer(run):
    class Sample:
        def test_inner(self):  # expect: test-cannot-fail DISMISSED
            pass

    run(Sample)


class Mixin:
    def test_func(self):  # expect: test-cannot-fail DISMISSED
        return True
