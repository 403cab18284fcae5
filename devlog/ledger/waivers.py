"""Decisions not to fix, out of `.harness/waivers.toml`, read as data and never written."""

import tomllib
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from harness.repo.guard import Guard, Unreadable
from harness.schema.waiver import Waiver

FILE = ".harness/waivers.toml"
LARGEST = 16 << 20


class Waivers(NamedTuple):
    """What the file says."""

    waivers: tuple[Waiver, ...]
    """In its order."""
    missing: str
    """Why it says nothing, '' when it does or when there is no such file."""


def waivers_of(root: Path) -> Waivers:
    """Those of a folder. A file that cannot be understood waives nothing, and is said to be so."""
    if not (root / FILE).exists():
        return Waivers((), "")
    try:
        with Guard(root) as guard:
            text = guard.read(FILE.encode(), LARGEST).decode("utf-8")
        entries = tomllib.loads(text).get("waiver", [])
        return Waivers(tuple(Waiver.model_validate(entry) for entry in entries), "")
    except (OSError, ValueError, TypeError, Unreadable, ValidationError) as error:
        return Waivers((), f"{FILE} cannot be read: {str(error).splitlines()[0]}")
