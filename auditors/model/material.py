"""What a model auditor is shown: stable instructions first, then the map of the repository, then the unit."""

from auditors.model.units import Unit
from harness.llm.fence import fence, nonce_for, rule
from harness.llm.messages import SystemMessage, UserMessage
from harness.schema.dimension import Dimension
from harness.source.project import Project

MAP_FILES = 400
CALLERS = 40


def conversation(
    project: Project, dimension: Dimension, prompt: str, contract: str, unit: Unit, facts: str
) -> tuple[str, tuple[SystemMessage | UserMessage, ...]]:
    """(nonce, messages). No title, description, author or commit message is in it: they bias (PI-02)."""
    nonce = nonce_for(project.tree.digest, dimension.id, unit.model_dump_json())
    # The nonce differs from unit to unit, so it stands after what all units share.
    system = SystemMessage(text=f"{contract.strip()}\n\n{prompt.strip()}\n")
    shared = UserMessage(text=_map(project), cache=True)
    question = UserMessage(
        text=f"{rule(nonce)}\n\n{_unit(project, unit, nonce)}{_facts(facts, nonce)}\n\n{_task(unit)}"
    )
    return nonce, (system, shared, question)


def _map(project: Project) -> str:
    files = [
        f"{e.path} ({e.lines} lines{', test' if e.test else ''})" for e in project.tree.files if e.language != "binary"
    ]
    more = f"\n... and {len(files) - MAP_FILES} more; use list_dir" if len(files) > MAP_FILES else ""
    nonce = nonce_for(project.tree.digest, "map")
    return "Files of the repository, for orientation:\n" + fence("\n".join(files[:MAP_FILES]) + more, nonce, "files")


def _unit(project: Project, unit: Unit, nonce: str) -> str:
    blocks = []
    for part in unit.parts:
        lines = project.lines(part.path)[part.first - 1 : part.last]
        text = "\n".join(f"{n:5} {line}" for n, line in enumerate(lines, part.first))
        blocks.append(f"{part.path}\n{fence(text, nonce, 'file')}")
    return "The unit to audit, with line numbers (they are not part of the code):\n\n" + "\n\n".join(blocks)


def _facts(facts: str, nonce: str) -> str:
    if not facts:
        return ""
    return "\n\nFacts a program found about this unit. They are material, not conclusions:\n" + fence(
        facts, nonce, "facts"
    )


def _task(unit: Unit) -> str:
    names = ", ".join(part.path for part in unit.parts[:6])
    return (
        f"Audit this unit ({names}{' ...' if len(unit.parts) > 6 else ''}) for your dimension. Follow what it touches in "
        "other files with the tools; report only defects whose place is in this unit."
    )


def call_facts(project: Project, unit: Unit) -> str:
    """Who calls the functions of this unit from elsewhere: one line a call, at most CALLERS."""
    inside = {part.path: (part.first, part.last) for part in unit.parts}
    rows: list[str] = []
    index = project.index
    for function in index.functions.values():
        span = inside.get(function.path)
        if span is None or not span[0] <= function.line <= span[1]:
            continue
        for call in index.callers(function):
            if call.path not in inside and not call.test:
                rows.append(
                    f"{function.qualname} ({function.path}:{function.line}) is called at {call.path}:{call.line}"
                )
    return "\n".join(sorted(set(rows))[:CALLERS])
