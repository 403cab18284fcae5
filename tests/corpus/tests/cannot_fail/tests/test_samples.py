def test_sample():  # expect: test-cannot-fail UNCERTAIN
    pass
