import pytest

from harness.budget import Budget, Caps, Spend, parse
from harness.clock import FixedClock
from harness.errors import BudgetExhausted, UsageError


@pytest.mark.parametrize(
    ("texts", "caps"),
    [
        (["5usd", "200ktok", "10min"], Caps(usd=5, tokens=200_000, seconds=600)),
        (["5USD|2mtok, 50calls"], Caps(usd=5, tokens=2_000_000, calls=50)),
        (["1.5h"], Caps(seconds=5400)),
        (["90 s"], Caps(seconds=90)),
        ([], Caps()),
    ],
)
def test_caps_are_read(texts, caps):
    assert parse(texts) == caps


@pytest.mark.parametrize("text", ["5", "usd", "5eur", "-5usd", "1e3tok", "", "5usd|", "10min 5usd", "nan usd"])
def test_what_is_not_understood_is_refused(text):
    with pytest.raises(UsageError, match="is not understood"):
        parse([text])


def test_one_kind_twice_is_refused():
    with pytest.raises(UsageError, match="two budgets in seconds"):
        parse(["5min", "300s"])


def test_refused_before_and_settled_after():
    budget = Budget(Caps(tokens=100, calls=3), FixedClock())
    first = budget.reserve(Spend(tokens=60, calls=1))
    with pytest.raises(BudgetExhausted, match="tokens"):
        budget.reserve(Spend(tokens=60, calls=1))
    first.settle(Spend(tokens=10, calls=1))
    second = budget.reserve(Spend(tokens=60, calls=1))
    second.settle(Spend(tokens=95, calls=1))
    with pytest.raises(BudgetExhausted, match="tokens"):
        budget.reserve(Spend(tokens=1))


def test_a_call_that_was_never_made_gives_its_reservation_back():
    budget = Budget(Caps(calls=1), FixedClock())
    with budget.reserve(Spend(calls=1)):
        pass
    budget.reserve(Spend(calls=1)).settle(Spend(calls=1))
    with pytest.raises(BudgetExhausted, match="calls"):
        budget.reserve(Spend(calls=1))


def test_a_child_is_bounded_by_its_own_caps_and_by_its_parents():
    run = Budget(Caps(usd=1.0), FixedClock())
    stage = run.child("discover", run_share := Caps(usd=1.0).share(0.7))
    assert run_share.usd == pytest.approx(0.7)
    stage.reserve(Spend(usd=0.6)).settle(Spend(usd=0.6))
    with pytest.raises(BudgetExhausted, match="run > discover"):
        stage.reserve(Spend(usd=0.2))
    verify = run.child("verify", Caps())
    with pytest.raises(BudgetExhausted, match=r"^run: "):
        verify.reserve(Spend(usd=0.5))
    verify.reserve(Spend(usd=0.4))


def test_a_refused_reservation_sets_nothing_aside():
    run = Budget(Caps(calls=1), FixedClock())
    item = run.child("item", Caps(calls=9))
    with pytest.raises(BudgetExhausted):
        item.reserve(Spend(calls=2))
    item.reserve(Spend(calls=1))


def test_an_unknown_price_is_not_zero():
    with pytest.raises(BudgetExhausted, match="price is unknown"):
        Budget(Caps(usd=5), FixedClock()).reserve(Spend(usd=None))
    Budget(Caps(tokens=5), FixedClock()).reserve(Spend(usd=None, tokens=1))


class JumpingClock(FixedClock):
    """Its wall clock goes back an hour, forward a day, as it likes (DUR-06)."""

    def now(self):
        raise AssertionError("a deadline looked at the wall clock")


def test_deadlines_do_not_look_at_the_wall_clock():
    clock = JumpingClock()
    run = Budget(Caps(seconds=100), clock)
    clock.advance(40)
    stage = run.child("verify", Caps(seconds=30))
    assert (run.remaining_seconds(), stage.remaining_seconds()) == (60, 30)
    clock.advance(30)
    with pytest.raises(BudgetExhausted, match="run > verify: the time budget"):
        stage.check()
    run.check()
    clock.advance(90)
    assert run.remaining_seconds() == 0.0
    with pytest.raises(BudgetExhausted):
        run.reserve(Spend())
