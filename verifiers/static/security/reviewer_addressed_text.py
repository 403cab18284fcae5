"""reviewer-addressed-text: is it hidden, or does it ask a machine for an answer, where nothing but a reader gets to see it?

Text that the program uses (a string) may be its own prompt for a model, and one that speaks to people may be good advice
to them: neither is decided here.
"""

import ast
import itertools
import re

from harness.schema.finding import Finding
from harness.source.plain import plain
from harness.source.project import Project
from harness.source.spans import only_words
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

AROUND = 3
"""Lines behind the first that belong to the text."""
LEGIBLE = 8
"""Letters that make hidden characters a text."""
_TAG = re.compile("[\U000e0020-\U000e007e]")
_MACHINE = re.compile(
    r"\[\s*\]|\bjson\b|\bfindings\b|\binstructions?\b|\bprompts?\b|\b(?:output|reply|respond|answer)\b|\ba\.?i\b|\bllms?\b|\bmodels?\b|"
    r"\bassistant\b|\b(?:claude|gemini|copilot|chatgpt|gpt-?\d)|\bempty (?:list|array)\b"
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms what is written so that people do not see it, and a comment or docstring that asks a machine for an answer."""
    entry = project.entries[finding.path]
    lines = project.lines(finding.path)
    line = lines[finding.line - 1]
    place = (finding.location,)
    hidden = "".join(chr(ord(c) - 0xE0000) for c in _TAG.findall(line))
    if sum(c.isalpha() for c in hidden) >= LEGIBLE:
        return stands("characters that nobody sees spell a text", kind="constant", detail=hidden, at=place)
    if finding.facts.get("how") != "words":
        return cannot_tell("what these characters are there for cannot be read off them")
    if entry.language != "python":
        return cannot_tell("whether a program uses this text, only Python is read well enough to tell")
    if not only_words(entry.language, lines, finding.line):
        return cannot_tell("the program may use this text, as a prompt of its own")
    if entry.test:
        return cannot_tell("it stands in test code, which may be about such text")
    numbers = range(finding.line, min(finding.line + AROUND, len(lines)) + 1)
    read = itertools.takewhile(lambda n: lines[n - 1].strip() and only_words(entry.language, lines, n), numbers)
    said = " ".join(plain(lines[n - 1]) for n in read)
    if _quoted(project, finding):
        return falls("the docstring quotes such text, it does not speak itself", kind="syntax", at=place)
    asked = _MACHINE.search(said)
    if asked is None:
        return cannot_tell("it may speak to people")
    return stands(
        "it asks whoever reviews for an answer, where the program has no use for it",
        kind="constant",
        detail=said,
        at=place,
    )


def _quoted(project: Project, finding: Finding) -> bool:
    """Whether the line is in a docstring and what speaks stands in quotation marks there."""
    line = project.lines(finding.path)[finding.line - 1]
    try:
        module = project.module(finding.path)
    except (SyntaxError, ValueError, LookupError):
        return False
    inside = any(
        node.lineno <= finding.line <= (node.end_lineno or node.lineno)
        for node in module.nodes(ast.Constant)
        if isinstance(node.value, str)
    )
    return inside and re.search(r"[\"'“`][^\"'”`]{12,}[\"'”`]", line.replace('"""', "")) is not None
