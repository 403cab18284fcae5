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

        def test_other(self):
            assert total([]) == 0

    run(Sample)


class Mixin:
    def test_func(self):
        return True


class TestOverrides(Mixin):
    def test_func(self):  # expect: test-cannot-fail UNCERTAIN
        pass

    def test_more(self):
        assert total([2]) == 2
