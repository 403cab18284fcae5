def test_sample():
    pass
