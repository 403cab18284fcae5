"""doc-option and option-undocumented: options of the project's own command, in documents and in the code.

Why: an option that is documented and not there ends in "no such option" for every reader; one that is there and
nowhere mentioned is found by nobody.

Example: the README says `shop sync --dry-run`; the parser knows `--simulate` only.

A document's option counts when it stands behind the project's own command (or `python -m package`) in a shell block or
code span. Options of the code are the texts that begin with `--` in it, and the names that click and typer derive.

What it cannot see: options that are put together while running, and documents outside the repository.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from auditors.docs.documents import claim, commands, documents, occurrences, packages
from auditors.docs.markup import Document
from harness.contracts import Check
from harness.schema.finding import AbsenceSearch, Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

UNKNOWN = Rule(
    id="doc-option", group="docs", title="Documented option that does not exist", severity=Severity.LOW, page=__doc__
)
UNMENTIONED = Rule(
    id="option-undocumented",
    group="docs",
    title="Option that no document mentions",
    severity=Severity.LOW,
    page=__doc__,
)
SHELL = frozenset(
    {"", "sh", "bash", "shell", "console", "shell-session", "zsh", "text", "terminal", "ps1con", "doscon"}
)
_OPTION = re.compile(r"(?<![\w-])--([a-zA-Z][\w-]*)")
_BUILT_IN = frozenset({"help", "version"})


class _Option(NamedTuple):
    name: str
    module: str
    line: int
    hidden: bool


def check(project: Project) -> Iterator[Claim]:
    """Unknown options by document and line, then unmentioned ones by file and line."""
    names = set(commands(project))
    roots = packages(project)
    runs = {f"python -m {root}" for root in roots} | {f"python3 -m {root}" for root in roots}
    if not names and not any(f"{root}.__main__" in project.index.module_paths for root in roots):
        return
    texts, options = _in_code(project)
    every = list(documents(project))
    for document in every:
        for line, column, option, command in _used(document, names | runs):
            if option in texts or option in _BUILT_IN or _derived(option, texts):
                continue
            pattern = rf"--{re.escape(option)}\b"
            yield claim(
                UNKNOWN,
                project,
                document.path,
                line,
                column=column,
                width=len(option) + 2,
                scenario=f"`{command} --{option}`, as documented, ends in an error: no parser of the project knows `--{option}`.",
                fix=f"Name the option that `{command}` has now.",
                facts={"option": option, "command": command},
                absence=AbsenceSearch(
                    pattern=pattern, paths=("*.py",), expected=occurrences(project, pattern, ("*.py",))
                ),
            )
    yield from _unmentioned(project, options)


def _used(document: Document, names: set[str]) -> Iterator[tuple[int, int, str, str]]:
    """(line, column, option, command) for options behind one of the commands."""
    lines = [
        (n, 1, text)
        for block in document.blocks
        if block.language in SHELL
        for n, text in enumerate(block.lines, block.line)
    ]
    lines += [(span.line, span.column, span.text) for span in document.spans if not span.role]
    start = (
        re.compile(
            r"^\s*(?:[$>%#]\s+)?(?:[A-Z_]+=\S+\s+)*(" + "|".join(re.escape(n) for n in sorted(names)) + r")(?=\s)"
        )
        if names
        else None
    )
    for number, column, text in sorted(lines):
        command = start.match(text) if start else None
        if command is None:
            continue
        rest = re.split(r"\s(?:\||&&|;|>|#|--)(?=\s|$)", text[command.end() :])[0]
        rest = re.sub(r"\"[^\"]*\"|'[^']*'", lambda m: " " * len(m.group()), rest)
        for match in _OPTION.finditer(rest):
            yield number, column + command.end() + match.start(), match.group(1), command.group(1)


def _in_code(project: Project) -> tuple[set[str], list[_Option]]:
    """Every text of the code that looks like an option, and those that a parser declares."""
    texts: set[str] = set()
    options: list[_Option] = []
    for module in project.modules_matching(re.compile(rb"--[a-zA-Z]|typer")):
        for node in module.nodes(ast.Constant):
            if isinstance(node.value, str) and "--" in node.value:
                texts |= set(_OPTION.findall(node.value))
        for call in module.nodes(ast.Call):
            options += _declared(module, call)
        if "typer" in module.text:
            for _, function in module.functions:
                texts |= {a.arg.replace("_", "-") for a in (*function.args.args, *function.args.kwonlyargs)}
    return texts, options


def _declared(module: Module, call: ast.Call) -> list[_Option]:
    last = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    name = module.resolve(call.func) or ""
    if last != "add_argument" and name not in {"click.option", "typer.Option"}:
        return []
    hidden = any(
        (k.arg == "hidden" and getattr(k.value, "value", None) is True)
        or (k.arg == "help" and (module.resolve(k.value) or "").endswith("SUPPRESS"))
        for k in call.keywords
    ) or not any(k.arg == "help" for k in call.keywords)
    found = []
    for argument in call.args:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            match = re.match(r"--([a-zA-Z][\w-]*)", argument.value)
            if match:
                found.append(_Option(match.group(1), module.path, call.lineno, hidden))
    return found[:1]


def _derived(option: str, texts: set[str]) -> bool:
    """`--no-x` of a switch, `--x-y` of `--x_y`, and abbreviations that argparse accepts."""
    plain = option.removeprefix("no-")
    return plain in texts or option.replace("-", "_") in texts or option.replace("_", "-") in texts


def _unmentioned(project: Project, options: list[_Option]) -> Iterator[Claim]:
    """Options whose siblings in the same file are nearly all documented."""
    wanted = {o.name for o in options}
    mentioned: set[str] = set()
    for path in project.paths("markdown", "rst", "text", test=False):
        mentioned |= wanted & set(_OPTION.findall(project.text(path)))
    by_file: dict[str, list[_Option]] = {}
    for option in options:
        by_file.setdefault(option.module, []).append(option)
    for path, siblings in sorted(by_file.items()):
        shown = [o for o in siblings if o.name in mentioned]
        lacking = [o for o in siblings if o.name not in mentioned and not o.hidden]
        if len(shown) < 3 or len(shown) < 3 * len(lacking):
            continue
        for option in lacking:
            pattern = rf"--{re.escape(option.name)}\b"
            yield claim(
                UNMENTIONED,
                project,
                path,
                option.line,
                scenario=f"Nobody who reads the documents learns of `--{option.name}`, although they list "
                f"{len(shown)} other options of this command.",
                fix=f"Describe `--{option.name}` where `--{shown[0].name}` is described, or hide it.",
                facts={"option": option.name, "sibling": shown[0].name},
                absence=AbsenceSearch(pattern=pattern, paths=("*.md", "*.rst", "*.txt"), expected=0),
            )


CHECK = Check(rules=(UNKNOWN, UNMENTIONED), project=check)
