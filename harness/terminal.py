"""What the terminal can show."""

import shutil
from collections.abc import Mapping
from typing import TextIO


def use_color(wish: str, stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether to colour: the wish (`always`, `never`), else NO_COLOR, then FORCE_COLOR, then a capable terminal."""
    if wish != "auto":
        return wish == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return is_terminal(stream, environ)


def is_terminal(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether `stream` is a terminal that understands cursor movement (a CI log and TERM=dumb are not)."""
    return stream.isatty() and environ.get("TERM", "") != "dumb" and not environ.get("CI")


def columns() -> int:
    """Columns to wrap text at: those of the terminal or of COLUMNS, 60 to 120; 100 where neither is known."""
    return min(max(shutil.get_terminal_size((100, 24)).columns, 60), 120)
