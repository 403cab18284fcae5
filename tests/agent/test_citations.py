"""Every key of the text has an entry of the material; nothing is invented, and no bibliography is asked for in vain."""

import pytest

from agent.citations import closed
from agent.records import BibEntry

OHM = BibEntry(key="ohm", entry="@book{ohm,\n  title = {Kette}\n}")
PLAIN = "\\documentclass{article}\n\\begin{document}\nWords.\n\\end{document}\n"


def test_a_citation_without_a_bibliography_gets_one() -> None:
    found = closed(PLAIN.replace("Words.", "Words \\cite{ohm}."), [OHM])
    assert found.tex.index("\\bibliographystyle{unsrt}\n\\bibliography{references}") < found.tex.index(
        "\\end{document}"
    )
    assert (found.unknown, [c.rule for c in found.changes]) == ((), ["bibliography-missing"])
    assert "Kette" in found.bib


def test_a_bibliography_of_another_name_becomes_ours() -> None:
    tex = PLAIN.replace("Words.", "Words \\cite{ohm}.\n\\bibliographystyle{plain}\\bibliography{my,refs}")
    found = closed(tex, [OHM])
    assert found.tex == tex.replace("{my,refs}", "{references}")


@pytest.mark.parametrize("words", ["Words.", "Words \\cite{nobody}.", "Words. % \\cite{ohm}"])
def test_where_nothing_known_is_cited_no_bibliography_is_asked_for(words: str) -> None:
    tex = PLAIN.replace("Words.", f"{words}\n\\bibliographystyle{{plain}}\n\\bibliography{{references}}")
    found = closed(tex, [OHM])
    assert found.bib == ""
    assert "\\bibliography" not in found.tex
    assert ("nobody" in found.unknown) is ("nobody" in words)


def test_a_closed_text_is_left_alone() -> None:
    tex = PLAIN.replace("Words.", "Words \\cite{ohm}.\n\\bibliographystyle{plain}\n\\bibliography{references}")
    assert closed(tex, [OHM]).tex == tex
    assert closed(PLAIN, []).tex == PLAIN
