"""One blind reader puts one finding to the test: place and scenario only, tools, quotes that are checked."""

from importlib.resources import files
from typing import NamedTuple

from harness.contracts import Bench
from harness.files import sha256
from harness.llm.client import Asker
from harness.llm.fence import fence, nonce_for, rule
from harness.llm.ledger import Labels
from harness.llm.messages import AssistantMessage, Finish, Message, Reply, Request, SystemMessage, Tool, UserMessage
from harness.llm.structured import has_tool_markup, parse, verdict_phrase
from harness.llm.toolloop import ToolFunction, converse
from harness.redact import keeps_secrets
from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.project import Project
from harness.source.tools import tools
from verifiers.argued.vote import SCHEMA, Reproducer, Vote, standing

OUTPUT_TOKENS = 8_000
LARGEST_OUTPUT_TOKENS = 32_000
AROUND = 25
"""Lines of code shown before and after the place."""
REPAIR = "That was not one JSON object of the schema with the right nonce. Answer again: only that object."
UNQUOTED = "These quotes are not in the repository: {}. A verdict counts only with lines that are there. Answer again."


class Heard(NamedTuple):
    """A vote that counts, or why there is none."""

    verdict: str
    """stands, refuted, or abstains."""
    reason: str
    places: tuple[Location, ...] = ()
    """Where the quotes stand."""
    reproducer: Reproducer | None = None
    family: str = ""


class Falsifier:
    """Asks one model about one finding. Raises ModelFailure and BudgetExhausted, never guesses."""

    def __init__(self) -> None:
        self._prompt = (files("verifiers") / "prompts" / "falsifier.md").read_text("utf-8")
        self.version = sha256(self._prompt)[:16]

    def hear(self, finding: Finding, bench: Bench, asker: Asker, *, sample: int, told: str = "") -> Heard:
        """The vote of one fresh reader. `told` is the mechanical result of an earlier reproducer, by a program of ours."""
        project = bench.project
        nonce = nonce_for(project.tree.digest, finding.fingerprint, finding.scenario, str(sample))
        request = Request(
            model=asker.model, messages=self._messages(finding, project, nonce, told), reply_schema=SCHEMA,
            max_output_tokens=OUTPUT_TOKENS, prompt_version=self.version, sample=sample,
        )  # fmt: skip
        labels = Labels(stage="verify", lane="argued", unit=finding.fingerprint[:16])
        functions = {
            t.name: ToolFunction(Tool(name=t.name, description=t.description, parameters=t.parameters), t.call)
            for t in (*tools(project), *bench.history)
        }
        talk = converse(asker, request, functions, labels, nonce=nonce)
        heard = self._read(asker, request, talk.messages, talk.reply, labels, nonce, project)
        return heard._replace(family=asker.family)

    def _messages(
        self, finding: Finding, project: Project, nonce: str, told: str
    ) -> tuple[SystemMessage | UserMessage, ...]:
        lines = project.lines(finding.path)
        first = max(1, finding.line - AROUND)
        code = "\n".join(f"{n:5} {text}" for n, text in enumerate(lines[first - 1 : finding.end_line + AROUND], first))
        if keeps_secrets(finding.path):
            code = "(a place for credentials; its lines are not shown)"
        symbol = f", in {finding.symbol}" if finding.symbol else ""
        claim = fence(f"{finding.path}, line {finding.line}{symbol}\n\n{finding.scenario}", nonce, "claim")
        mechanical = f"\n\nA program of ours ran the reproducer that was written for this claim: {told}" if told else ""
        question = (
            f"{rule(nonce)}\n\nThe claim:\n\n{claim}\n\n{finding.path} around that line, with line numbers (they are "
            f"not part of the code):\n\n{fence(code, nonce, 'file')}{mechanical}\n\nTry to prove the claim wrong."
        )
        return SystemMessage(text=self._prompt), UserMessage(text=question)

    def _read(
        self, asker: Asker, request: Request, messages: tuple[Message, ...], last: Reply, labels: Labels, nonce: str,
        project: Project,
    ) -> Heard:  # fmt: skip
        if last.finish is Finish.TRUNCATED:
            larger = request.model_copy(update={"messages": messages, "max_output_tokens": LARGEST_OUTPUT_TOKENS})
            last = asker.ask(larger, labels)
        if last.finish is Finish.REFUSED:
            return Heard("failed", "the model refused to answer")
        if last.finish is Finish.TRUNCATED:
            return Heard("failed", "the answer was cut twice")
        heard, complaint = _counted(last, nonce, project)
        if complaint and heard.verdict == "failed":
            again = (*messages, AssistantMessage(text=last.text or "(no text)"), UserMessage(text=complaint))
            last = asker.ask(request.model_copy(update={"messages": again}), labels)
            heard, _ = _counted(last, nonce, project)
        return heard


def _counted(last: Reply, nonce: str, project: Project) -> tuple[Heard, str]:
    """(what counts of a reply, what to tell the model when nothing does)."""
    if last.finish is not Finish.COMPLETE or has_tool_markup(last.text):
        return Heard("failed", "the reply is no answer"), REPAIR
    vote = parse(last.text, Vote, nonce)
    if vote is None:
        phrase = verdict_phrase(last.text)
        if phrase is None:
            return Heard("failed", "the reply is no answer"), REPAIR
        return Heard(
            "abstains", f"said that the claim {'stands' if phrase == 'stands' else 'is wrong'}, quoting nothing"
        ), ""
    if vote.verdict == "cannot_tell":
        return Heard("abstains", vote.reason, reproducer=vote.reproducer), ""
    places, missing = standing(project, vote.quotes)
    if not places or missing:
        names = "; ".join(f"{q.path}:{q.line} {q.text[:80]!r}" for q in missing) or "none was given"
        return Heard("failed", f"its quotes are not in the repository: {names}"), UNQUOTED.format(names)
    return Heard(vote.verdict, vote.reason, tuple(places), vote.reproducer), ""
