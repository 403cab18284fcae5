"""Settings of a run: flags over environment over file over defaults, each value with its origin.

The file is `harness.toml`, or `[tool.harness]` in `pyproject.toml`, at the root of what is audited. It may narrow what
is looked at (which the report lists) and choose when a run fails; it cannot make us run or send anything, nor choose with
what code of the project is run.
"""

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from pydantic import Field, ValidationError

from harness.errors import ConfigError
from harness.schema.base import Record


class Settings(Record):
    """Every setting; the attribute's docstring is what `harness config show` prints."""

    profile: Literal["full", "session"] = "full"
    """Which set of dimensions to audit."""
    dimensions: tuple[str, ...] = ()
    """Audit only these dimensions; empty means all of the profile."""
    exclude: tuple[str, ...] = ()
    """Paths to leave out, as git-style patterns; the report lists what they hide."""
    read_only: tuple[str, ...] = ()
    """Paths that no checkpoint may change, as git-style patterns; read from the commit before the change."""
    fail_on: Literal["high", "medium", "low", "none"] = "high"
    """Lowest severity of a CONFIRMED finding that fails the run."""
    min_tier: Literal["E1", "E2", "E3", "E4", "E5"] = "E1"
    """Weakest evidence on which a CONFIRMED finding fails the run."""
    budget: tuple[str, ...] = ()
    """Caps such as `10min`; reached ones end the run as incomplete."""
    model: str = "offline"
    """Model that audits: `anthropic:NAME`, `openai:NAME`, `openai:NAME@URL`, `replay:DIR` or `offline`."""
    verifier_model: str = ""
    """Model that verifies; empty means the same. Another family errs differently."""
    requests_per_minute: int = Field(default=0, ge=0)
    """Limit of the provider account; 0 means none is known."""
    tokens_per_minute: int = Field(default=0, ge=0)
    """Limit of the provider account; 0 means none is known."""
    jobs: int = Field(default=0, ge=0, le=256)
    """Worker processes; 0 means one a processor."""
    execute: bool = True
    """Run executed checks in the sandbox."""
    project_python: str = ""
    """Interpreter or virtual environment that has the project's dependencies; empty means the one that runs harness."""


NOT_IN_FILE = ("python", "project_python")
"""What a repository must not decide: what is executed, even in the sandbox."""


_FLAGS = {"project_python": "--python"}
"""Flags that are called otherwise than their setting; HARNESS_PYTHON is what our own scripts run with."""


class GateSettings(Record):
    """`[tool.harness.gate]`; a review and the gate read it from the base of the change, never from its head."""

    test_command: str = "python -m pytest -q"
    """What runs the project's tests, in the sandbox; `python` is the Python that has the project's dependencies."""
    test_seconds: float = Field(default=600.0, gt=0, le=86_400)
    """Wall clock that the tests get; tests that need longer leave the run incomplete."""


class CheckpointSettings(Record):
    """`[tool.harness.checkpoint]`; a checkpoint reads it from HEAD, never from what it commits."""

    check: str = ""
    """Quick check, a shell command that runs in the sandbox on what is committed; empty means none."""
    check_seconds: float = Field(default=120.0, gt=0, le=86_400)
    """Wall clock that the check gets."""


class Origin(NamedTuple):
    """Where a value comes from."""

    kind: Literal["flag", "environment", "file", "default"]
    """Which layer."""
    detail: str
    """The flag, the variable, or `file:line`."""


class Configuration(NamedTuple):
    """The settings in force."""

    settings: Settings
    """The values."""
    origins: dict[str, Origin]
    """Origin of each, by attribute name; those of the tables `gate` and `checkpoint` as `gate.test_command`."""
    file: str | None
    """The configuration file that was read, None when there is none."""
    gate: GateSettings = GateSettings()
    """What the file says of the gate."""
    checkpoint: CheckpointSettings = CheckpointSettings()
    """What the file says of checkpoints."""


_Table = TypeVar("_Table", bound=Record)


