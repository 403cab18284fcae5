"""The templates by name."""

from . import judge, taint


def main() -> None:
    """See `judge.main`."""
    judge.main({"taint": taint.run})
