"""Tries to prove findings wrong. One module a method of falsification, one table in `plugin.py`, cheapest first."""