def load(root: Path, flags: Mapping[str, object], environ: Mapping[str, str] = os.environ) -> Configuration:
    """Settings for auditing `root`. A flag that is None or an empty tuple was not given. Raises ConfigError."""
    values: dict[str, object] = {}
    origins = {name: Origin("default", "") for name in Settings.model_fields}
    file, table, text = _read(root)
    table = dict(table)
    gate = _inner(GateSettings, "gate", table.pop("gate", {}), file, text, origins)
    checkpoint = _inner(CheckpointSettings, "checkpoint", table.pop("checkpoint", {}), file, text, origins)
    for key, value in table.items():
        name = _known(key, file, text)
        if name in NOT_IN_FILE:
            raise ConfigError(
                f"{file}:{_line(text, key)}: {key!r} cannot be set in a file: a repository does not choose what is executed",
                hint="Give it as --python PATH or in HARNESS_PROJECT_PYTHON.",
            )
        values[name] = value
        origins[name] = Origin("file", f"{file}:{_line(text, key)}")
    for name in Settings.model_fields:
        variable = f"HARNESS_{name.upper()}"
        if environ.get(variable):
            values[name] = _from_text(name, environ[variable])
            origins[name] = Origin("environment", variable)
        if flags.get(name) not in (None, ()):
            values[name] = flags[name]
            origins[name] = Origin("flag", _FLAGS.get(name) or "--" + name.replace("_", "-"))
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise _wrong_value(error, values, origins) from error
    if settings.model == "offline" and settings.verifier_model and origins["verifier_model"].kind == "flag":
        raise ConfigError(
            f"--verifier-model {settings.verifier_model} is not used: no model audits, and verifying is left to code",
            hint="Name the auditing model, too: --model SPEC.",
        )
    return Configuration(settings, origins, file, gate, checkpoint)


def _inner(
    shape: type[_Table], name: str, table: object, file: str | None, text: str, origins: dict[str, Origin]
) -> _Table:
    """A table of its own in the file, which no flag and no variable reaches; adds to `origins`."""
    given = table if isinstance(table, dict) else {}
    for key in shape.model_fields:
        place = Origin("file", f"{file}:{_line(text, key, name)}") if key in given else Origin("default", "")
        origins[f"{name}.{key}"] = place
    try:
        return shape.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        where = f"{file}:{_line(text, key, name)}: {name}" + (f".{key}" if key else "")
        hint = f"Keys: {', '.join(shape.model_fields)}."
        if first["type"] == "extra_forbidden":
            close = difflib.get_close_matches(key, shape.model_fields, n=1)
            raise ConfigError(f"{where}: unknown key", hint=f"Did you mean {close[0]!r}?" if close else hint) from error
        raise ConfigError(f"{where}: {first['msg'].lower()}", hint=hint) from error


def _read(root: Path) -> tuple[str | None, dict[str, object], str]:
    """(file name, table, text of the file); harness.toml wins over pyproject.toml."""
    for name in ("harness.toml", "pyproject.toml"):
        path = root / name
        if path.is_symlink() or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            if name == "pyproject.toml" and "[tool.harness" not in text:
                continue  # not ours to complain about: other tools own that file
            raise ConfigError(f"{name}: {error}", hint="Mend the file, or move it away.") from error
        if name == "harness.toml":
            return name, document, text
        table = document.get("tool", {}).get("harness")
        if isinstance(table, dict):
            return name, table, text
    return None, {}, ""


def _known(key: str, file: str | None, text: str) -> str:
    name = key.replace("-", "_")
    if name in NOT_IN_FILE or name in Settings.model_fields:
        return name
    close = difflib.get_close_matches(name, Settings.model_fields, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"Known keys: {', '.join(Settings.model_fields)}."
    raise ConfigError(f"{file}:{_line(text, key)}: unknown key {key!r}", hint=hint)


def _line(text: str, key: str, table: str = "") -> str:
    """`line:column` of the key in the file, below the header of the inner `table`, as far as a search tells."""
    start = text.find("[tool.harness]") if "[tool.harness]" in text else 0
    if table and (header := re.compile(rf"^[ \t]*\[(?:tool\.harness\.)?{table}\]", re.MULTILINE).search(text)):
        start = header.end()
    match = re.compile(rf'^[ \t]*"?(?P<key>{re.escape(key)})"?[ \t]*=', re.MULTILINE).search(text, start)
    if match is None:
        return "1:1"
    at = match.start("key")
    return f"{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"


def _from_text(name: str, text: str) -> object:
    if Settings.model_fields[name].annotation == tuple[str, ...]:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def _wrong_value(error: ValidationError, values: Mapping[str, object], origins: Mapping[str, Origin]) -> ConfigError:
    first = error.errors()[0]
    name = str(first["loc"][0])
    origin = origins[name]
    where = f"{origin.detail}: " if origin.detail else ""
    allowed = first.get("ctx", {}).get("expected")
    hint = f"Allowed: {allowed}." if allowed else ""
    given = values.get(name)
    if allowed and isinstance(given, str):
        close = difflib.get_close_matches(given, re.findall(r"'([^']+)'", str(allowed)), n=1)
        hint = f"Did you mean {close[0]!r}? {hint}" if close else hint
    return ConfigError(f"{where}{name} = {given!r}: {first['msg'].lower()}", hint=hint)
