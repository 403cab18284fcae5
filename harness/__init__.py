"""Adversarial code audit: the version, and nothing else, so that importing costs nothing."""

__version__ = "0.1.0"
