"""Decisions not to fix."""

import datetime
from enum import StrEnum

from harness.schema.base import Record


class WaiverKind(StrEnum):
    """Why it is not fixed."""

    DEFER = "defer"
    ACCEPT = "accept"
    FALSE_POSITIVE = "false-positive"


class Waiver(Record):
    """One decision, as written in `.harness/waivers.toml`. Void once the code of its fingerprint changes."""

    fingerprint: str
    """The finding it speaks of."""
    kind: WaiverKind
    """What was decided."""
    reason: str
    """Why; never empty."""
    author: str
    """Who decided."""
    date: datetime.date
    """When."""
    until: datetime.date | None = None
    """Last day on which it holds; None means no end."""
    rule: str = ""
    """Rule of the finding, for readers."""
    path: str = ""
    """File of the finding, for readers."""
