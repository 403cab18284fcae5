"""The bibliography holds what is cited and known, and nothing else."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.records import BibEntry, Source
from agent.tex.bib import close, drop_unknown, parse
from harness.sandbox.base import Sandbox
from tests.support.tex import article, compiled

LIBRARY = """@string{jap = "J. Appl. Phys."}
@article{a, title={R & D at 5 % of {#}1: x_1 and $y_2$}, author="A and B", year=2020, journal = jap # " B", month = jan,
  url={https://x.org/?a=1&b_c%20}}
@article{bad, title={open
@book{c, title={Q {\\"U}ber}, author={C}, publisher={P}, year={1999}}
@article{a, title={again}}
@misc{un key, title={x}}
"""


def test_good_entries_are_kept_and_mended_and_bad_ones_named() -> None:
    parsed = parse(LIBRARY, origin=Source(path="refs.bib"))
    assert [entry.key for entry in parsed.entries] == ["a", "c"]
    assert "R \\& D at 5 \\% of {\\#}1: x\\_1 and $y_2$" in parsed.entries[0].entry
    assert 'journal = "J. Appl. Phys." # " B"' in parsed.entries[0].entry
    assert "https://x.org/?a=1&b_c%20" in parsed.entries[0].entry
    assert {entry.origin for entry in parsed.entries} == {Source(path="refs.bib")}
    assert any("key a is given twice" in problem for problem in parsed.problems)
    assert any("line 4" in problem for problem in parsed.problems)


def test_a_mended_library_compiles(tmp_path: Path, sandbox: Sandbox) -> None:
    tex = article("\\cite{a,c}\\bibliographystyle{unsrt}\\bibliography{refs}")
    closed = close(tex, parse(LIBRARY).entries)
    assert closed.unknown == ()
    (tmp_path / "refs.bib").write_text(closed.bib, "utf-8")
    outcome = compiled(tmp_path, tex, sandbox)
    assert outcome.ok, outcome.diagnosis


def test_the_file_holds_exactly_what_is_cited() -> None:
    entries = [BibEntry(key=key, entry=f"@misc{{{key}}}") for key in ("b", "a", "c")]
    closed = close(
        "\\cite{c,a}\\citep[p.~1]{zz, b} % \\cite{no}\n\\cite{own}\\bibitem{own}", entries[:1] + entries[1:2]
    )
    assert closed.bib == "@misc{a}\n\n@misc{b}\n"
    assert closed.unknown == ("c", "zz")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x \\cite{gone} y", "x [source missing: \\texttt{\\detokenize{gone}}] y"),
        ("\\cite[p.~3]{a, gone,b}", "\\cite[p.~3]{a,b}~[source missing: \\texttt{\\detokenize{gone}}]"),
        ("\\cite{a}", "\\cite{a}"),
        ("% \\cite{gone}", "% \\cite{gone}"),
    ],
)
def test_unknown_keys_leave_a_marked_gap(before: str, after: str) -> None:
    dropped = drop_unknown(before, ["gone"])
    assert dropped.text == after
    assert bool(dropped.changes) == (before != after)


@given(st.text(alphabet='@articlebook{}=",#%&_\\\n $xy12', max_size=120))
def test_no_text_breaks_it(text: str) -> None:
    parsed = parse(text)
    assert [again.key for again in parse("\n".join(e.entry for e in parsed.entries)).entries] == [
        e.key for e in parsed.entries
    ]
