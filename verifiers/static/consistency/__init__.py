"""Falsifiers for claims of the group `consistency`, by claim kind."""

from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {}
