"""SIGINT and SIGTERM end a run in order: the first raises Interrupted where the run is, the second ends at once."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from harness.errors import ExitCode, Interrupted


@contextmanager
def stoppable() -> Iterator[None]:
    """Within the block, the first signal raises Interrupted. What was set before is put back."""
    stopped = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        del frame
        if stopped:
            with suppress(OSError):  # whoever reads it may be gone
                os.write(
                    2, b"\nharness: stopped at once; what was recorded is kept, and harness resume goes on with a run\n"
                )
            os._exit(ExitCode.INTERRUPTED)  # everything recorded is durable already, and workers die with us
        stopped = True
        raise Interrupted(signal.Signals(number).name)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if stopped:
            _end_children()


def _end_children() -> None:
    """Kill processes of ours that are still there, with all they started.

    A signal that comes while they are being ended leaves some behind, and Python waits for each of them before it exits.
    """
    started = sys.modules.get("multiprocessing")  # not imported for this: without it there are none
    for child in started.active_children() if started is not None else ():
        with suppress(OSError):
            if hasattr(os, "killpg") and os.getpgid(child.pid) == child.pid:
                os.killpg(child.pid, signal.SIGKILL)
        child.kill()
