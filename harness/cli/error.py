"""Turns whatever a command raises into text on stderr and an exit code; the only place that does.

A command returns its exit code. Errors of ours carry theirs (`harness.errors`); mistakes on the command line end in 2;
an interrupt in 130; a closed output pipe in 141, as for any Unix tool; anything else is our bug: 70, with a log.
"""

import contextlib
import errno
import os
import platform
import re
import sys
import tempfile
import traceback
from pathlib import Path

import click

import harness
from harness.errors import ExitCode, HarnessError, Interrupted
from harness.files import displayable
from harness.redact import redact

CLOSED_PIPE = 128 + 13
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF})


def guarded(command: click.Command, arguments: list[str]) -> int:
    """Run `command` and return its exit code; never raises but SystemExit of the interpreter itself."""
    try:
        return _guarded(command, arguments)
    except BrokenPipeError:
        # The reader of standard error has gone while we were telling what went wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        return closed_pipe()


def _guarded(command: click.Command, arguments: list[str]) -> int:
    try:
        result = command.main(arguments, prog_name="harness", standalone_mode=False, obj={"arguments": arguments})
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as mistake:
        mistake.show()
        return ExitCode.USAGE
    except (click.Abort, KeyboardInterrupt, Interrupted) as stop:
        say(f"interrupted{': ' + str(stop) if str(stop) else ''}")
        return ExitCode.INTERRUPTED
    except HarnessError as error:
        return _ours(error, "--debug" in arguments)
    except BrokenPipeError:
        return closed_pipe()
    except OSError as error:
        # Only a stream of ours fails like this: files of the user's are opened where their names can be said.
        return _full(error) if error.errno in _NO_ROOM and error.filename is None else _bug(arguments)
    except Exception:  # noqa: BLE001  # the last line of defence: a bug becomes a log and exit code 70
        return _bug(arguments)
    return result if isinstance(result, int) else ExitCode.PASS


def open_closed_streams() -> None:
    """Give a standard stream that the caller closed (`>&-`) a place to write to, as the rest of the program expects one."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            # In the order of their numbers each takes its own: the lowest free one is what `open` gives.
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115  # lives as long as the process
            if stream.fileno() != number:
                os.dup2(stream.fileno(), number)
            setattr(sys, name, stream)


def _full(error: OSError) -> int:
    with contextlib.suppress(OSError):
        say(f"cannot write the output: {error.strerror}", "What was found is kept: harness runs list")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.INCOMPLETE


def closed_pipe() -> int:
    """The reader has gone; without this the interpreter complains once more when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return CLOSED_PIPE


def say(message: str, hint: str = "") -> None:
    """One message on stderr, with the next step on its own line."""
    click.echo(f"harness: {displayable(message)}", err=True)
    if hint:
        click.echo(displayable(hint), err=True)


def _ours(error: HarnessError, debug: bool) -> int:
    say(str(error), error.hint)
    if debug:
        click.echo(redacted(traceback.format_exc()), err=True)
    return error.exit_code


def _bug(arguments: list[str]) -> int:
    text = redacted(traceback.format_exc())
    cause = text.strip().splitlines()[-1]
    about = f"harness {harness.__version__}, Python {platform.python_version()}, {platform.platform()}"
    say(f"internal error: {cause}")
    if "--debug" in arguments or os.environ.get("HARNESS_DEBUG"):
        click.echo(text, err=True)
    try:
        log = _write_log(f"{about}\narguments: {redacted(' '.join(arguments))}\n\n{text}")
    except OSError as error:
        click.echo(f"(no log could be written: {error})", err=True)
    else:
        click.echo(f"This is a bug in harness. Details: {log} (tracebacks here: harness --debug ...)", err=True)
    click.echo(f"To report it, give: {about}; what you ran; and that file.", err=True)
    return ExitCode.BUG


def _write_log(text: str) -> Path:
    descriptor, name = tempfile.mkstemp(prefix="harness-crash-", suffix=".log")
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(text)
    return Path(name)


def redacted(text: str) -> str:
    """`text` without anything that looks like a credential, and without values of secret-looking environment variables."""
    named = re.compile(r"(?i)key|token|secret|passw|credential")
    secrets = [value for name, value in os.environ.items() if len(value) >= 8 and named.search(name)]
    return displayable(redact(text, secrets))
