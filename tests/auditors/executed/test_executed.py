"""Planted defects that only running the code shows, and clean twins, through the auditors and the executed falsifier."""

import re
from pathlib import Path

import pytest

from auditors.executed.driven import DrivenAuditor
from auditors.executed.examples import ExamplesAuditor
from auditors.executed.stated import stated
from auditors.executed.twice import Observed, twice
from harness.contracts import Auditor, Bench
from harness.sandbox.base import Sandbox
from harness.schema.finding import Claim
from harness.schema.run import Skip
from tests.support.corpus import finding_of
from tests.support.trees import project_of
from verifiers.executed.verifier import ExecutedVerifier


def judged(root: Path, sandbox: Sandbox, auditor: Auditor, **files: str) -> dict[str, tuple[str, str, str]]:
    """symbol -> (scenario, verdict, reason), after both."""
    bench = Bench(project=project_of(root, {f"{k}.py": v for k, v in files.items()}), sandbox=sandbox)
    found = {}
    for claim in auditor.audit(bench):
        assert isinstance(claim, Claim), claim
        judgement = ExecutedVerifier().verify(finding_of(claim), bench)
        found[str(claim.symbol)] = (claim.scenario, f"{judgement.verdict} {judgement.tier}", judgement.reason)
    return found


def documented(body: str, *examples: str) -> str:
    lines = "".join(f"    {line}\n" for line in examples)
    return f'def f(a):\n    """Do it.\n\n{lines}    """\n{body}'


@pytest.mark.parametrize(
    ("body", "examples", "did"),
    [
        ("    return a - 1\n", (">>> f(2)", "3"), "gives `1`"),
        ("    return [a]\n", ("f(2) == [2, 2]", "f(0) == [0]"), "gives `[2]`"),
        ("    return a[5]\n", ("f([1]) => 1",), "raises `IndexError: list index out of range`"),
        ("    while a:\n        a ^= 0\n    return a\n", ("f(2) == 3", "f(0) == 0"), "does not end"),
        (
            "    yield [a]\n    yield f(a)\n",
            (">>> list(f(1))", "[[1], [2]]"),
            "gives `[[1], <generator object f at 0x…>]`",
        ),
    ],
)
def test_an_example_that_does_not_hold_is_claimed_and_reproduced(
    tmp_path: Path, sandbox: Sandbox, body: str, examples: tuple[str, ...], did: str
) -> None:
    found = judged(tmp_path, sandbox, ExamplesAuditor(), m=documented(body, *examples))
    assert list(found) == ["f"]
    _, verdict, reason = found["f"]
    assert verdict == "CONFIRMED E4", reason
    assert did in reason


@pytest.mark.parametrize(
    ("body", "examples"),
    [
        ("    return a + 1\n", (">>> f(2)", "3")),
        ("    return a / 3\n", ("f(1) == 0.33",)),  # as it is written
        ("    return 0.1 + 0.2\n", (">>> f(1)", "0.3")),
        ("    return (a, a)\n", ("f(1) => [1, 1]",)),
        ("    return ('x',)\n", ("f(1) => ('x')",)),
        ("    return {3, 1, 2}\n", ("f(1) => {1, 2, 3}",)),
        ("    return iter([a])\n", ("f(1) => [1]",)),
        ("    print(a)\n", (">>> f(1)", "1")),
        ("    raise KeyError(a)  # as announced\n", ("f(1) == 2, or a KeyError",)),
        ("    import random\n    return random.random()\n", ("f(1) == 0.5",)),  # another value every time
        ("    return open('/nowhere').read()\n", ("f(1) == 'x'",)),  # tells of this place, not of the code
        ("    return undefined_here(a)\n", ("f(b) == 2",)),
        ("    return object()\n", ("f(1) == 2",)),  # may equal anything
    ],
)
def test_clean_twins_raise_nothing(tmp_path: Path, sandbox: Sandbox, body: str, examples: tuple[str, ...]) -> None:
    assert judged(tmp_path, sandbox, ExamplesAuditor(), m=documented(body, *examples)) == {}


@pytest.mark.parametrize(
    "near",
    ["f(1) == 2  # wrong, see below", "f(1) == 2 on some machine", "f(1) == 2, approximately"],
)
def test_documentation_that_doubts_itself_is_an_open_question_at_most(
    tmp_path: Path, sandbox: Sandbox, near: str
) -> None:
    found = judged(tmp_path, sandbox, ExamplesAuditor(), m=documented("    return a\n", near))
    assert all(verdict.startswith("UNCERTAIN") for _, verdict, _ in found.values())


def test_a_hash_order_is_no_departure(tmp_path: Path, sandbox: Sandbox) -> None:
    code = documented("    return list({'b', 'c', 'd', 'e', a})\n", "f('a') == ['a', 'b', 'c', 'd', 'e']")
    assert judged(tmp_path, sandbox, ExamplesAuditor(), m=code) == {}


def test_a_module_that_cannot_be_imported_is_said_so(tmp_path: Path, sandbox: Sandbox) -> None:
    code = "import no_such_module_here\n" + documented("    return a\n", "f(1) == 2")
    bench = Bench(project=project_of(tmp_path, {"m.py": code}), sandbox=sandbox, advice="name it with --python .venv")
    (skip,) = ExamplesAuditor().audit(bench)
    assert isinstance(skip, Skip)
    assert "No module named 'no_such_module_here'" in skip.reason
    assert skip.reason.endswith("--python .venv")


