"""The first draft by a model: three tries, each firmer, no tools."""

from collections.abc import Sequence

from agent.material import Gap, Material
from agent.models import answer, prompt, question, rules, told
from agent.records import Settings
from agent.replies import document, gaps
from harness.llm.client import Asker
from harness.llm.fence import fence
from harness.llm.ledger import Labels
from harness.llm.messages import AssistantMessage, Message
from harness.schema.base import Record

TRIES = 3


class Drafted(Record):
    """A draft, or why there is none."""

    tex: str
    """The document, '' when no try gave one."""
    problems: tuple[str, ...]
    """What was wrong with the tries that failed, in order."""


def draft(asker: Asker, material: Material, settings: Settings, skeleton: str, nonce: str) -> Drafted:
    """Ask for the document; `skeleton` is a preamble to keep. Raises ModelFailure, BudgetExhausted."""
    messages: list[Message] = [
        rules(nonce, settings.language),
        told(material.all_of_it(nonce), cache=True),
        told(f"{prompt('draft')}\n{fence(skeleton, nonce, 'skeleton')}"),
    ]
    firmer = prompt("firmer").split("---\n")
    problems: list[str] = []
    for number in range(TRIES):
        reply = answer(asker, question(asker, messages), Labels(stage="draft", lane="main", unit=f"try {number + 1}"))
        tex, problem = document(reply)
        if tex:
            return Drafted(tex=tex, problems=tuple(problems))
        problems.append(problem)
        if number < len(firmer):
            said = reply.text if problem.startswith("it holds") else "(not usable)"
            messages += [AssistantMessage(text=said[:2000]), told(firmer[number].strip().replace("{problem}", problem))]
    return Drafted(tex="", problems=tuple(problems))


def find_gaps(
    asker: Asker, material: Material, settings: Settings, unread: Sequence[str], nonce: str
) -> tuple[Gap, ...]:
    """What the report should answer and the material does not hold; files that were not read count as such."""
    messages = (
        rules(nonce, settings.language),
        told(material.all_of_it(nonce), cache=True),
        told(fence("\n".join(unread) or "(none)", nonce, "files that were not read")),
        told(prompt("gap")),
    )
    return gaps(answer(asker, question(asker, messages), Labels(stage="gap", lane="cheap")))
