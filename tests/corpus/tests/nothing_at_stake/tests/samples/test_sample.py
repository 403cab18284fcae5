def total():
    return 1


def test_total():
    assert total() == 1


def test_refund():  # expect: test-cannot-fail UNCERTAIN
    expected = 3


def test_sample_of_a_pass():
    assert True  # expect: constant-assertion UNCERTAIN
