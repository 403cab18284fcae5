"""A small service for sharing notes."""
