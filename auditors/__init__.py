"""Finds. One folder a group of checks, one check a file, one table in `plugin.py`. Auditors never see verifiers."""
