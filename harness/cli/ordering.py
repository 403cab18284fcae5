"""From the command line to the order of a review or a gate: settings come from the base of the change."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.audit import start
from harness.audit.order import Change, Order
from harness.cli.behind import go_behind, must_go_behind
from harness.cli.conduct import Job, Shown, conduct, means
from harness.config import Configuration
from harness.errors import UsageError
from harness.files import displayable
from harness.repo.environments import advice, outside
from harness.review.decided import configuration_at
from harness.review.sides import base_of
from harness.schema.evidence import Tier
from harness.schema.finding import Severity


def folder(path: Path) -> Path:
    """The path, which must be a folder: tests and decisions belong to one. Raises UsageError."""
    if not path.is_dir():
        raise UsageError(f"{displayable(str(path))} is a file, and a change is reviewed in a folder",
                         hint="harness audit looks at one file.")  # fmt: skip
    return path


class Asked(NamedTuple):
    """Options of the command line that all of them share."""

    flags: Mapping[str, object]
    """Settings given as flags, by attribute name."""
    offline: bool
    no_exec: bool
    record: Path | None
    replay: Path | None


def change_order(path: Path, change: Change, asked: Asked, *, profile: str) -> tuple[Order, Configuration]:
    """The order, and the settings behind it; `profile` is the one when nobody names one. Raises ConfigError, UsageError."""
    flags = {**asked.flags, "execute": False if asked.no_exec else None}
    if asked.offline or asked.replay:
        flags |= {"model": f"replay:{asked.replay.resolve()}" if asked.replay else "offline", "verifier_model": None}
    configuration = configuration_at(path, base_of(change), flags)
    settings = configuration.settings
    model = None if settings.model == "offline" else settings.model
    command = {"test_command": configuration.gate.test_command, "test_seconds": configuration.gate.test_seconds}
    order = Order(
        origin=str(path.resolve()),
        revision=change.head,
        profile=profile if configuration.origins["profile"].kind == "default" else settings.profile,
        dimensions=settings.dimensions,
        exclude=settings.exclude,
        execute=settings.execute,
        advice="" if settings.project_python or not settings.execute else advice(path),
        budget=settings.budget,
        fail_on=None if settings.fail_on == "none" else Severity(settings.fail_on),
        min_tier=Tier(settings.min_tier),
        config=f"{configuration.file} of the base" if configuration.file else None,
        model=model,
        verifier_model=(settings.verifier_model or None) if model and not asked.replay else None,
        record=str(asked.record.resolve()) if asked.record else None,
        requests_per_minute=settings.requests_per_minute or None,
        tokens_per_minute=settings.tokens_per_minute or None,
        change=change.model_copy(update=command),
    )
    return order, configuration


def go(order: Order, configuration: Configuration, shown: Shown, arguments: Sequence[str], job: Job) -> int:
    """Have the run done, behind a broker when it names a model."""
    if must_go_behind(order):
        origins, settings = configuration.origins, configuration.settings
        named = [n for n in ("model", "verifier_model") if origins[n].kind in ("flag", "environment")]
        return go_behind(order, arguments, [getattr(settings, n) for n in named])
    python = outside(configuration.settings.project_python, Path(order.origin))
    found = means(shown, jobs=configuration.settings.jobs, execute=order.execute, python=python)
    return conduct(start.new(order, found), shown, job)
