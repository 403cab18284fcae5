"""Falsifiers for claims of the group `platform`, by claim kind."""

from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[str, Falsifier] = {}
