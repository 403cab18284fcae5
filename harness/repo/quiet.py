"""The short time in which a repository is written is not interrupted: neither we nor the git we start."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_STOPPING = {signal.SIGINT, signal.SIGTERM}


@contextmanager
def undisturbed() -> Iterator[None]:
    """SIGINT and SIGTERM in the block come too late: what is left after it is to say what was done, which somebody who sees
    `interrupted` would never learn. Processes started in it are spared, too.

    The mask is for them, the handlers for signals that another thread of ours takes.
    """
    main = threading.current_thread() is threading.main_thread()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    handlers = {number: signal.signal(number, _late) for number in _STOPPING} if main else {}
    try:
        yield
    finally:
        while signal.sigpending() & _STOPPING:
            signal.sigwait(_STOPPING)
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _late(number: int, frame: FrameType | None) -> None:
    del number, frame
