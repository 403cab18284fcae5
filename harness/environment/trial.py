"""One experiment: a command in a disposable environment, and what it did to that one and to the real one."""

import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from harness.environment.disposable import Disposable, disposable
from harness.environment.drift import Change, Command, drift
from harness.environment.installed import Distribution, installed
from harness.environment.place import Place
from harness.files import displayable
from harness.redact import redact

NOT_FOUND, NOT_STARTED = 127, 126
"""Exit codes, as a shell gives them."""
GRACE_S = 5.0
"""How long a command has to end when we are told to."""


class Trial(NamedTuple):
    """What became of it."""

    command: Command
    """For the history."""
    installed: tuple[Distribution, ...]
    """What it put into the disposable environment."""
    below: dict[str, str]
    """Version of the same name in the real one, for those that it has, too."""
    touched: tuple[Change, ...]
    """What changed in the real environment."""
    kept: Path | None
    """The disposable environment, when it stays."""
    trouble: str
    """Why the command could not be started, '' when it was."""


def tried(command: Sequence[str], real: Place, folder: Path, *, keep: bool) -> Trial:
    """Run `command` where the user is, with standard streams as they are. Raises UsageError."""
    before = installed(real)
    started = datetime.now(UTC)
    with disposable(real, folder) as made:
        code, trouble = _run(command, made)
        own = installed(made.place).distributions
        if keep:
            made.keep()
        kept = made.folder if keep else None
    after = installed(real)
    touched = tuple(drift(before, after))
    versions = {d.name: d.version for d in before.distributions}
    ran = Command(
        command=displayable(redact(shlex.join(command)), keep=""), started=started, ended=datetime.now(UTC), exit_code=code,
        installed=tuple(f"{d.name} {d.version}" for d in own), touched=tuple(c.name for c in touched),
    )  # fmt: skip
    return Trial(ran, own, {d.name: versions[d.name] for d in own if d.name in versions}, touched, kept, trouble)


def _run(command: Sequence[str], made: Disposable) -> tuple[int, str]:
    """(exit code, why it did not start)."""
    environment = made.environment(os.environ)
    try:
        process = subprocess.Popen(_found(command, environment["PATH"]), env=environment, pass_fds=(made.lock,))
    except FileNotFoundError:
        return NOT_FOUND, f"there is no command {command[0]!r}"
    except OSError as error:
        return NOT_STARTED, f"{command[0]!r} cannot be started: {error.strerror or error}"
    with _passed_on(process):
        code = process.wait()
    return (128 - code if code < 0 else code), ""


def _found(command: Sequence[str], path: str) -> list[str]:
    """With the program looked up on the new search path: Popen would look on ours."""
    if os.sep in command[0]:
        return list(command)
    for folder in path.split(os.pathsep):
        candidate = Path(folder or ".", command[0])
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return [str(candidate.absolute()), *command[1:]]
    raise FileNotFoundError(command[0])


@contextmanager
def _passed_on(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Signals go to the command, which decides; we wait for it and clean up. Told to end, it has some seconds.

    Ctrl-C at a terminal reaches the command by itself, so it is not sent twice.
    """

    timers: list[threading.Timer] = []

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        if number != signal.SIGINT or not _at_terminal():
            process.send_signal(number)
        if number != signal.SIGINT and not timers:
            timers.append(threading.Timer(GRACE_S, process.kill))
            timers[0].start()

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


def _at_terminal() -> bool:
    try:
        return os.tcgetpgrp(sys.__stdin__.fileno() if sys.__stdin__ else -1) == os.getpgrp()
    except (OSError, ValueError):
        return False