def test_without_a_sandbox_nothing_runs_and_it_is_said(tmp_path: Path) -> None:
    bench = Bench(project=project_of(tmp_path, {"m.py": documented("    return a\n", "f(1) == 2")}), sandbox=None)
    (skip,) = ExamplesAuditor().audit(bench)
    assert isinstance(skip, Skip)
    assert "no sandbox" in skip.reason


def test_a_module_that_cannot_be_driven_is_said_so(tmp_path: Path, sandbox: Sandbox) -> None:
    code = "import no_such_module_here\n" + described("    return a\n")
    bench = Bench(project=project_of(tmp_path, {"m.py": code}), sandbox=sandbox)
    (skip,) = DrivenAuditor().audit(bench)
    assert isinstance(skip, Skip)
    assert "No module named 'no_such_module_here'" in skip.reason


def test_what_no_time_was_left_for_is_in_the_coverage(tmp_path: Path, sandbox: Sandbox) -> None:
    slow = "import time\n\n\ndef g(a):\n    while time.process_time() < 0.5:\n        pass\n    return a\n\n\n"
    code = slow + documented("    return g(a)\n", "f(1) == 1", "f(2) == 2", "f(3) == 3")
    bench = Bench(project=project_of(tmp_path, {"m.py": code}), sandbox=sandbox)
    module = bench.project.module("m.py")
    skip, observed = twice(bench, [(module, list(stated(module)))], lambda _: [], seconds=0.3)
    assert isinstance(skip, Skip)
    assert skip.reason == "2 of 3 calls that documentation allows were not run: the processor time for them was used up"
    assert isinstance(observed, Observed)
    assert [s.kind for s in observed.seen.values()] == ["same", "unclear", "unclear"]


def test_a_claim_that_the_documentation_does_not_make_is_not_confirmed(tmp_path: Path, sandbox: Sandbox) -> None:
    bench = Bench(project=project_of(tmp_path, {"m.py": documented("    return a\n", "f(1) == 2")}), sandbox=sandbox)
    (claim,) = ExamplesAuditor().audit(bench)
    assert isinstance(claim, Claim)
    for change in ({"expected": "7"}, {"call": "f(9)"}, {"example_line": "1"}, {"call": "__import__('os')._exit(0)"}):
        finding = finding_of(claim.model_copy(update={"facts": {**claim.facts, **change}}))
        judgement = ExecutedVerifier().verify(finding, bench)
        assert judgement.verdict == "UNCERTAIN", (change, judgement.reason)


def described(body: str, about: str = "a: A list of ints", more: str = "", name: str = "f") -> str:
    return f'def {name}(a):\n    """Do it.\n\n    {about}\n{more}    """\n{body}'


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (
            described("    if len(a) == 0:\n        return a\n    return f(a[:len(a) // 2]) + f(a[len(a) // 2:])\n"),
            "calls itself",
        ),
        (described("    n = len(a)\n    while n:\n        n = n or 1\n"), "never ends"),
        (described("    if len(a) > 3:\n        total = 1\n    return total\n"), "UnboundLocalError"),
        (
            described("    return a[a[0]]\n", more="    Precondition: all(0 <= x < 2 * len(a) for x in a)\n"),
            "IndexError: list index out of range",
        ),
        (
            described("    return sorted(set(a))\n", more="    Returns: The elements of a in sorted order\n"),
            "is not the sorted input",
        ),
        (
            "def encode(text: str) -> str:\n    return text[::-1]\n\n\ndef decode(text: str) -> str:\n"
            '    """Undo encode."""\n    return text[1:] + text[:1]\n',
            "is not what went in",
        ),
    ],
)
def test_what_a_call_must_not_do_is_found_and_proved(tmp_path: Path, sandbox: Sandbox, code: str, why: str) -> None:
    found = judged(tmp_path, sandbox, DrivenAuditor(), m=code)
    assert len(found) == 1, found
    ((_, verdict, reason),) = found.values()
    assert verdict == "CONFIRMED E4", reason
    assert re.search(re.escape(why), reason), reason


@pytest.mark.parametrize(
    "code",
    [
        described("    return a[1:]\n"),
        described("    if len(a) > 3:\n        raise ValueError('too long')\n    return a\n"),
        described("    return a[5]\n", more="    An IndexError says that it is too short.\n"),
        described("    return a[5]\n", more="    Precondition: len(a) > 5\n"),
        described("    return open(a[0]).read()\n"),  # reaches outside: not driven
        described("    return sorted(a)\n", more="    Returns: The elements of a in sorted order\n"),
        described("    return a[0].x\n", about="a: A graph node"),  # what that is, nobody says
        "def f(a: int) -> int:\n    return [1, 2][a]\n",  # an annotation is no promise for every number
        "def g(*a):\n    while True:\n        pass\n",
    ],
)
def test_clean_twins_are_not_confirmed(tmp_path: Path, sandbox: Sandbox, code: str) -> None:
    found = judged(tmp_path, sandbox, DrivenAuditor(), m=code)
    assert all(not verdict.startswith("CONFIRMED") for _, verdict, _ in found.values()), found


def test_slow_is_not_endless(tmp_path: Path, sandbox: Sandbox) -> None:
    code = described("    n = 0\n    while n < 10 ** 12:\n        n += 1\n    return n\n")
    found = judged(tmp_path, sandbox, DrivenAuditor(), m=code)
    assert {verdict for _, verdict, _ in found.values()} == {"UNCERTAIN E1"}
