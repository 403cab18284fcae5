"""Durable steps of a run on the standard library's SQLite, and results kept by content between runs."""
