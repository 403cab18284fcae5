"""Draws and checks pictures. It runs in the sandbox, and imports nothing of this project."""
