"""A model that writes reports, for tests: reads a request as it came over the wire and answers each stage as it is told to."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.model_server import Answer, Seen
from tests.support.players import text_of

DRAFT = r"""\documentclass{article}
\begin{document}
\title{Ohm}\maketitle
\section{Introduction}
The voltage was measured as \cite{ohm} says.
\section{Result}
The largest value is 4.
\section{Conclusion}
It works as expected.
\bibliographystyle{plain}
\bibliography{references}
\end{document}
"""
BIB = """@book{ohm,
  author = {Georg Ohm},
  title = {Die galvanische Kette},
  publisher = {Riemann},
  year = {1827}
}
"""
FINISH = (
    "finish_exploration",
    {"experiment": "Ohm's law", "goal": "show it", "key_findings": ["I grows with U"]},
)
CHANGE = {"section": "n2", "issue": "too short", "action": "say more"}
Part = Callable[[Seen], Answer]


@dataclass
class Writer:
    """What the model says at each stage; a list is used up item by item, its last one for ever."""

    explore: list[Answer | Part] = field(default_factory=lambda: [Answer(tool_calls=[FINISH])])
    gap: list[Answer | Part] = field(default_factory=lambda: [Answer(text='{"gaps": []}')])
    draft: list[Answer | Part] = field(default_factory=lambda: [Answer(text=DRAFT)])
    critique: list[Answer | Part] = field(default_factory=lambda: [Answer(text='{"changes": []}')])
    section: list[Answer | Part] = field(default_factory=lambda: [Answer(text="no section")])
    whole: list[Answer | Part] = field(default_factory=lambda: [Answer(text=DRAFT)])
    repair: list[Answer | Part] = field(default_factory=lambda: [Answer(text=DRAFT)])
    asked: list[str] = field(default_factory=list)
    """Stages in the order they were asked for."""

    def __call__(self, seen: Seen) -> Answer:
        stage = stage_of(seen)
        self.asked.append(stage)
        answers: list[Answer | Part] = getattr(self, stage)
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        return answer if isinstance(answer, Answer) else answer(seen)

    def count(self, stage: str) -> int:
        """How often a stage was asked for."""
        return self.asked.count(stage)


def stage_of(seen: Seen) -> str:
    """Which stage a request belongs to, by its last words."""
    marks = {
        "Explore the folder with the tools": "explore",
        "What is asked for and not in the material?": "gap",
        "Write the whole report now": "draft",
        "Criticise the draft": "critique",
        "exactly this change to the section": "section",
        "exactly this change to the document": "whole",
        "does not compile; the excerpt says why": "repair",
    }
    text = text_of(seen)
    return next(stage for mark, stage in marks.items() if mark in text)


def changes(*items: dict[str, Any]) -> Answer:
    """A critique."""
    return Answer(text=json.dumps({"changes": list(items) or [CHANGE]}))


def section(title: str, body: str) -> Answer:
    """A section, as it is sent back."""
    return Answer(text=f"\\section{{{title}}}\n{body}\n")
