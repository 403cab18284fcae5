"""Figures: code drawn in isolation, and what came out checked before it is used."""
