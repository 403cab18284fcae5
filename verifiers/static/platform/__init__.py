"""Falsifiers for claims of the group `platform`, by claim kind."""

from verifiers.static.live import live
from verifiers.static.platform import (
    bare_environment,
    fixed_temp_path,
    locale_encoding,
    native_separator,
    posix_only_call,
    posix_shell_command,
    unportable_file_name,
)
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "bare-environment": live(bare_environment.falsify),
    "native-separator": live(native_separator.falsify),
    "fixed-temp-path": live(fixed_temp_path.falsify),
    "locale-encoding": live(locale_encoding.falsify),
    "posix-only-call": live(posix_only_call.falsify),
    "posix-shell-command": live(posix_shell_command.falsify),
    "unportable-file-name": live(unportable_file_name.falsify),
}
