"""An option in a document that the command does not know: the documented line is run, and `--help` as its control.

Confirms only when the command itself says that it knows no such option, works with `--help`, and does not list it there.
"""

import re
import shlex
import tomllib
from typing import NamedTuple

from harness.contracts import Bench
from harness.sandbox.base import Execution, Limits, Mount, Sandbox
from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.executed.interpreter import chosen
from verifiers.executed.outcome import Outcome, not_reproduced, reproduced

_REFUSED = re.compile(
    r"(?i)no such option|unrecogni[sz]ed (?:argument|option)|unknown (?:option|flag|argument)|not defined"
)
_WORD = re.compile(r"[A-Za-z0-9][\w.:/=-]*")
_LIMITS = Limits(wall_s=30, output_bytes=200_000)
_START = """
import importlib, runpy, sys
sys.dont_write_bytecode = True
sys.pycache_prefix = "/tmp/no-bytecode"
sys.path[:0] = ["/pinned/src", "/pinned"]
kind, target, *sys.argv[1:] = sys.argv[1:]
if kind == "module":
    runpy.run_module(target, run_name="__main__", alter_sys=True)
else:
    module, _, names = target.partition(":")
    function = importlib.import_module(module)
    sys.argv[0] = kind
    for name in names.split("."):
        function = getattr(function, name)
    sys.exit(function())
"""


class _Command(NamedTuple):
    kind: str
    """`module`, or the name of the script."""
    target: str
    """Name of the module, or `module:function`."""


def fits(finding: Finding) -> bool:
    """A documented option of a command of the project."""
    return finding.kind == "doc-option" and {"option", "command"} <= finding.facts.keys()


def reproduce(finding: Finding, bench: Bench, sandbox: Sandbox) -> Outcome:
    """See `Template.reproduce`."""
    name, option = finding.facts["command"], f"--{finding.facts['option'].lstrip('-')}"
    command = _command(name, bench.project)
    if command is None:
        return not_reproduced(finding, f"how `{name}` is started is not to be seen")
    line = _documented(bench.project.lines(finding.path)[finding.line - 1], name, option)
    tried: list[str] = []
    for arguments in dict.fromkeys((tuple(line), (*_subcommands(line), option))):
        attack = _run(sandbox, bench, command, arguments)
        tried.append(_shown(name, arguments, attack))
        if attack.returncode in (None, 0) or not _refuses(attack, option):
            continue
        help_line = (*_subcommands(line), "--help")
        control = _run(sandbox, bench, command, help_line)
        tried.append("control: " + _shown(name, help_line, control))
        if control.returncode != 0:
            return not_reproduced(finding, f"`{name} --help` does not work here either, so nothing is shown", tried)
        if re.search(rf"{re.escape(option)}\b(?!-)", control.stdout.decode("utf-8", "replace")):
            return not_reproduced(finding, f"the command refuses `{option}` but lists it in its help", tried)
        shown = f"{name} {shlex.join(arguments)}"
        return reproduced(
            finding, f"reproduced: `{shown}` ends in an error about `{option}`; with `--help` it works", tried
        )
    return not_reproduced(finding, f"the command did not say that it knows no `{option}`", tried)


def _command(name: str, project: Project) -> _Command | None:
    """What `python -m package`, or a script of pyproject.toml, starts."""
    words = name.split()
    if words[:2] in (["python", "-m"], ["python3", "-m"]) and len(words) == 3:
        return _Command("module", words[2])
    try:
        table = tomllib.loads(project.text("pyproject.toml"))
        target = table["project"]["scripts"][name]
    except (KeyError, TypeError, ValueError):
        return None
    return _Command(name, target) if isinstance(target, str) and re.fullmatch(r"[\w.]+:[\w.]+", target) else None


def _documented(text: str, name: str, option: str) -> list[str]:
    """Words behind the command up to the option and what follows it, as far as they are plain words."""
    _, _, rest = text.partition(name)
    try:
        words = shlex.split(rest.replace("`", " "), comments=True)
    except ValueError:
        words = rest.split()
    found: list[str] = []
    for word in words:
        if word in {"|", "&&", ";", ">"} or not (_WORD.fullmatch(word) or word.startswith("--")):
            break
        found.append(word)
    return found if any(w.partition("=")[0] == option for w in found) else [option]


def _subcommands(line: list[str]) -> list[str]:
    names = []
    for word in line:
        if not re.fullmatch(r"[a-z][\w-]*", word):
            break
        names.append(word)
    return names[:3]


def _run(sandbox: Sandbox, bench: Bench, command: _Command, arguments: tuple[str, ...]) -> Execution:
    python = chosen(bench)
    return sandbox.run(
        [python.executable, "-I", "-c", _START, *command, *arguments],
        readable=[*python.readable, Mount(bench.project.root, "/pinned")],
        cwd="/pinned",
        environment={"PYTHONHASHSEED": "0", "COLUMNS": "200", "NO_COLOR": "1"},
        limits=_LIMITS,
    )


def _refuses(done: Execution, option: str) -> bool:
    lines = (done.stderr + b"\n" + done.stdout).decode("utf-8", "replace").splitlines()
    return any(_REFUSED.search(line) and option in line for line in lines)


def _shown(name: str, arguments: tuple[str, ...], done: Execution) -> str:
    lines = (done.stderr + b"\n" + done.stdout).decode("utf-8", "replace").strip().splitlines()
    last = next((line for line in lines if _REFUSED.search(line)), lines[-1] if lines else "")
    ending = f"limit of {done.limit}" if done.returncode is None else f"exit code {done.returncode}"
    return f"{name} {shlex.join(arguments)} -> {ending}: {last[:200]}"
