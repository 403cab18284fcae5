"""doc-code-block: a code block in a document that is not in the language it says it is in.

Why: readers copy it. What does not parse fails in their hands, and they look for the mistake in their own work.

Example:

    ```json
    {"debug": true,}          the comma is one too many
    ```

Blocks marked as Python, JSON, TOML or YAML are read. Prompts, `...`, templates, placeholders, differences and output are
left alone.

What it cannot see: whether a block that parses also works.
"""

import json
import re
import textwrap
import tomllib
from collections.abc import Iterator

from auditors.docs.documents import claim, documents
from auditors.docs.markup import Block
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.project import Project
from harness.source.syntax import NotParsed, parse

RULE = Rule(
    id="doc-code-block", group="docs", title="Code block that does not parse", severity=Severity.LOW, page=__doc__
)
_PYTHON = frozenset({"python", "py", "python3", "pycon"})
_TEMPLATE = re.compile(
    r"\{\{|\{%|<[a-z][\w -]*>|\$\{|^\s*[-+] |^@@|Traceback|^\s*\.\.\.\s*$|…|\[\.\.\.\]", re.MULTILINE
)


def check(project: Project) -> Iterator[Claim]:
    """Blocks by document and line."""
    for document in documents(project):
        for block in document.blocks:
            found = _error(block)
            if found is None:
                continue
            line, message = found
            at = min(block.line + line - 1, block.line + len(block.lines) - 1)
            lines = project.lines(document.path)
            while at > block.line and not lines[at - 1].strip():
                at -= 1
            yield claim(
                RULE,
                project,
                document.path,
                at,
                scenario=f"A reader who copies this {block.language} block gets an error: {message}.",
                fix=f"Correct the block so that it is valid {block.language}, or mark it as text.",
                facts={
                    "language": block.language,
                    "first": str(block.line),
                    "last": str(block.line + len(block.lines) - 1),
                },
            )


def _error(block: Block) -> tuple[int, str] | None:
    """(line within the block from 1, message), None when the block parses or is not to be judged."""
    text = "\n".join(block.lines)
    if not text.strip() or len(text) > 100_000:
        return None
    if block.language in _PYTHON:
        return _python(text)
    if _TEMPLATE.search(text):
        return None
    if block.language == "json":
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            if "..." in text or re.search(r"^\s*//|\s//\s|/\*|^\s*#", text, re.MULTILINE) or error.msg == "Extra data":
                return None
            return error.lineno, error.msg
        except RecursionError:
            return None
    if block.language == "toml":
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            if "..." in text:
                return None
            match = re.search(r"line (\d+)", str(error))
            return int(match.group(1)) if match else 1, str(error)
        except RecursionError:
            return None
    return None


def _python(text: str) -> tuple[int, str] | None:
    if ">>>" in text:
        return _doctest(text)
    if _TEMPLATE.search(text) or re.search(r"^\s*[$%!] ", text, re.MULTILINE):
        return None
    return _parse(text)


def _parse(text: str) -> tuple[int, str] | None:
    first: tuple[int, str] | None = None
    source = textwrap.dedent(text)
    for attempt, shift in (
        (source, 0),
        ("async def _():\n" + textwrap.indent(source, " "), 1),
        ("class _:\n" + textwrap.indent(source, " "), 1),
    ):
        try:
            parse(attempt)
        except NotParsed as error:
            where = re.match(r"line (\d+): (.*)", str(error))
            if where is None or where.group(2).startswith("f-string"):
                return None
            first = first or (max(1, int(where.group(1)) - shift), where.group(2))
        else:
            return None
    return first


def _doctest(text: str) -> tuple[int, str] | None:
    """Each statement behind `>>>` on its own; output is not looked at."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        match = re.match(r"^(\s*)>>>(?: |$)(.*)$", lines[at])
        at += 1
        if match is None:
            continue
        start, margin = at, match.group(1)
        source = [match.group(2)]
        while at < len(lines) and (more := re.match(rf"^{margin}\.\.\.(?: |$)(.*)$", lines[at])):
            source.append(more.group(1))
            at += 1
        joined = "\n".join(source)
        if _TEMPLATE.search(joined) or "..." in joined:
            continue
        found = _parse(joined)
        if found is not None and "EOF" not in found[1] and "was never closed" not in found[1]:
            return start + found[0] - 1, found[1]
    return None


CHECK = Check(rules=(RULE,), project=check)
