"""Readers of binary formats. They run in a child process with limits, import nothing of this project, and answer in JSON."""
