"""The one error tree, and the exit code each branch ends in.

    HarnessError
    ├── UsageError               2   the command line or a file the user named is wrong
    │   └── ConfigError          2   a configuration key or value is wrong (file, key, what is allowed)
    ├── IncompleteError          3   the run could not finish; resumable, never a pass
    │   ├── BudgetExhausted      3   a cap was reached before the work was done
    │   ├── SandboxUnavailable   3   untrusted code may not run here
    │   ├── RunLocked            3   another process works on this run
    │   ├── JournalFailed        3   the record of the run cannot be read or written, or was changed by somebody else
    │   └── LaneFailed           3   an auditor or verifier broke down
    ├── NothingInScope           4   there was nothing to audit, which is not a clean result
    └── Bug                     70   our own fault

    Interrupted (BaseException) 130  the user stopped the run; everything found so far is kept

Every error carries `hint`: the sentence that says what to do next.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a process of ours says to its caller; stable, because scripts and CI depend on it."""

    PASS = 0
    FINDINGS = 1
    USAGE = 2
    INCOMPLETE = 3
    NOTHING_IN_SCOPE = 4
    BUG = 70
    INTERRUPTED = 130


class HarnessError(Exception):
    """Base of all our errors. `hint` is shown on its own line after the message."""

    exit_code: ExitCode = ExitCode.BUG

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(HarnessError):
    """The command line, or a file named on it, cannot be used."""

    exit_code = ExitCode.USAGE


class ConfigError(UsageError):
    """A configuration key or value is wrong."""


class IncompleteError(HarnessError):
    """The run stopped before its end. Nothing is lost and nothing may pass."""

    exit_code = ExitCode.INCOMPLETE


class BudgetExhausted(IncompleteError):
    """A cap in money, tokens, calls or time was reached."""


class SandboxUnavailable(IncompleteError):
    """No mechanism on this machine may run untrusted code."""


class RunLocked(IncompleteError):
    """Another process holds the lock of this run."""


class JournalFailed(IncompleteError):
    """The record of a run cannot be read or written (disk full, busy, torn), or a row is not what we wrote."""


class LaneFailed(IncompleteError):
    """An auditor or verifier raised, crashed, or was given up after repeated crashes."""


class NothingInScope(HarnessError):
    """No file was left to audit after the scope rules."""

    exit_code = ExitCode.NOTHING_IN_SCOPE


class Bug(HarnessError):
    """An invariant of ours does not hold."""

    exit_code = ExitCode.BUG


class Interrupted(BaseException):
    """The user asked to stop (SIGINT or SIGTERM). Not an Exception, so that no `except Exception` can swallow it."""

    exit_code = ExitCode.INTERRUPTED
