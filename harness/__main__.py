"""Where the command begins: an interrupt before there is somebody to tell ends it quietly, and as documented."""

import os
import signal
import sys
from types import FrameType

from harness.errors import ExitCode


def main() -> int:
    """Load the command line and run it; the exit code. Raises nothing."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # where somebody ignores it, it stays ignored
        signal.signal(signal.SIGINT, _leave)
    from harness.cli.main import main as run

    signal.signal(signal.SIGINT, before)
    return run()


def _leave(number: int, frame: FrameType | None) -> None:
    del number, frame
    os._exit(ExitCode.INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
