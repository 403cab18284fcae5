"""doc-code-block: does the block parse once everything that documents put into blocks is taken away?"""

import ast
import json
import re
import tokenize
import tomllib
import warnings
from collections.abc import Iterator

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.docs.prose import tokens
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_SLIPS = re.compile(
    r"expected ':'|':' expected after dictionary key|perhaps you forgot a comma|was never closed|unmatched '|"
    r"does not match opening parenthesis|unterminated (?:triple-quoted )?string|expected an indented block after|cannot assign to",
    re.IGNORECASE,
)
"""What the parser says about slips of a writer, as opposed to text that was never meant to be code."""
_OLD = re.compile(r"Missing parentheses in call to|leading zeros|multiple exception types|<>|print ", re.IGNORECASE)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses blocks that parse after cleaning; confirms those with a slip that cleaning does not mend."""
    language = finding.facts.get("language", "")
    first, last = int(finding.facts.get("first", "0")), int(finding.facts.get("last", "0"))
    lines = project.lines(finding.path)
    if not 0 < first <= last <= len(lines):
        return cannot_tell("there is no block at this place")
    block = lines[first - 1 : last]
    place = (finding.location,)
    if project.entries[finding.path].language == "markdown":
        fences = [t for t in tokens(project.text(finding.path)) if t.type == "fence" and t.map]
        inside = [t for t in fences if t.map and t.map[0] < first <= t.map[1]]
        if not inside:
            return cannot_tell("a CommonMark parser sees no fenced block here")
        block = inside[0].content.rstrip("\n").split("\n")
    if language == "json":
        return _data(block, finding, json.loads)
    if language == "toml":
        return _data(block, finding, tomllib.loads)
    error: SyntaxError | None = None
    for text in _readings(block):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        except SyntaxError as found:
            error = error or found
        except (ValueError, RecursionError, MemoryError):
            return cannot_tell("the block cannot be parsed here")
        else:
            return falls("the block parses without prompts, output and omissions", kind="syntax", at=place)
    if error is None or _OLD.search(error.msg):
        return cannot_tell("the block may be for another version of Python")
    if not _SLIPS.search(error.msg):
        return cannot_tell(f"the block may never have been meant to run: {error.msg}")
    if "expected an indented block" in error.msg and [t for t in block if t.strip()][-1].rstrip().endswith(":"):
        return falls("the block ends with the heading of something longer", kind="syntax", at=place)
    if _strange(block):
        return cannot_tell("the block holds text that is no Python at all")
    return stands(f"however it is read, the parser stops: {error.msg}", kind="syntax", at=place)


def _data(block: list[str], finding: Finding, load: object) -> Ruling:
    assert callable(load)
    place = (finding.location,)
    margin = min((len(t) - len(t.lstrip()) for t in block if t.strip()), default=0)
    plain = "\n".join(t[margin:] for t in block)
    without = re.sub(r"(?m)(?:^|\s)(?://|#).*$", "", plain)
    if "..." in plain or "…" in plain or re.search(r"<\w[\w -]*>", plain):
        return cannot_tell("the block leaves something out")
    for text in (plain, without):
        try:
            load(text)
        except (ValueError, RecursionError) as error:
            message = str(error)
        else:
            return falls("the block parses without its comments", kind="syntax", at=place)
    try:
        load(f"{{{without}}}" if load is json.loads else without)
    except (ValueError, RecursionError):
        pass
    else:
        return falls("the block is a part of an object", kind="syntax", at=place)
    return stands(f"a strict parser stops: {message}", kind="syntax", at=place)


def _readings(block: list[str]) -> Iterator[str]:
    """The block as it is, then with less and less of what is not code."""
    margin = min((len(t) - len(t.lstrip()) for t in block if t.strip()), default=0)
    lines = [t[margin:] for t in block]
    if any(t.lstrip().startswith(">>>") for t in lines):
        lines = [re.sub(r"^\s*(?:>>>|\.\.\.) ?", "", t) for t in lines if re.match(r"\s*(?:>>>|\.\.\.)", t)]
    yield "\n".join(lines)
    yield _wrapped(lines)
    lines = ["pass" if re.fullmatch(r"\s*\.{3,}\s*", t) else re.sub(r",?\s*\.\.\.\s*([)\]}])", r"\1", t) for t in lines]
    yield _wrapped(lines)
    lines = [re.sub(r"<[A-Za-z][\w .-]*>|\{\{.*?\}\}|\{%.*?%\}", "_", t) for t in lines]
    lines = [t for t in lines if not re.match(r"\s*(?:\$|%|!|#|\+|-) ?\S", t) or t.lstrip().startswith("#")]
    yield _wrapped(lines)
    yield "\n".join(re.sub(r"\bf([\"'])", r"\1", t) for t in lines)
    for end in range(len(lines) - 1, max(0, len(lines) - 4), -1):
        if _looks_like_output(lines[end]):
            yield _wrapped(lines[:end])


def _wrapped(lines: list[str]) -> str:
    return "async def _():\n" + "\n".join(f" {t}" for t in lines) + "\n pass"


def _looks_like_output(line: str) -> bool:
    """Whether the line may be what the code prints. One that opens a bracket and does not close it is code."""
    opened = sum(line.count(sign) for sign in "([{") - sum(line.count(sign) for sign in ")]}")
    return opened == 0 and not re.search(r"[=()\[\]{}:]\s*$", line)


def _strange(block: list[str]) -> bool:
    """Whether the tokenizer finds signs that Python does not have."""
    feed = iter([f"{line}\n" for line in block] + [""])
    try:
        return any(
            token.type == tokenize.ERRORTOKEN and token.string.strip()
            for token in tokenize.generate_tokens(lambda: next(feed))
        )
    except (tokenize.TokenError, SyntaxError, StopIteration):
        return False
