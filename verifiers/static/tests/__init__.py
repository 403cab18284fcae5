"""Falsifiers for claims of the group `tests`, by claim kind."""

from verifiers.static.ruling import Falsifier
from verifiers.static.tests import (
    cannot_fail,
    constant_assertion,
    mock_assertion,
    self_comparison,
    small,
    swallowed_assertion,
    untested,
)

FALSIFIERS: dict[str, Falsifier] = {
    "test-cannot-fail": cannot_fail.falsify,
    "constant-assertion": constant_assertion.falsify,
    "swallowed-assertion": swallowed_assertion.falsify,
    "self-comparison": self_comparison.falsify,
    "mock-assertion-not-made": mock_assertion.falsify,
    "empty-parametrize": small.empty_parametrize,
    "assertion-never-reached": small.never_reached,
    "raises-too-broad": small.too_broad,
    "test-overwritten": small.overwritten,
    "async-test-not-awaited": small.async_not_awaited,
    "unasserted-error-path": untested.error,
    "unmentioned-public-function": untested.function,
    "untested-public-function": untested.function,
}
