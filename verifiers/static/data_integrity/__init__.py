"""Falsifiers for claims of the group `data-integrity`, by claim kind."""

from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {}
