import pytest


def test_comparison(answer):
    answer == 42  # expect: ruff:B015


def test_tuple(answer):
    assert (answer == 42, "wrong answer")  # expect: ruff:F631


def test_text(answer):
    assert "answer is right"  # expect: ruff:PLW0129
    assert answer == 42


def test_after(job):
    with pytest.raises(ValueError):  # expect: ruff:PT012
        result = job()
        assert result == 42


def test_set_up(job):
    with pytest.raises(ValueError):  # expect: ruff:PT012 DISMISSED
        job.prepare()
        job.run()


@pytest.mark.parametrize(
    "n",
    [
        1,
        2,
        1,  # expect: ruff:PT014
    ],
)
def test_cases(n):
    assert n


@pytest.mark.usefixtures("database")  # expect: ruff:PT025
@pytest.fixture
def client():
    return 1
