"""Days: which are meant, and how many of them make one bar of a chart."""

import datetime
from collections.abc import Sequence
from typing import NamedTuple

from devlog.ledger.record import Day

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class Period(NamedTuple):
    """The days that are meant, both ends included; None means without end."""

    since: datetime.date | None = None
    until: datetime.date | None = None

    def holds(self, day: datetime.date | None) -> bool:
        """Whether the day is one of them; one that nobody knows is only where there is no limit."""
        if day is None:
            return self.since is None and self.until is None
        return (self.since is None or day >= self.since) and (self.until is None or day <= self.until)


def day_of(seconds: int) -> datetime.date | None:
    """The day, UTC, of seconds since 1970; None for a time that no calendar of ours has."""
    try:
        return (_EPOCH + datetime.timedelta(seconds=seconds)).date()
    except OverflowError:
        return None


def day_of_text(text: str) -> datetime.date | None:
    """The day, UTC, of an ISO 8601 time; None for a text that is none."""
    try:
        found = datetime.datetime.fromisoformat(text)
        return found.astimezone(datetime.UTC).date() if found.tzinfo else found.date()
    except (ValueError, OverflowError):
        return None


class Bin(NamedTuple):
    """What one bar stands for."""

    first: datetime.date
    """Its first day."""
    last: datetime.date
    """Its last one."""
    commits: int
    entries: int
    runs: int

    @property
    def label(self) -> str:
        """For people."""
        return str(self.first) if self.first == self.last else f"{self.first} .. {self.last}"


class Bins(NamedTuple):
    """A period cut in equal parts."""

    unit: str
    """day, week, or `N days`."""
    bins: tuple[Bin, ...]
    """In order, empty ones included."""


def bins(days: Sequence[Day], first: datetime.date, last: datetime.date, most: int) -> Bins:
    """At most `most` bins from `first` on: of a day, of a week, else of as many whole weeks as it takes."""
    span = (last - first).days + 1
    size = 1 if span <= most else 7 * -(-span // (7 * most))
    count = -(-span // size)
    sums = [[0, 0, 0] for _ in range(count)]
    for day in days:
        row = sums[(day.day - first).days // size]
        for place, number in enumerate((day.commits, day.entries, day.runs)):
            row[place] += number
    found = []
    for number, row in enumerate(sums):
        begin = first + datetime.timedelta(days=number * size)
        end = min(last, begin + datetime.timedelta(days=size - 1))
        found.append(Bin(begin, end, *row))
    return Bins("day" if size == 1 else "week" if size == 7 else f"{size} days", tuple(found))
