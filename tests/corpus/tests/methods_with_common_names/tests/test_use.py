from shop.store import Crate, Pile
from shop.use import lines, packed, placed


def test_all():
    assert lines([1]) == [1]
    assert placed([], 1) is None
    assert packed([1])


def test_lift():
    assert Pile().lift([]) is None
    assert Crate().extend_twice([]) is None
