import pytest

from harness.audit.order import Change, Order
from harness.cli.run_rows import kind_of, verdicts_of, what_of
from harness.schema.run import Counts

BASE = "b" * 40


@pytest.mark.parametrize(
    ("order", "kind", "what"),
    [
        (Order(origin="/x"), "audit", "full"),
        (Order(origin="/x", profile="session"), "audit", "session"),
        (Order(origin="/x", dimensions=("docs", "tests")), "audit", "docs,tests"),
        (Order(origin="/x", imported="d"), "verify", "findings"),
        (Order(origin="/x", imported="d", recheck=True), "recheck", "findings"),
        (Order(origin="/x", change=Change(base=BASE)), "review", "bbbbbbb..work tree"),
        (Order(origin="/x", change=Change(base=BASE, staged=True)), "review", "bbbbbbb..index"),
        (Order(origin="/x", change=Change(base=BASE, patch="--- a")), "review", "bbbbbbb..patch"),
        (Order(origin="/x", change=Change(base=None, head="c" * 40, ref="topic", gate=True)), "gate", "nothing..topic"),
        (None, "?", ""),
    ],
)
def test_what_was_asked_for(order, kind, what):
    assert (kind_of(order), what_of(order)) == (kind, what)


def test_verdicts():
    assert verdicts_of(Counts()) == "nothing found"
    assert verdicts_of(Counts(confirmed=2, uncertain=1, unverified=3)) == "2 confirmed, 1 open, 3 unverified"
