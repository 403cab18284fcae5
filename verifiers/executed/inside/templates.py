"""The templates by name."""

from . import drive, example, judge, race, taint


def main() -> None:
    """See `judge.main`."""
    judge.main({"taint": taint.run, "race": race.run, "example": example.run, "drive": drive.run})
