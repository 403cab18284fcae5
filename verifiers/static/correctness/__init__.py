"""Falsifiers for claims of the group `correctness`, by claim kind."""

from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {}
