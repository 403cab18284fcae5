"""Revisions of repositories that are not trusted: read as data, copied, never asked to do anything."""
