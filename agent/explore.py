"""Exploration: a model reads the folder with tools until it says what the report needs, or is stopped when it goes in circles."""

from agent.models import OUTPUT_TOKENS, prompt, prompt_version, rules, told
from agent.records import Exploration, Figure, Scan, Settings
from agent.toolbox import FINISH, Toolbox
from harness.llm.client import Asker
from harness.llm.fence import fence
from harness.llm.ledger import Labels
from harness.llm.messages import Request
from harness.llm.toolloop import ROUNDS, Ending, converse
from harness.schema.base import Record

LISTED = 400
"""Files that the first message names."""
ENDING = Ending(
    FINISH,
    nudge="You have made this exact call before and have its result above. Conclude: call finish_exploration.",
    conclude="No more reading. Call finish_exploration now, from what you have read.",
)
_STOPS = {
    "repeated": "the model made the same call five times",
    "nothing new": "several rounds of the model brought nothing new",
    "rounds": f"{ROUNDS} rounds were used up",
    "unfinished": "the model stopped by itself without an end",
}


class Explored(Record):
    """What came of it."""

    exploration: Exploration
    """What the report needs; `stopped` says when the model did not end by itself."""
    figures: tuple[Figure, ...]
    """Figures the model had drawn."""
    requests: int
    """Questions asked."""


def explore(
    asker: Asker, toolbox: Toolbox, scan: Scan, settings: Settings, fallback: Exploration, nonce: str
) -> Explored:
    """Let the model read; `fallback` is what can be said without it. Raises ModelFailure, BudgetExhausted."""
    listed = "\n".join(
        f"{f.path}  {f.kind}, {f.size} bytes{', ' * bool(f.problem)}{f.problem}" for f in scan.files[:LISTED]
    )
    more = f"\n[{len(scan.files) - LISTED} more: list_dir]" if len(scan.files) > LISTED else ""
    request = Request(
        model=asker.model,
        messages=(
            rules(nonce, settings.language),
            told(fence(listed + more, nonce, "files of the folder"), cache=True),
            told(prompt("explore")),
        ),
        max_output_tokens=OUTPUT_TOKENS,
        prompt_version=prompt_version(),
    )
    talk = converse(
        asker, request, toolbox.functions(), Labels(stage="explore", lane="cheap"), nonce=nonce, ending=ENDING
    )
    stopped = _STOPS[talk.stopped] if talk.stopped else ""
    known = toolbox.finished or fallback.model_copy(
        update={"texts": tuple(toolbox.texts.values()), "stopped": stopped or f"the answer was {talk.reply.finish}"}
    )
    if toolbox.finished and stopped:
        known = known.model_copy(update={"stopped": stopped})
    return Explored(exploration=known, figures=tuple(toolbox.figures), requests=talk.requests)
