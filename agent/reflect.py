"""One round of reflection: a critique, its items one by one on the current text, and the gate that may take all of it back."""

from agent.material import Material
from agent.models import answer, prompt, question, rules, told
from agent.records import CriticItem, Critique, GateDecision, Settings
from agent.replies import critique, document, fragment
from agent.tex.quality import gate
from agent.tex.sections import Section, resolve, sections, splice
from harness.llm.client import Asker
from harness.llm.fence import fence
from harness.llm.ledger import Labels
from harness.llm.messages import Message, Reply
from harness.schema.base import Record

WHOLE = "whole"


class Round(Record):
    """What one round came to."""

    tex: str
    """The text to go on with: the new one when it was accepted, else the one before."""
    critique: Critique
    """What was asked for."""
    decision: GateDecision
    """What the gate said; reverted and converged end the loop."""


class Reflection:
    """A writer who reflects on a draft. Every question has a small context of its own, with one stable prefix."""

    def __init__(self, asker: Asker, material: Material, settings: Settings, nonce: str) -> None:
        self._asker = asker
        self._material = material
        self._nonce = nonce
        self._keys = frozenset(source.key for source in material.sources)
        self._rules = rules(nonce, settings.language)
        self._prefix = (self._rules, told(material.all_of_it(nonce), cache=True))

    def round(self, tex: str, number: int, *, bib_empty: bool) -> Round:
        """One round over `tex`. Raises ModelFailure, BudgetExhausted, and then nothing of it counts."""
        asked = self._critique(tex, number)
        if not asked.changes:
            decision = GateDecision(round=number, decision="converged", reasons=("the critique asks for nothing",))
            return Round(tex=tex, critique=asked, decision=decision)
        titles = {s.anchor: s.title for s in sections(tex)}
        current, applied, skipped = tex, 0, []
        for item in asked.changes:
            changed, reason = self._apply(item, current, titles, number)
            if reason:
                skipped.append(f"{item.section}: {reason}")
            else:
                current, applied = changed, applied + 1
        decision = gate(tex, current, bib_empty=bib_empty, round=number, keys=self._keys)
        decision = decision.model_copy(update={"applied": applied, "skipped": tuple(skipped)})
        return Round(tex=current if decision.decision == "accepted" else tex, critique=asked, decision=decision)

    def _critique(self, tex: str, number: int) -> Critique:
        anchors = "\n".join(f"{s.anchor}  {s.title}" for s in sections(tex)) or "(no sections: use whole)"
        return critique(
            self._ask(
                (
                    *self._prefix,
                    told(fence(tex, self._nonce, "draft")),
                    told(f"{fence(anchors, self._nonce, 'anchors')}\n{prompt('critique')}"),
                ),
                f"round {number}, critique",
            )
        )

    def _apply(self, item: CriticItem, tex: str, titles: dict[str, str], number: int) -> tuple[str, str]:
        """(text, why it was skipped): one of the two is empty."""
        section = None if item.section == WHOLE or not sections(tex) else _found(item.section, tex, titles)
        if section is not None:
            return self._change_section(item, tex, section, number)
        if item.section == WHOLE or not sections(tex):
            return self._change_whole(item, tex, number)
        return "", "there is no such section"

    def _change_section(self, item: CriticItem, tex: str, section: Section, number: int) -> tuple[str, str]:
        own = tex[section.start : section.end]
        reply = self._ask(
            (
                self._rules,
                told(self._material.for_section(own, f"{item.issue} {item.action}", self._nonce)),
                told(f"{fence(own, self._nonce, 'section')}\n{self._item(item)}\n{prompt('section')}"),
            ),
            f"round {number}, {section.anchor}",
        )
        text, problem = fragment(reply)
        if problem:
            return "", problem
        spliced = splice(tex, section, text)
        return ("", spliced) if isinstance(spliced, str) else (spliced.text, "")

    def _change_whole(self, item: CriticItem, tex: str, number: int) -> tuple[str, str]:
        reply = self._ask(
            (
                *self._prefix,
                told(fence(tex, self._nonce, "draft")),
                told(f"{self._item(item)}\n{prompt('whole')}"),
            ),
            f"round {number}, whole",
        )
        return document(reply)

    def _item(self, item: CriticItem) -> str:
        """The critique is what a model wrote after reading the material: data, like it."""
        return fence(f"wrong: {item.issue}\nto do: {item.action}", self._nonce, "change")

    def _ask(self, messages: tuple[Message, ...], unit: str) -> Reply:
        return answer(self._asker, question(self._asker, messages), Labels(stage="reflect", lane="main", unit=unit))


def _found(wanted: str, tex: str, titles: dict[str, str]) -> Section | None:
    """The section that the critique saw under this name: an anchor that another section bears by now is followed by title."""
    section = resolve(wanted, tex)
    seen = titles.get(wanted)
    if seen is not None and (section is None or section.title != seen):
        return resolve(seen, tex)
    return section
