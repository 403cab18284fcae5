"""`checks.md`: what a person should look at before the report leaves the house."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agent.material import Gap
from agent.records import Change, Compiled, Scan
from harness.files import displayable


class CheckList(NamedTuple):
    """Everything that is not as it should be, or was decided on the way."""

    reasons: tuple[str, ...]
    """Why the report is incomplete."""
    offline: bool
    """Whether it was drafted without a model."""
    untraced: tuple[tuple[int, str], ...]
    """(line, number) of report.tex without a source in the material."""
    unknown_keys: tuple[str, ...]
    """Citations of sources that nobody knows, taken out."""
    gaps: tuple[Gap, ...]
    """What the material does not hold."""
    unread: tuple[tuple[str, str], ...]
    """(file, why) that did not go into the report, or not whole."""
    changes: tuple[Change, ...]
    """What sanitiser and repairs changed."""
    compiled: Compiled | None
    """None when nothing was compiled."""

    @property
    def open(self) -> int:
        """Points a person has to look at."""
        return len(self.reasons) + len(self.untraced) + len(self.unknown_keys) + len(self.gaps)

    def markdown(self) -> str:
        """The whole list. Text of the material is shown in code spans, so that nothing of it is markup."""
        parts = ["# Check list\n"]
        parts.append(
            "The draft was made by rules alone, without a model.\n"
            if self.offline
            else "The draft was written by a model: read it before you sign it.\n"
        )
        parts += _section("Why this report is incomplete", [_code(r) for r in self.reasons], "Nothing is missing.")
        parts += _section(
            "Numbers without a source in the material",
            [f"report.tex line {line}: {_code(number)}" for line, number in self.untraced],
            "Every number comes from the material.",
        )
        parts += _section(
            "Citations that were taken out because no source is known",
            [_code(key) for key in self.unknown_keys],
            "None.",
        )
        parts += _section(
            "What the material does not hold",
            [_code(g.what) + (f" ({_code(g.where)})" if g.where else "") for g in self.gaps],
            "Nothing was found missing.",
        )
        parts += _section(
            "Files that are not in the report, or only in part",
            [f"{_code(p)}: {_code(why)}" for p, why in self.unread],
            "None.",
        )
        parts += _section(
            "What was changed to make it compile",
            [f"line {c.line}: {_code(c.what)} (`{c.rule}`)" for c in self.changes],
            "Nothing.",
        )
        if self.compiled is not None:
            errors = [
                _code(f"{e.file}:{e.line}: {e.message}" if e.line else e.message)
                for e in self.compiled.diagnosis.errors
            ]
            parts += _section("Errors left", errors, "None.")
        else:
            parts += _section("Errors left", [], "Not compiled here; report.zip compiles elsewhere.")
        return "\n".join(parts)


def unread(scan: Scan, used: Sequence[str], problems: Mapping[str, str] = {}) -> tuple[tuple[str, str], ...]:
    """Files of the folder that did not go into the report, or not whole by the `problems` of its readers, and why."""
    known = set(used)
    return tuple(
        (file.path, file.problem or problems.get(file.path) or "not needed, or nothing readable in it")
        for file in scan.files
        if file.problem or file.path in problems or file.path not in known
    )


def _section(title: str, items: Sequence[str], none: str) -> list[str]:
    return [f"## {title}\n", "\n".join(f"- {item}" for item in items) if items else none, ""]


def _code(text: str) -> str:
    plain = displayable(" ".join(text.split()), keep="")[:400].replace("`", "'")
    return f"`{plain}`" if plain else "(no words)"
