"""Falsifiers for claims of the group `platform`, by claim kind."""

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
    "bare-environment": bare_environment.falsify,
    "native-separator": native_separator.falsify,
    "fixed-temp-path": fixed_temp_path.falsify,
    "locale-encoding": locale_encoding.falsify,
    "posix-only-call": posix_only_call.falsify,
    "posix-shell-command": posix_shell_command.falsify,
    "unportable-file-name": unportable_file_name.falsify,
}
