"""Where our own files live on this machine. Nothing is created here."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path


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
    return (Path(base) if base.startswith("/") else Path.home() / ".local" / "state") / "harness"
