"""Falsifiers for claims of the group `data-integrity`, by claim kind."""

from verifiers.static.data_integrity import non_atomic_overwrite
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {
    "non-atomic-overwrite": non_atomic_overwrite.falsify,
}
