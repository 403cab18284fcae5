"""One dimension read by a model: a conversation a unit, one repair turn, and every bad outcome named."""

from collections.abc import Iterator, Mapping
from importlib.resources import files

from pydantic import JsonValue

from auditors.model import material, reply
from auditors.model.units import Unit, halves, units
from harness.contracts import MALFORMED, Bench, Reading
from harness.errors import LaneFailed
from harness.files import sha256
from harness.llm.client import Asker
from harness.llm.failure import TooLong
from harness.llm.ledger import Labels
from harness.llm.messages import AssistantMessage, Finish, Message, Reply, Request, Tool, UserMessage
from harness.llm.structured import has_tool_markup, parse
from harness.llm.toolloop import ToolFunction, converse
from harness.schema.dimension import Dimension
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.run import Skip
from harness.source.project import Project
from harness.source.tools import tools

LANGUAGES = ("python", "javascript", "typescript", "html", "markdown", "rst", "shell", "sql")
OUTPUT_TOKENS = 16_000
LARGEST_OUTPUT_TOKENS = 64_000
REPAIR = "That was not one JSON object of the schema with the right nonce. Answer again: only that object."


class Cut(Exception):
    """The answer did not fit, the larger one neither."""


class ModelReader:
    """See `harness.contracts.Reader`."""

    id = "model"

    def __init__(self, dimension: Dimension) -> None:
        prompts = files("auditors") / "prompts"
        self.dimension = dimension
        self._contract = (prompts / "contract.md").read_text("utf-8")
        own = prompts / f"{dimension.id}.md"
        self._prompt = (
            own.read_text("utf-8") if own.is_file() else f"# Your dimension: {dimension.title}\n\n{dimension.brief}"
        )
        self.version = sha256(self._contract + self._prompt)[:16]
        self.rule = Rule(
            id=f"model:{dimension.id}",
            group=dimension.groups[0],
            title=f"{dimension.title}: found by a model",
            severity=Severity.MEDIUM,
            page=f"{dimension.brief}\n\nRead by a model with tools over the pinned revision; every claim goes to blind falsifiers.",
        )

    def readings(self, project: Project) -> tuple[Reading, ...]:
        """What will be read, in order."""
        found = units(project, LANGUAGES, tests=self.dimension.id == "tests")
        return tuple(Reading(u.name, tuple(p.path for p in u.parts), u.model_dump(mode="json")) for u in found)

    def read(self, payload: JsonValue, bench: Bench, asker: Asker) -> Iterator[Claim | Skip]:
        """Claims about one unit; a Skip for what a bad outcome left unread. Raises ModelFailure, BudgetExhausted, LaneFailed."""
        yield from self._read(Unit.model_validate(payload), bench, asker)

    def _read(self, unit: Unit, bench: Bench, asker: Asker) -> Iterator[Claim | Skip]:
        """In two parts, each on its own, when the whole does not fit a question or its answer."""
        try:
            yield from self._conversation(unit, bench, asker)
        except (Cut, TooLong) as error:
            parts = halves(unit)
            if parts is None:
                raise LaneFailed(str(error)) from error
            for part in parts:
                yield from self._read(part, bench, asker)

    def _conversation(self, unit: Unit, bench: Bench, asker: Asker) -> Iterator[Claim | Skip]:
        project = bench.project
        facts = material.call_facts(project, unit)
        nonce, messages = material.conversation(project, self.dimension, self._prompt, self._contract, unit, facts)
        request = Request(
            model=asker.model, messages=messages, reply_schema=reply.SCHEMA, max_output_tokens=OUTPUT_TOKENS,
            prompt_version=self.version, sample=bench.seed,
        )  # fmt: skip
        labels = Labels(stage="discover", lane=self.dimension.id, unit=unit.name)
        talk = converse(asker, request, _functions(project), labels, nonce=nonce)
        answer = self._answer(asker, request, talk.messages, talk.reply, labels, nonce)
        found, malformed = reply.claims(answer, self.rule.id)
        yield from found
        for what in malformed:
            yield Skip(path=unit.parts[0].path, reason=f"{MALFORMED}: {what}")

    def _answer(
        self, asker: Asker, request: Request, messages: tuple[Message, ...], last: Reply, labels: Labels, nonce: str
    ) -> reply.Answer:
        if last.finish is Finish.TRUNCATED:
            larger = request.model_copy(update={"messages": messages, "max_output_tokens": LARGEST_OUTPUT_TOKENS})
            last = asker.ask(larger, labels)
        if last.finish is Finish.REFUSED:
            raise LaneFailed(f"the model refused to read {labels.unit}")
        if last.finish is Finish.TRUNCATED:
            raise Cut(f"the answer about {labels.unit} was cut twice")
        answer = _parsed(last, nonce)
        if answer is None:
            repair = (*messages, AssistantMessage(text=last.text or "(no text)"), UserMessage(text=REPAIR))
            last = asker.ask(request.model_copy(update={"messages": repair}), labels)
            answer = _parsed(last, nonce)
        if answer is None:
            raise LaneFailed(f"no usable answer about {labels.unit}, also when asked again")
        return answer


def _parsed(last: Reply, nonce: str) -> reply.Answer | None:
    if last.finish is not Finish.COMPLETE or has_tool_markup(last.text):
        return None
    return parse(last.text, reply.Answer, nonce)


def _functions(project: Project) -> Mapping[str, ToolFunction]:
    return {
        t.name: ToolFunction(Tool(name=t.name, description=t.description, parameters=t.parameters), t.call)
        for t in tools(project)
    }
