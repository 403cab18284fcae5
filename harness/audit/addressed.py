"""What a model was told by the text it read: a part that speaks to its reviewer counts as not read, whatever the model says.

A model that obeys such text leaves no trace of it, so its silence about the rest of the part is worth nothing. What it
raised is kept, and put to the test like anything else. A person who has looked waives the finding, and the part counts.
"""

import datetime
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from harness.audit.desk import Desk
from harness.audit.discover import Discovery
from harness.audit.reading import AUDITOR
from harness.audit.waivers import holds
from harness.schema.finding import Finding
from harness.schema.run import LaneCoverage, Skip
from harness.schema.waiver import Waiver
from harness.source.addressed import addresses_in
from harness.source.project import Project

RULE = "reviewer-addressed-text"
NAMED = 5


class Place(NamedTuple):
    """One line that speaks to a reviewer."""

    path: str
    line: int


def discounted(
    desk: Desk, discovery: Discovery, findings: Sequence[Finding], waivers: Iterable[Waiver], project: Project
) -> Discovery:
    """The discovery with what cannot count as read taken out of its coverage; a trouble of the run when there is any.

    `findings` are all of this tree, before anything was decided about them: a waiver of one excuses its line.
    """
    waived = {w.fingerprint for w in waivers if holds(w, _today(desk))}
    excused = {Place(f.path, f.line) for f in findings if f.rule == RULE and f.fingerprint in waived}
    files = {path for part in discovery.read for path in part.files}
    spoken = {path: [Place(path, one.line) for one, _ in addresses_in(project, path)] for path in sorted(files)}
    speaking = {path: left for path, places in spoken.items() if (left := [p for p in places if p not in excused])}
    if not speaking:
        return discovery
    unread: dict[str, dict[str, Place]] = {}
    parts = 0
    for part in discovery.read:
        heard = [place for path in part.files for place in speaking.get(path, ())]
        if heard:
            parts += 1
            own = {path: next((p for p in heard if p.path == path), heard[0]) for path in part.files}
            unread.setdefault(part.dimension, {}).update(own)
    places = [f"{place.path}:{place.line}" for path in sorted(speaking) for place in speaking[path]]
    more = f" and {len(places) - NAMED} more" if len(places) > NAMED else ""
    desk.troubles.append(
        f"{parts} parts that a model read hold text addressed to a reviewer and count as not read "
        f"({', '.join(places[:NAMED])}{more}): look at it; what may stay can be waived ({RULE})"
    )
    lanes = tuple(
        _lane(lane, unread.get(lane.dimension, {})) if lane.auditor == AUDITOR else lane for lane in discovery.lanes
    )
    return discovery._replace(lanes=lanes)


def _today(desk: Desk) -> datetime.date:
    return desk.clock.now().date()


def _lane(lane: LaneCoverage, unread: dict[str, Place]) -> LaneCoverage:
    skipped = tuple(
        Skip(
            path=path,
            reason=f"line {place.line} speaks to a reviewer, so it counts as not read"
            if place.path == path
            else f"was read together with {place.path}:{place.line}, which speaks to a reviewer, so it counts as not read",
        )
        for path, place in sorted(unread.items())
    )
    return lane.model_copy(update={"done": max(0, lane.done - len(unread)), "skipped": (*lane.skipped, *skipped)})
