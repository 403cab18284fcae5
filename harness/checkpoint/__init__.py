"""Checkpoints: which states become one, what is said of each, and the way back."""
