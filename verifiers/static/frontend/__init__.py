"""Falsifiers for claims of the group `frontend`, by claim kind."""

from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {}
