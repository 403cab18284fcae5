"""Writing down what is asked and answered, or asking nothing more; with room on the disk kept for answers on their way."""

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

from harness.llm.failure import Unwritten

BALLAST_BYTES = 4 << 20
"""Enough for the answers of all calls in flight, each kept with its question."""


class Writing:
    """What all askers of one run share: once a write has failed, none of them sends anything. Safe to use from several threads.

    The ballast is a file that takes up room until the room is needed, so that on a full disk what was paid for can still
    be kept. On one that broke, nothing can be done: what was in flight is paid again when the run is resumed.
    """

    def __init__(self, ballast: Path | None = None) -> None:
        self._ballast = ballast
        self._lock = threading.Lock()
        self._failed: Unwritten | None = None

    def take_room(self) -> None:
        """Take the ballast's room up. Where there is none, there is none."""
        if self._ballast is None:
            return
        with self._lock, contextlib.suppress(OSError):
            descriptor = os.open(self._ballast, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                while os.fstat(descriptor).st_size < BALLAST_BYTES:
                    os.write(descriptor, bytes(1 << 16))
            finally:
                os.close(descriptor)

    def check(self) -> None:
        """Raises Unwritten once a write has failed."""
        if self._failed:
            raise Unwritten(str(self._failed), hint=self._failed.hint)

    def write(self, write: Callable[[], None], *, paid: bool) -> None:
        """Call `write`; what was `paid` for may use the room that was kept for it. Raises Unwritten."""
        try:
            write()
        except OSError as error:
            self._failed = Unwritten(
                f"the record of the run cannot be written: {error.strerror or error}",
                hint="Nothing recorded is lost: free disk space or mend the state directory, then resume.",
            )
            if paid and self._ballast:
                with self._lock, contextlib.suppress(OSError):
                    self._ballast.unlink(missing_ok=True)
                    write()
                    return
            raise Unwritten(str(self._failed), hint=self._failed.hint) from error
