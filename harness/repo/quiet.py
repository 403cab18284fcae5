"""The short time in which a repository is written is not interrupted: signals wait, ours and those of the git we start."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_STOPPING = {signal.SIGINT, signal.SIGTERM}


@contextmanager
def undisturbed() -> Iterator[None]:
    """SIGINT and SIGTERM come after the block. Processes started in it are spared, too."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
