"""One blind reader puts one finding to the test: place and scenario only, tools, quotes that are checked.

A reader may hand in a reproducer. It is run in the sandbox, and its mechanical ending can only strengthen a vote that the
claim stands: proved, that vote counts as reproduced. Every other ending goes back to the reader, once, as one sentence of
ours, and the next vote counts. A reader who had refuted the claim and then says that it stands abstains: a program of
its own must not talk it into a finding. Not to reproduce says nothing against a claim.
"""

import os
import threading
from importlib.resources import files
from typing import NamedTuple

from harness.contracts import Bench
from harness.errors import SandboxUnavailable
from harness.files import sha256
from harness.llm.client import Asker
from harness.llm.fence import fence, nonce_for, rule
from harness.llm.ledger import Labels
from harness.llm.messages import AssistantMessage, Finish, Message, Reply, Request, SystemMessage, Tool, UserMessage
from harness.llm.structured import has_tool_markup, parse, verdict_phrase
from harness.llm.toolloop import ToolFunction, converse
from harness.redact import keeps_secrets
from harness.sandbox.base import Sandbox
from harness.schema.finding import Finding
from harness.source.project import Project
from harness.source.tools import tools
from verifiers.argued.heard import Heard, free
from verifiers.argued.vote import SCHEMA, Reproducer, Vote, standing
from verifiers.executed.program import run

OUTPUT_TOKENS = 8_000
LARGEST_OUTPUT_TOKENS = 32_000
AROUND = 25
"""Lines of code shown before and after the place."""
REPAIR = "That was not one JSON object of the schema with the right nonce. Answer again: only that object."
TOLD = (
    "A program of ours ran your reproducer: {}. This is all you will be told, and no further reproducer will be run. Vote "
    "again, knowing this: one JSON object of the same schema with the same nonce."
)
UNQUOTED = "These quotes are not in the repository: {}. A verdict counts only with lines that are there. Answer again."


class Falsifier:
    """Asks one model about one finding. Raises ModelFailure and BudgetExhausted, never guesses."""

    def __init__(self) -> None:
        self._prompt = (files("verifiers") / "prompts" / "falsifier.md").read_text("utf-8")
        self.version = sha256(self._prompt)[:16]
        self._slots = threading.BoundedSemaphore(os.cpu_count() or 1)

    def hear(self, finding: Finding, bench: Bench, asker: Asker, *, sample: int) -> Heard:
        """The vote of one fresh reader."""
        project = bench.project
        nonce = nonce_for(project.tree.digest, finding.fingerprint, finding.scenario, str(sample))
        request = Request(
            model=asker.model, messages=self._messages(finding, project, nonce), reply_schema=SCHEMA,
            max_output_tokens=OUTPUT_TOKENS, prompt_version=self.version, sample=sample,
        )  # fmt: skip
        labels = Labels(stage="verify", lane="argued", unit=finding.fingerprint[:16])
        functions = {
            t.name: ToolFunction(Tool(name=t.name, description=t.description, parameters=t.parameters), t.call)
            for t in (*tools(project), *bench.history)
        }
        talk = converse(asker, request, functions, labels, nonce=nonce)
        question = _Question(asker, request, labels, nonce, project)
        heard, messages = question.read(talk.messages, talk.reply)
        heard = free(heard, finding, messages, nonce, project)
        if heard.reproducer is not None and bench.sandbox is not None:
            heard = self._tested(heard, heard.reproducer, messages, question, finding, bench, bench.sandbox)
        return heard._replace(family=asker.family)

    def _tested(
        self,
        heard: Heard,
        reproducer: Reproducer,
        messages: tuple[Message, ...],
        question: "_Question",
        finding: Finding,
        bench: Bench,
        sandbox: Sandbox,
    ) -> Heard:
        """The vote that counts once the reproducer was run."""
        try:
            with self._slots:
                ending = run(reproducer.program, reproducer.control, finding, bench, sandbox)
        except (SandboxUnavailable, OSError):
            return heard  # trouble of the machine says nothing, neither to us nor to the reader
        if ending.proved and heard.verdict == "stands":
            return heard._replace(ending=ending)
        further = (*messages, UserMessage(text=TOLD.format(ending.said)))
        again, _ = question.read(further, question.ask(further))
        again = free(again, finding, messages, question.nonce, bench.project)
        if heard.verdict == "refuted" and again.verdict == "stands":
            again = Heard("abstains", f"refuted the claim, and after a reproducer said that it stands: {again.reason}")
        return again._replace(reproducer=reproducer, ending=ending)

    def _messages(self, finding: Finding, project: Project, nonce: str) -> tuple[SystemMessage | UserMessage, ...]:
        lines = project.lines(finding.path)
        first = max(1, finding.line - AROUND)
        code = "\n".join(f"{n:5} {text}" for n, text in enumerate(lines[first - 1 : finding.end_line + AROUND], first))
        if keeps_secrets(finding.path):
            code = "(a place for credentials; its lines are not shown)"
        symbol = f", in {finding.symbol}" if finding.symbol else ""
        claim = fence(f"{finding.path}, line {finding.line}{symbol}\n\n{finding.scenario}", nonce, "claim")
        question = (
            f"{rule(nonce)}\n\nThe claim:\n\n{claim}\n\n{finding.path} around that line, with line numbers (they are "
            f"not part of the code):\n\n{fence(code, nonce, 'file')}\n\nTry to prove the claim wrong."
        )
        return SystemMessage(text=self._prompt), UserMessage(text=question)


class _Question(NamedTuple):
    """A conversation with one reader about one finding."""

    asker: Asker
    request: Request
    labels: Labels
    nonce: str
    project: Project

    def ask(self, messages: tuple[Message, ...], *, tokens: int = OUTPUT_TOKENS) -> Reply:
        """The reply to these messages, without tools."""
        update = {"messages": messages, "max_output_tokens": tokens}
        return self.asker.ask(self.request.model_copy(update=update), self.labels)

    def read(self, messages: tuple[Message, ...], last: Reply) -> tuple[Heard, tuple[Message, ...]]:
        """(the vote in a reply, everything said up to and with it); asks once more when it is cut or counts for nothing."""
        if last.finish is Finish.TRUNCATED:
            last = self.ask(messages, tokens=LARGEST_OUTPUT_TOKENS)
        if last.finish is Finish.REFUSED:
            return Heard("failed", "the model refused to answer"), messages
        if last.finish is Finish.TRUNCATED:
            return Heard("failed", "the answer was cut twice"), messages
        heard, complaint = _counted(last, self.nonce, self.project)
        messages = (*messages, AssistantMessage(text=last.text or "(no text)"))
        if complaint and heard.verdict == "failed":
            messages = (*messages, UserMessage(text=complaint))
            last = self.ask(messages)
            heard, _ = _counted(last, self.nonce, self.project)
            messages = (*messages, AssistantMessage(text=last.text or "(no text)"))
        return heard, messages


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
