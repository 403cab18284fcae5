"""Readers: files of the data folder become text, tables, maps and entries, each number with its place."""
