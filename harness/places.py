"""Where our own files live on this machine. Nothing is created here."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from harness.errors import UsageError


def home() -> Path | None:
    """The user's home folder, None where there is none (a system account, an empty environment)."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def state_home(environ: Mapping[str, str] = os.environ) -> Path:
    """Folder for runs, caches and crash logs: HARNESS_STATE_DIR, else the platform's place for a user's state.

    That is `$XDG_STATE_HOME/harness` or `~/.local/state/harness` (XDG Base Directory Specification 0.8), on Windows
    `%LOCALAPPDATA%\\harness`, on macOS `~/Library/Application Support/harness`.
    """
    if own := environ.get("HARNESS_STATE_DIR"):
        return Path(own).expanduser().absolute()
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "harness"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "harness"
    base = environ.get("XDG_STATE_HOME") or ""
    if base.startswith("/"):
        return Path(base) / "harness"
    own_home = home()
    if own_home is None:
        raise UsageError(
            "there is no home folder to keep runs in", hint="Set HARNESS_STATE_DIR to a folder that is writable."
        )
    return own_home / ".local" / "state" / "harness"
