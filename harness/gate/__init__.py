"""Decides whether a commit may be merged, and sets the hooks that ask."""
