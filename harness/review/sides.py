"""Both sides of a change: which state each is, and a desk for each at which the stages of an audit work."""

from dataclasses import replace
from functools import partial

from harness.audit.desk import Desk
from harness.audit.order import Change
from harness.errors import Bug
from harness.repo.checkout import pin
from harness.repo.which import Which
from harness.review.prefixed import Prefixed


def change_of(desk: Desk) -> Change:
    """The change of a run. Raises Bug for the run of an audit."""
    if desk.order.change is None:
        raise Bug(f"run {desk.folder.id} is no review")
    return desk.order.change


def head_of(change: Change) -> Which:
    """The state under review."""
    if change.staged:
        return Which(staged=True, index_name=change.index_name)
    if change.patch is not None:
        return Which(revision=change.base, patch=change.patch.encode("latin-1"))
    return Which(revision=change.head)


def base_of(change: Change) -> Which | None:
    """The state it is compared with, None when there is none."""
    return Which(revision=change.base) if change.base else None


def head_desk(desk: Desk, *, models: bool, narrow: frozenset[str] | None = None) -> Desk:
    """The run's own desk, pinning the state under review; without models unless they are wanted, and about `narrow`."""
    which = head_of(change_of(desk))
    return replace(desk, pin=partial(pin, which=which), models=desk.models if models else None, narrow=narrow)


def base_desk(desk: Desk) -> Desk:
    """A desk for the base: its own steps, copy and troubles, and never a model."""
    change = change_of(desk)
    return replace(
        desk,
        order=desk.order.model_copy(update={"revision": change.base, "change": None}),
        folder=desk.folder.base,
        journal=Prefixed(desk.journal, "base/"),
        pin=pin,
        models=None,
        troubles=[],
    )
