"""The message of a checkpoint: the person's words made inert, and trailers that nobody else can write."""

import re

from harness.errors import UsageError
from harness.files import displayable

LONGEST = 64 * 1024
"""Characters."""
_TRAILER = re.compile(r"[A-Za-z][A-Za-z0-9-]*: \S.*")
_OURS = re.compile(r"harness-[a-z-]*\s*:", re.IGNORECASE)


def written(words: str | None, number: str, files: int, trailers: dict[str, str]) -> str:
    """The whole message; control and bidirectional characters of `words` are written as escapes.

    Raises UsageError for words that are empty, too long or hold a trailer of ours.
    """
    text = _words(words) if words is not None else f"Checkpoint {number}: {files} file{'' if files == 1 else 's'}"
    block = "\n".join(f"{key}: {value}" for key, value in trailers.items() if value)
    last = text.rpartition("\n\n")[2].split("\n") if "\n\n" in text else []
    joined = "\n" if last and all(map(_TRAILER.fullmatch, last)) else "\n\n"
    return f"{text}{joined}{block}\n"


def _words(words: str) -> str:
    if len(words) > LONGEST:
        raise UsageError(f"the message is longer than {LONGEST >> 10} K characters")
    lines = [line.rstrip() for line in displayable(words.replace("\r\n", "\n")).strip().split("\n")]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    if not text:
        raise UsageError("the message is empty", hint="Leave -m out, and the checkpoint gets a number for a name.")
    if any(_OURS.match(line.strip()) for line in lines):
        raise UsageError("the message holds a line that looks like a trailer of harness",
                         hint="Lines that begin with Harness-...: are written by harness alone.")  # fmt: skip
    return text
