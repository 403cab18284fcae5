"""One entry: TOML front matter for programs, Markdown for people, both from the same record."""

import datetime
import re
import tomllib
from importlib.resources import files
from typing import Literal

from pydantic import Field, ValidationError

from harness.errors import UsageError
from harness.files import displayable
from harness.schema.base import Record

LANGUAGES = ("en", "zh")
SHOWN_FILES = 60


class Leftover(Record):
    """Something left to do."""

    id: str = Field(pattern=r"^\d+\.\d+$")
    """Number of the entry, then its own."""
    text: str = Field(min_length=1)
    """What."""


class Entry(Record):
    """One conversation."""

    number: int = Field(ge=1)
    """Counts from 1 without a gap."""
    date: datetime.date
    """The day."""
    title: str = Field(min_length=1)
    """A few words."""
    language: Literal["en", "zh"] = "en"
    """Language of the headings."""
    goal: str = Field(min_length=1)
    """What it was about."""
    done: str = Field(min_length=1)
    """What was done."""
    decisions: tuple[str, ...] = ()
    """Key decisions, with the reason."""
    files: tuple[str, ...] = ()
    """Files changed since the entry before."""
    commits: tuple[str, ...] = ()
    """`hash subject`, newest first."""
    leftovers: tuple[Leftover, ...] = ()
    """Left to do."""
    closes: tuple[str, ...] = ()
    """Ids of earlier leftovers that this entry closes."""
    head: str = ""
    """Commit at which it was written."""
    previous: str = ""
    """SHA-256 of the file of the entry before, '' for the first."""

    @property
    def file_name(self) -> str:
        """`0007-2026-11-30-a-few-words.md`; sorts by number."""
        slug = re.sub(r"[^\w]+", "-", self.title.lower()).strip("-_")[:50].rstrip("-")
        return f"{self.number:04}-{self.date.isoformat()}-{slug or 'entry'}.md"


def to_markdown(entry: Entry) -> str:
    """The file's content."""
    words = tomllib.loads((files("devlog") / "templates" / f"{entry.language}.toml").read_text("utf-8"))
    none = words["none"]
    shown = list(entry.files[:SHOWN_FILES])
    more = [f"... {len(entry.files) - len(shown)} more"] if len(entry.files) > len(shown) else []
    sections = [
        (words["goal"], _text(entry.goal)),
        (words["done"], _text(entry.done)),
        (words["decisions"], _list(entry.decisions) or none),
        (words["files"], _list([_code(f) for f in shown] + more) or none),
        (words["commits"], _list([_inert(c) for c in entry.commits]) or none),
        (words["leftovers"], _list([f"{left.id} {left.text}" for left in entry.leftovers]) or none),
    ]
    body = "\n\n".join(f"## {heading}\n\n{text}" for heading, text in sections)
    return (
        f"+++\n{_front(entry)}+++\n\n# {entry.number:04} · {_text(entry.title)}\n\n{entry.date.isoformat()}\n\n{body}\n"
    )


def from_markdown(text: str, name: str) -> Entry:
    """The record of a file. Raises UsageError that names the file."""
    match = re.match(r"\+\+\+\n(.*?)^\+\+\+\n", text, re.DOTALL | re.MULTILINE)
    if match is None:
        raise UsageError(f"{name}: there is no front matter between +++ lines")
    try:
        return Entry.model_validate(tomllib.loads(match.group(1)))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise UsageError(f"{name}: {str(error).splitlines()[0]}") from error


def _front(entry: Entry) -> str:
    lines = []
    for name, value in entry.model_dump().items():
        if name == "leftovers":
            items = [f"{{ id = {_quoted(v['id'])}, text = {_quoted(v['text'])} }}" for v in value]
            lines.append(f"leftovers = {_array(items)}")
        elif isinstance(value, tuple):
            lines.append(f"{name} = {_array([_quoted(v) for v in value])}")
        elif isinstance(value, int):
            lines.append(f"{name} = {value}")
        elif isinstance(value, datetime.date):
            lines.append(f"{name} = {value.isoformat()}")
        else:
            lines.append(f"{name} = {_quoted(value)}")
    return "\n".join(lines) + "\n"


def _array(items: list[str]) -> str:
    return "[]" if not items else "[\n" + "".join(f"    {item},\n" for item in items) + "]"


def _quoted(text: str) -> str:
    """A TOML basic string."""
    escaped = displayable(text, keep="\n\t").replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'


def _text(text: str) -> str:
    return displayable(text).strip()


def _inert(text: str) -> str:
    """Text of the repository inside Markdown: no link, image, HTML or mention in it acts."""
    return re.sub(r"([\\`*\[\]<>|~@])", r"\\\1", displayable(text, keep=""))


def _code(text: str) -> str:
    """The same as code, which takes no escapes: it ends at as many backticks as it began with."""
    shown = displayable(text, keep="")
    ticks = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    return f"{ticks} {shown} {ticks}" if "`" in shown else f"`{shown}`"


def _list(items: "list[str] | tuple[str, ...]") -> str:
    return "\n".join("- " + _text(item).replace("\n", "\n  ") for item in items)
