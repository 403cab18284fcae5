"""The frame a model writes into, and what is added to its text without it: the table of sources."""

from collections.abc import Sequence

from agent.drafts.frame import framed, style_of
from agent.drafts.offline import appendix
from agent.drafts.words import words_of
from agent.records import Quantity, Settings

_NOTICES = {
    "en": "This report was drafted by a language model from the files it names. The check list that comes with it names every "
    "number without a source.",
    "zh": "本报告由语言模型根据文中所列文件起草。随附的核对清单列出了所有没有出处的数字。",
}
_END = "\\end{document}"


def skeleton(settings: Settings, *, sources: bool) -> str:
    """A document without content. Raises UsageError for a template that cannot be used."""
    parts = {
        "notice": _NOTICES[settings.language],
        "abstract": "% abstract: what was done, and what came of it",
        "body": "% sections",
        "appendix": "",
    }
    text = framed(parts, settings)
    return _before_end(text, "\\bibliographystyle{unsrt}\n\\bibliography{references}\n") if sources else text


def with_appendix(tex: str, quantities: Sequence[Quantity], settings: Settings) -> str:
    """`tex` with a table of the sources of its numbers at its end."""
    return _before_end(tex, _table(quantities, settings) + "\n")


def without_appendix(tex: str, quantities: Sequence[Quantity], settings: Settings) -> str:
    """`tex` with that table as blank lines: its line numbers and cells name places, which are no numbers of the report."""
    table = _table(quantities, settings)
    return tex.replace(table, "\n" * table.count("\n"))


def _table(quantities: Sequence[Quantity], settings: Settings) -> str:
    words = words_of(settings.language)
    return appendix(quantities, words, words.headings[style_of(settings)]["sources"])


def _before_end(tex: str, addition: str) -> str:
    """The addition in front of the bibliography, or else of the end; a document without an end stays as it is."""
    at = max(tex.rfind("\\bibliographystyle"), -1)
    at = at if at >= 0 else tex.rfind(_END)
    return tex if at < 0 else tex[:at] + addition + tex[at:]
