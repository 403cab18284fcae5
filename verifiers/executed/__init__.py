"""The executed falsifier (V3): builds a reproducer, runs it and its negative control in the sandbox."""
