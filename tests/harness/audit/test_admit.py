"""A2, and the complaints behind it: quotes that are not in the file, invented paths, anchors at the wrong twin."""

import pytest

from harness.audit.admit import admit
from harness.audit.discover import Raised
from harness.schema.finding import AbsenceSearch, Claim, Severity
from harness.schema.location import Location
from tests.support.trees import project_of

SHOP = """import os


class Shop:
    def buy(self, x):
        os.system(x)
        return x

    async def sell(self):
        return x


LIMIT: int = 3
"""
FILES = {
    "pkg/a.py": SHOP,
    "page.html": "<a>\n<b>\n<form id=order>\n",
    "empty.py": "",
    "notes.md": "# Notes\n\nclose() is never called\n",
}


@pytest.fixture
def project(tmp_path):
    return project_of(tmp_path, FILES)


def claim(path="pkg/a.py", line=6, quote="os.system(x)", symbol="Shop.buy", end_line=None, **more):
    at = Location(path=path, line=line, end_line=end_line or line, column=9)
    given = {"rule": "r", "severity": Severity.LOW, "scenario": "s", "fix": "f", **more}
    return Claim(location=at, quote=quote, symbol=symbol, **given)


def judged(project, *claims):
    admission = admit([Raised(c, "x") for c in claims], project)
    return [r.claim for r in admission.admitted], [r.reason for r in admission.rejected]


def test_what_stands_is_admitted_as_it_is(project):
    one = claim()
    assert judged(project, one) == ([one], [])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"path": "pkg/gone.py"}, "pkg/gone.py is not a file of the audited revision"),
        ({"path": "../etc/passwd"}, "is not a file of the audited revision"),
        ({"quote": "os.system(y)"}, "the quoted text is nowhere in pkg/a.py"),
        ({"quote": "system"}, "the quoted text is nowhere in pkg/a.py"),
        ({"quote": "os.system(x)\n    return y"}, "the quoted text is nowhere in pkg/a.py"),
        ({"quote": "return x", "line": 2}, "stands at 2 other places of the file"),
        ({"quote": "  "}, "the claim quotes nothing"),
        ({"end_line": 99}, "has 14 lines, the claim ends on line 99"),
        ({"symbol": "Shop.refund"}, "pkg/a.py defines no `refund`"),
        ({"symbol": "Market.buy"}, "pkg/a.py defines no `Market`"),
        ({"path": "page.html", "line": 3, "quote": "<form id=order>", "symbol": "checkout"}, "defines no `checkout`"),
        ({"scenario": " "}, "the claim has no scenario"),
        ({"fix": ""}, "the claim has no fix"),
    ],
)
def test_what_does_not_stand_is_rejected_with_the_reason(project, changes, reason):
    admitted, (given,) = judged(project, claim(**changes))
    assert admitted == []
    assert reason in given


@pytest.mark.parametrize(
    "changes",
    [
        {"quote": "   os.system(x)  "},
        {"quote": "os.system(x)\nreturn x", "end_line": 7},
        {"symbol": None},
        {"line": 13, "quote": "LIMIT: int = 3", "symbol": "LIMIT"},
        {"line": 9, "quote": "async def sell(self):", "symbol": "Shop.sell"},
        {"path": "page.html", "line": 3, "quote": "<form id=order>", "symbol": "order"},
        {"path": "empty.py", "line": 1, "quote": "", "symbol": None},
        {"line": 8, "quote": "", "symbol": None},
    ],
)
def test_variants_that_stand(project, changes):
    assert judged(project, claim(**changes))[1] == []


def test_a_quote_that_moved_is_anchored_again(project):
    (moved,), rejected = judged(project, claim(line=2, end_line=3))
    assert rejected == []
    assert moved.location == Location(path="pkg/a.py", line=6, end_line=7, column=9)


def absent(pattern, paths=("*.py",), expected=0):
    return claim(absence=AbsenceSearch(pattern=pattern, paths=paths, expected=expected))


def test_the_search_behind_an_absence_is_run_again(project):
    assert judged(project, absent(r"\.close\("))[1] == []
    assert judged(project, absent(r"return", expected=2))[1] == []
    assert judged(project, absent(r"\breturn\b", expected=2), absent(r"\bretur\b"), absent(r"\bnowhere\b"))[1] == []
    assert judged(project, absent(r"retur[n]", expected=2), absent(r"^retur"))[1] == []


@pytest.mark.parametrize(
    ("search", "reason"),
    [
        (absent(r"close\(", paths=("*.md",)), "matches 1 lines now, 0 were claimed"),
        (absent(r"return"), "matches 2 lines now, 0 were claimed"),
        (absent(r"(("), "the search cannot be run again"),
        (absent("x" * 501), "too long to be run again"),
    ],
)
def test_a_search_that_finds_something_else_rejects_the_claim(project, search, reason):
    assert reason in judged(project, search)[1][0]


def test_order_is_kept_and_one_broken_claim_drops_no_other(project, monkeypatch):
    from harness.source.citation import Citations

    good, bad = claim(), claim(path="page.html", line=1, quote="<a>", symbol=None)
    real = Citations.check

    def broken(self, at, *rest, **more):
        if at.path == "page.html":
            raise RuntimeError("odd")
        return real(self, at, *rest, **more)

    monkeypatch.setattr(Citations, "check", broken)
    admitted, rejected = judged(project, bad, good, bad, good)
    assert admitted == [good, good]
    assert [r.count("odd") for r in rejected] == [1, 1]
