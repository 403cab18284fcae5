"""What a drafting model reads: the exploration, the lists it may draw on, the texts. Bounded, fenced, always the same."""

from collections.abc import Iterable
from typing import NamedTuple

from agent.records import BibEntry, Exploration, Figure, Quantity, ReadText
from harness.llm.fence import fence
from harness.schema.base import Record

TEXT_CHARACTERS, ALL_CHARACTERS = 8_000, 80_000
"""Of one text, and of all together."""
QUANTITIES = 400
"""Quantities listed."""


class Gap(Record):
    """Something the report should have and the material does not."""

    what: str
    """One sentence."""
    where: str = ""
    """Where it would be expected."""


class Material(NamedTuple):
    """Everything a report is made from."""

    exploration: Exploration
    quantities: tuple[Quantity, ...]
    figures: tuple[Figure, ...]
    sources: tuple[BibEntry, ...]
    gaps: tuple[Gap, ...]

    def all_of_it(self, nonce: str) -> str:
        """For a draft and its critique."""
        explored = self.exploration
        parts = [
            fence(_explored(explored), nonce, "exploration"),
            *self._lists(nonce),
            *(fence(f"{t.path} ({t.how})\n{t.text}", nonce, "text") for t in _bounded(explored.texts)),
        ]
        return "\n\n".join(parts)

    def for_section(self, section: str, item: str, nonce: str) -> str:
        """What a change of one section needs: the lists, and the texts whose names the section or the item mentions."""
        named = [
            t for t in self.exploration.texts if t.path in section + item or t.path.rpartition("/")[2] in section + item
        ]
        parts = [*self._lists(nonce), *(fence(f"{t.path}\n{t.text}", nonce, "text") for t in _bounded(named))]
        return "\n\n".join(parts)

    def _lists(self, nonce: str) -> Iterable[str]:
        yield fence(_quantities(self.quantities), nonce, "list of quantities")
        figures = "\n".join(f"{f.path}  \\label{{{f.label}}}  {f.caption}" for f in self.figures)
        yield fence(figures or "(none)", nonce, "list of figures")
        sources = "\n".join(s.entry.strip() for s in self.sources)
        yield fence(sources or "(none: cite nothing)", nonce, "list of sources")
        if self.gaps:
            yield fence("\n".join(f"- {g.what} ({g.where})" for g in self.gaps), nonce, "gaps")


def _explored(explored: Exploration) -> str:
    lines = [f"experiment: {explored.experiment}", f"goal: {explored.goal}"]
    for title, items in (
        ("key findings", explored.key_findings),
        ("requirements", explored.requirements),
        ("methodology", explored.methodology),
    ):
        lines += [f"{title}:", *(f"- {item}" for item in items)] if items else []
    if explored.reference_report:
        lines.append(f"follow in structure: {explored.reference_report}")
    if explored.stopped:
        lines.append(f"the exploration was stopped: {explored.stopped}")
    return "\n".join(lines)


def _quantities(quantities: tuple[Quantity, ...]) -> str:
    """Computed values before cells: a report is about the former, and the latter stand in the texts too."""
    first = sorted(quantities, key=lambda q: q.kind in ("cell", "text"))
    lines = []
    for q in first[:QUANTITIES]:
        where = "; ".join(f"{s.path} {s.place}".strip() for s in q.sources[:2])
        lines.append(f"{q.text} {q.unit}".strip() + f"  [{q.id}: {q.formula or q.kind}; {where}]")
    more = len(quantities) - len(lines)
    return "\n".join(lines) + (f"\n[{more} more cells in the texts]" if more > 0 else "") if lines else "(none)"


def _bounded(texts: Iterable[ReadText]) -> list[ReadText]:
    left, kept = ALL_CHARACTERS, []
    for text in texts:
        if left <= 0:
            break
        cut = text.text[: min(TEXT_CHARACTERS, left)]
        left -= len(cut)
        kept.append(text.model_copy(update={"text": cut + ("\n[cut here]" if len(cut) < len(text.text) else "")}))
    return kept
