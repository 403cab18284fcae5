"""Progress on standard error: one live line at a terminal, a plain line now and then elsewhere."""

import os
from collections.abc import Mapping
from typing import TextIO

from harness.clock import Clock, SystemClock
from harness.events import Event, LaneEnded, Progress, RunStarted, StageStarted, Warned
from harness.files import displayable
from harness.terminal import is_terminal

PLAIN_S = 10.0
"""Seconds between plain lines."""
LIVE_S = 0.1
"""Seconds between changes of the live line."""
_BAR = 22


class ProgressLines:
    """A sink (`harness.events.Sink`) that writes what it is told to `stream`."""

    def __init__(self, stream: TextIO, environ: Mapping[str, str], clock: Clock | None = None) -> None:
        self._stream = stream
        self._live = is_terminal(stream, environ)
        self._clock = clock or SystemClock()
        self._start = self._clock.monotonic()
        self._shown = -PLAIN_S
        self._line = ""

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._print(event.headline)
            case StageStarted():
                self._clear()
                self._shown = -PLAIN_S
                if self._live:
                    self._draw(f"{event.stage:<9} {event.index}/{event.total}")
            case Progress():
                self._progress(event)
            case LaneEnded(status="failed"):
                self._print(f"warning: lane {event.auditor} for {event.dimension} failed: {event.reason}")
            case Warned():
                self._print(f"warning: {event.message}")

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._clear()

    def _progress(self, event: Progress) -> None:
        now = self._clock.monotonic()
        last = event.done == event.total
        if now - self._shown < (LIVE_S if self._live else PLAIN_S) and not last:
            return
        self._shown = now
        seconds = int(now - self._start)
        elapsed = f"{seconds // 60}:{seconds % 60:02}"
        count = f"{event.done}/{event.total}"
        if not self._live:
            if last or event.done:
                self._print(f"{event.stage}: {count}{', ' + event.note if event.note else ''} ({elapsed})")
            return
        filled = _BAR * event.done // event.total if event.total else _BAR
        self._draw(f"{event.stage:<9} {'█' * filled}{'░' * (_BAR - filled)}  {count:<9} {event.note}  {elapsed}")
        if last:
            self._stream.write("\n")
            self._line = ""

    def _draw(self, line: str) -> None:
        self._line = displayable(line, keep="")[: _columns(self._stream) - 1]
        self._stream.write(f"\r\x1b[K{self._line}")
        self._stream.flush()

    def _print(self, line: str) -> None:
        self._clear()
        self._stream.write(displayable(line, keep="") + "\n")
        self._stream.flush()

    def _clear(self) -> None:
        if self._line:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._line = ""


def _columns(stream: TextIO) -> int:
    """Width of the terminal: a live line that is longer would wrap, and the next one could not take its place."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
