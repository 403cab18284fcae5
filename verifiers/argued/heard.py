"""What was heard of one reader, and whether the reader was free to say it.

Code may tell its reader that it is in order. Whoever refutes a claim after having read such text may only have done
as he was told, and nobody can tell the difference. Nor does a comment refute a claim about code: only code does.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from harness.llm.messages import Message
from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.addressed import addresses
from harness.source.project import Project
from harness.source.spans import only_words
from verifiers.argued.vote import Reproducer
from verifiers.executed.program import Ending


class Heard(NamedTuple):
    """A vote that counts, or why there is none."""

    verdict: str
    """stands, refuted, or abstains."""
    reason: str
    places: tuple[Location, ...] = ()
    """Where the quotes stand."""
    reproducer: Reproducer | None = None
    """What the reader handed in."""
    ending: Ending | None = None
    """How it ended, None when it was not run."""
    family: str = ""


def free(heard: Heard, finding: Finding, messages: Iterable[Message], nonce: str, project: Project) -> Heard:
    """The same, or a vote that counts for nothing: the claim or the material told the reader what to say.

    A refutation that quotes only comments, docstrings or documents against a claim about code abstains.
    """
    if heard.verdict not in ("stands", "refuted"):
        return heard
    if addresses(finding.scenario.splitlines()):
        return Heard(
            "failed", "the claim itself tells its reader what to say, so no vote on it counts", family=heard.family
        )
    if heard.verdict == "stands":  # told to look away, and did not
        return heard
    if any(addresses(text.splitlines()) for text in _material(messages, nonce)):
        return Heard(
            "failed",
            "what was read tells its reader what to say, so that it is refuted counts for nothing",
            family=heard.family,
        )
    if not _words(project, finding.location) and all(_words(project, place) for place in heard.places):
        return Heard("abstains", f"refuted the claim and quoted no code, only words about it: {heard.reason}")
    return heard


def _material(messages: Iterable[Message], nonce: str) -> Iterator[str]:
    """Text of the repository in a conversation, without our own words around it."""
    fenced = re.compile(rf"<data {re.escape(nonce)} [^>\n]*>\n(.*?)\n</data {re.escape(nonce)}>", re.DOTALL)
    for message in messages:
        yield from fenced.findall(message.text)


def _words(project: Project, place: Location) -> bool:
    return only_words(project.entries[place.path].language, project.lines(place.path), place.line)
