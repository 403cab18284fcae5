import export


def test_start():
    assert export.start("a") is True
    assert export.start("a") is False
