def test_refund():  # expect: test-cannot-fail UNCERTAIN
    expected = 3
