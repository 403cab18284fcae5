"""SIGINT and SIGTERM end a run in order: the first raises Interrupted where the run is, the second ends at once."""

import os
import signal
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
